import type { Database as Connection } from 'bun:sqlite'
import type { RawTransaction } from '../fork/raw-chain.ts'
import {
  type ArchivedReceipt,
  bytesOf,
  hexOf,
  openArchivedBlocks,
  type WholeBlock,
} from './archived-blocks.ts'
import { openStateHistory, type StateChange } from './state-history.ts'

export type CapturedBlock = {
  block: WholeBlock
  receipts: readonly ArchivedReceipt[]
  changes: readonly StateChange[]
}

export type ChainArchive = ReturnType<typeof openChainArchive>

/** More than a day of blocks that are two seconds apart. */
const BLOCKS_MAX = 50_000

/** Forgetting takes a look at all that is old, so it comes at once for many blocks. */
const PRUNED_TOGETHER = 1_000

/** Far more blocks than a reorganisation replaces. */
const SIGNED_BLOCKS = 256

/** The canonical blocks of a chain in a file, with every state that they led to. */
export function openChainArchive(db: Connection, blocksMax = BLOCKS_MAX) {
  const blocks = openArchivedBlocks(db)
  const state = openStateHistory(db)
  const facts = openFacts(db)
  const height = () => blocks.head()?.number ?? 0
  const highest = () => Math.max(height(), Number(facts.get('highest') ?? 0))

  return {
    blocks,
    state,
    /** Blocks that follow the head: all of them are written, or none. */
    append: db.transaction((captured: readonly CapturedBlock[]) => {
      for (const { block, receipts, changes } of captured) {
        blocks.add(block, receipts)
        state.set(Number(block.number), changes)
      }
    }),
    /** State that changed after a block and before the next one. */
    setState: db.transaction(state.set),
    /** The highest block there ever was, forgotten or not. */
    highest,
    /** Makes that block the head. */
    forgetAbove: db.transaction((top: number) => {
      facts.set('highest', String(highest()))
      blocks.forgetAbove(top)
      state.forgetAbove(top)
    }),
    prune: db.transaction(() => {
      if (height() - blocks.lowest() < blocksMax + PRUNED_TOGETHER) return
      blocks.forgetBelow(height() - blocksMax)
      state.forgetBelow(height() - blocksMax)
    }),
    /** Transactions as they were signed, for as long as they may have to be sent again. */
    noteSigned: db.transaction((signed: ReadonlyMap<string, string>) => {
      const add = db.query('INSERT OR REPLACE INTO signed (hash, block, bytes) VALUES (?, ?, ?)')
      for (const [hash, bytes] of signed) add.run(bytesOf(hash), height(), bytesOf(bytes))
      db.query('DELETE FROM signed WHERE block < ?').run(height() - SIGNED_BLOCKS)
    }),
    signed(hash: string): string | null {
      const find = db.query<{ bytes: Uint8Array }, [Uint8Array]>(
        'SELECT bytes FROM signed WHERE hash = ?',
      )
      const row = find.get(bytesOf(hash))
      return row && hexOf(row.bytes)
    },
    /** Transactions that wait at the end of a run, for the next one. */
    keepPending: (transactions: readonly RawTransaction[]) =>
      facts.set('pending', JSON.stringify(transactions)),
    takePending(): RawTransaction[] {
      const pending = JSON.parse(facts.get('pending') ?? '[]')
      facts.set('pending', '[]')
      return pending
    },
    chainId: () => Number(facts.get('chain_id')) || null,
    setChainId: (chainId: number) => facts.set('chain_id', String(chainId)),
    close: () => db.close(),
  }
}

function openFacts(db: Connection) {
  const find = db.query<{ value: string }, [string]>('SELECT value FROM facts WHERE name = ?')
  const put = db.query<unknown, [string, string]>(
    'INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)',
  )
  return {
    get: (name: string) => find.get(name)?.value ?? null,
    set: (name: string, value: string) => void put.run(name, value),
  }
}

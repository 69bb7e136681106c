import type { Database as Connection } from 'bun:sqlite'
import type { RawBlock, RawTransaction } from '../fork/raw-chain.ts'

export type WholeBlock = RawBlock<RawTransaction> & Readonly<Record<string, unknown>>

export type ArchivedLog = Readonly<Record<string, unknown>> & {
  address: string
  topics: readonly string[]
}

export type ArchivedReceipt = Readonly<Record<string, unknown>> & {
  transactionHash: string
  logs: readonly ArchivedLog[]
}

export type ArchivedBlocks = ReturnType<typeof openArchivedBlocks>

type HeadRow = { number: number; hash: Uint8Array }
type BlockRow = { block: Uint8Array }

/** The first bytes of a hash find the block; its text tells the rest. */
const HASH_START_BYTES = 8

/** Blocks with their transactions and receipts. A gap is only behind the first of all. */
export function openArchivedBlocks(db: Connection) {
  const headRow = db.query<HeadRow, []>(
    'SELECT number, hash FROM blocks ORDER BY number DESC LIMIT 1',
  )
  const lowestRow = db.query<{ number: number }, []>(
    'SELECT number FROM blocks WHERE number > 0 ORDER BY number LIMIT 1',
  )
  const addBlock = db.query<unknown, [number, Uint8Array, Uint8Array, Uint8Array | null]>(
    'INSERT INTO blocks (number, hash, block, receipts) VALUES (?, ?, ?, ?)',
  )
  const addTransaction = db.query<unknown, [Uint8Array, number]>(
    'INSERT OR IGNORE INTO transactions (hash_start, block) VALUES (?, ?)',
  )
  const byNumber = db.query<BlockRow, [number]>('SELECT block FROM blocks WHERE number = ?')
  const byHash = db.query<BlockRow, [Uint8Array]>('SELECT block FROM blocks WHERE hash = ?')
  const receiptsOf = db.query<{ receipts: Uint8Array | null }, [number]>(
    'SELECT receipts FROM blocks WHERE number = ?',
  )
  const withTransaction = db.query<BlockRow, [Uint8Array]>(`
    SELECT blocks.block FROM transactions JOIN blocks ON blocks.number = transactions.block
    WHERE hash_start = ?`)

  return {
    head(): { number: number; hash: string } | null {
      const row = headRow.get()
      return row && { number: row.number, hash: hexOf(row.hash) }
    },
    /** The height from which on no block is missing. */
    lowest() {
      const number = lowestRow.get()?.number ?? 0
      return number === 1 ? 0 : number
    },
    add(block: WholeBlock, receipts: readonly ArchivedReceipt[]) {
      const number = Number(block.number)
      const told = receipts.length > 0 ? packed(receipts) : null
      addBlock.run(number, bytesOf(block.hash), packed(block), told)
      for (const { hash } of block.transactions) addTransaction.run(startOf(hash), number)
    },
    forgetAbove(height: number) {
      db.query('DELETE FROM blocks WHERE number > ?').run(height)
      db.query('DELETE FROM transactions WHERE block > ?').run(height)
    },
    /** Leaves the first of all where it is. */
    forgetBelow(height: number) {
      db.query('DELETE FROM blocks WHERE number > 0 AND number < ?').run(height)
      db.query('DELETE FROM transactions WHERE block < ?').run(height)
    },
    block(id: number | string): WholeBlock | null {
      const row = typeof id === 'number' ? byNumber.get(id) : byHash.get(bytesOf(id))
      return row && blockIn(row)
    },
    /** As one text, which is cheaper to search than to read; empty for none. */
    receiptsText(number: number): string {
      const text = receiptsOf.get(number)?.receipts
      return text ? unpacked(text) : ''
    },
    blockWith: (hash: string): WholeBlock | null =>
      withTransaction
        .all(startOf(hash))
        .map(blockIn)
        .find(({ transactions }) => transactions.some((one) => one.hash === hash)) ?? null,
  }
}

export function bytesOf(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex')
}

export function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

function startOf(hash: string): Uint8Array {
  return bytesOf(hash).subarray(0, HASH_START_BYTES)
}

function blockIn({ block }: BlockRow): WholeBlock {
  return JSON.parse(unpacked(block))
}

function packed(value: object): Uint8Array {
  return Bun.zstdCompressSync(JSON.stringify(value))
}

function unpacked(bytes: Uint8Array): string {
  return Bun.zstdDecompressSync(bytes).toString()
}

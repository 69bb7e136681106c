import type { Account, DataSlice } from '../../../src/core/solana/account.ts'
import { compareKeys } from '../../../src/core/solana/compare-keys.ts'
import { openRecordWriter } from '../../../src/core/solana/text/encodings.ts'

/** The accounts of one program, slot by slot, as a ledger would hold them. */
export type ScriptedLedger = {
  program: Uint8Array
  /** The newest confirmed slot. */
  readonly slot: number
  readonly finalSlot: number
  /** Slots that have a block. */
  blocks(): number[]
  /** Takes part in the next block. */
  put(pubkey: Uint8Array, data: Uint8Array, lamports?: bigint): void
  close(pubkey: Uint8Array): void
  /** Makes the next block, after so many slots without one. */
  mine(skipped?: number): void
  /** Takes the newest blocks back, as if they had been on another fork. */
  drop(count: number): void
  /** All accounts at the end of a slot, in the order of their keys; null where no block was. */
  at(slot: number): Account[] | null
  /** The accounts that changed in a block; null where one was closed. */
  changedIn(slot: number): readonly { pubkey: Uint8Array; account: Account | null }[]
  /** Told of each block. */
  onBlock(hear: (slot: number) => void): void
  timeAt(slot: number): bigint
}

type Block = {
  slot: number
  accounts: ReadonlyMap<string, Account>
  changed: { pubkey: Uint8Array; account: Account | null }[]
}

const FIRST_SLOT = 1_000
const RENT_EPOCH = 18_446_744_073_709_551_615n

export function scriptedLedger(program: Uint8Array, finalityBlocks = 6): ScriptedLedger {
  const first: Block = { slot: FIRST_SLOT, accounts: new Map(), changed: [] }
  let blocks: Block[] = [first]
  /** All blocks, dropped ones included: no slot is used twice. */
  const all = new Map([[FIRST_SLOT, first]])
  let pending = new Map<string, { pubkey: Uint8Array; account: Account | null }>()
  let nextSlot = FIRST_SLOT + 1
  const hearers: ((slot: number) => void)[] = []
  const newest = () => blocks.at(-1) as Block

  return {
    program,
    get slot() {
      return newest().slot
    },
    get finalSlot() {
      return (blocks.at(-1 - finalityBlocks) ?? (blocks[0] as Block)).slot
    },
    blocks: () => blocks.map(({ slot }) => slot),
    put(pubkey, data, lamports = 2_039_280n) {
      const account = {
        pubkey,
        owner: program,
        lamports,
        rentEpoch: RENT_EPOCH,
        executable: false,
        data,
      }
      pending.set(pubkey.toHex(), { pubkey, account })
    },
    close: (pubkey) => void pending.set(pubkey.toHex(), { pubkey, account: null }),
    mine(skipped = 0) {
      const accounts = new Map(newest().accounts)
      const changed = [...pending.values()]
      for (const { pubkey, account } of changed) {
        if (account) accounts.set(pubkey.toHex(), account)
        else accounts.delete(pubkey.toHex())
      }
      pending = new Map()
      const slot = nextSlot + skipped
      nextSlot = slot + 1
      const block = { slot, accounts, changed }
      blocks.push(block)
      all.set(slot, block)
      for (const hear of hearers) hear(slot)
    },
    drop(count) {
      blocks = blocks.slice(0, -count)
    },
    at(slot) {
      const block = all.get(slot)
      return block
        ? [...block.accounts.values()].sort((a, b) => compareKeys(a.pubkey, b.pubkey))
        : null
    },
    changedIn: (slot) => all.get(slot)?.changed ?? [],
    onBlock: (hear) => void hearers.push(hear),
    timeAt: (slot) => 1_700_000_000n + BigInt(slot),
  }
}

/** The records of these accounts as a node writes them. */
export function recordsOf(
  accounts: readonly Account[],
  dataSlice: DataSlice | null = null,
): string {
  const writer = openRecordWriter({ encoding: 'base64', dataSlice })
  for (const account of accounts) writer.write(account)
  return Buffer.from(writer.take()).toString()
}

/** The ledger's clock at a slot, as a notification shows it. */
export function clockText(slot: number, unixTimestamp: bigint): string {
  const data = new Uint8Array(40)
  const view = new DataView(data.buffer)
  view.setBigUint64(0, BigInt(slot), true)
  view.setBigInt64(32, unixTimestamp, true)
  const owner = 'Sysvar1111111111111111111111111111111111111'
  return `{"data":["${data.toBase64()}","base64"],"executable":false,"lamports":1,"owner":"${owner}","rentEpoch":${RENT_EPOCH},"space":40}`
}

export function newsText(
  subscription: number,
  slot: number,
  value: string,
  method: string,
): string {
  const result = `{"context":{"slot":${slot}},"value":${value}}`
  return `{"jsonrpc":"2.0","method":"${method}","params":{"result":${result},"subscription":${subscription}}}`
}

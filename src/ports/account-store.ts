import type {
  AccountEncoding,
  AccountFilter,
  DataSlice,
  SolanaError,
} from '../core/solana/account.ts'
import type { MintFacts } from '../core/solana/parsers/parse-helps.ts'

/** An account as it is after a slot, in the record that a node wrote in base64. */
export type AccountChange = { program: Uint8Array; slot: number; record: Uint8Array }

/** All accounts of a program that a node is about to tell, or only what is not their data. */
export type Scan = { program: Uint8Array; hasData: boolean }

export type ScanEnd =
  | { kind: 'whole'; slot: number; count: number }
  /** The node's own words. */
  | { kind: 'refused'; code: number; message: string }
  | { kind: 'unusable'; reason: string }

export type MergeStep = {
  /** Where to go on; null: it is done. */
  after: Uint8Array | null
  /** Accounts that were not known, or known to be otherwise. Without data they stay so. */
  differing: number
  closed: number
}

export type PageOrder = {
  program: Uint8Array
  /** The accounts as they were at the end of this slot. */
  slot: number
  after: Uint8Array | null
  order: 'asc' | 'desc'
  limit: number
  bytesMax: number
  /** One step takes about so much at most, if it has the choice. */
  stepBytesMax: number
  /** The page has records already; else its first one is given, however long it is. */
  hasRecords: boolean
  filters: readonly AccountFilter[]
  /** Only what changed after this slot, as far as that is known. */
  changedSinceSlot: number | null
  encoding: AccountEncoding
  dataSlice: DataSlice | null
  /** The ledger's time at that slot. */
  unixTimestamp: bigint
  mints: readonly KnownMint[]
}

/** A mint that is not in the store; null: it is none. */
export type KnownMint = { pubkey: Uint8Array; facts: MintFacts | null }

export type PageStep = {
  /** The records, joined by commas within a piece, not between pieces. */
  pieces: readonly Uint8Array[]
  count: number
  last: Uint8Array | null
  /** Whether others follow; else how far was looked, to go on from there. */
  more: boolean | { lookedTo: Uint8Array }
  /** Mints without which some records could not be written: this is not the answer then. */
  unknownMints: readonly Uint8Array[]
}

/**
 * Accounts of chosen programs, each with the slots it was so from and until. What is written
 * about one slot never changes what was read of an earlier one. Orders are obeyed in turn; what
 * takes long is done in steps, so that others get theirs in between.
 */
export interface AccountStore {
  keepOnly(programs: readonly Uint8Array[]): Promise<void>

  /** Begins anew on what is there: forgets what was so before, and what seems to be yet to come. */
  begin(program: Uint8Array, slot: number): Promise<void>

  /** The later of two changes of one account in one slot counts. Refuses what is no change. */
  apply(changes: readonly AccountChange[]): Promise<{ refused: number }>

  /** One scan at a time; a new one ends the one before. */
  startScan(scan: Scan): Promise<void>
  /**
   * The next bytes of the node's result, which change hands with all of their buffer. False when
   * no answer can come of them.
   */
  addToScan(bytes: Uint8Array<ArrayBuffer>): Promise<boolean>
  endScan(): Promise<ScanEnd>
  /** Makes what is held what the ended scan has seen in that slot, one step at a time. */
  merge(slot: number, after: Uint8Array | null): Promise<MergeStep>

  page(order: PageOrder): Promise<PageStep | SolanaError>

  /** Forgets what ended at this slot or before; false when there is more of that. */
  prune(program: Uint8Array, slot: number): Promise<boolean>

  /** Makes one look-up that callers ask for, if it is worth it; between other orders. */
  maintainLookups(): Promise<void>

  close(): Promise<void>
}

export interface AccountStores {
  open(name: string): Promise<AccountStore>
}

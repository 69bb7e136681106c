import type { LentMemory } from '../core/lent-memory.ts'
import type { SolanaError } from '../core/solana/account.ts'
import type {
  AccountChange,
  MergeStep,
  PageOrder,
  PageStep,
  Scan,
  ScanEnd,
} from '../ports/account-store.ts'
import type { AccountFile } from './account-store-file.ts'
import {
  dropLookup,
  fieldOf,
  LOOKUP_RULES,
  type LookupRules,
  type LookupWish,
  lookupsOf,
  makeLookup,
  openAccountLookups,
} from './account-store-lookups.ts'
import { readPage, type StoredProgram } from './account-store-pages.ts'
import type { RunRules } from './account-store-run-book.ts'
import { RUN_RULES } from './account-store-run-book.ts'
import { makeRuns } from './account-store-run-maker.ts'
import { canHaveRuns, readRunPage } from './account-store-run-pages.ts'
import { openRunWishes, type RunWish } from './account-store-run-wishes.ts'
import { openAccountScans } from './account-store-scan.ts'
import type { AccountTables } from './account-store-tables.ts'
import { applyChanges, beginAnew, keepOnly, pruneEnded } from './account-store-versions.ts'

/** What writes, in the thread it is opened in. */
export type AccountWriter = {
  /** Returns the numbers of those that are gone. */
  keepOnly(programs: readonly Uint8Array[]): number[]
  begin(program: Uint8Array, slot: number): void
  apply(changes: readonly AccountChange[]): { refused: number }
  startScan(scan: Scan): void
  addToScan(bytes: Uint8Array): boolean
  endScan(): ScanEnd
  merge(slot: number, after: Uint8Array | null): MergeStep
  prune(program: Uint8Array, slot: number): boolean
  /** Makes some of the runs that are wished for; returns where to go on, null when all is done. */
  makeRuns(wish: RunWish): Uint8Array | null
  makeLookup(name: string): void
  dropLookup(name: string): void
  close(): void
}

/** What reads what is committed, in the thread it is opened in. */
export type AccountReader = {
  page(order: PageOrder): PageStep | SolanaError
  runWishes(): RunWish[]
  lookupWish(): LookupWish | null
  noteMade(name: string): void
  noteDropped(name: string): void
  forget(programs: readonly number[]): void
  close(): void
}

export function openAccountWriter(tables: AccountTables): AccountWriter {
  const scans = openAccountScans(tables)
  return {
    keepOnly(programs) {
      const gone = keepOnly(tables, programs)
      for (const name of lookupsOf(tables)) {
        if (gone.includes(fieldOf(name).program)) dropLookup(tables, name)
      }
      return gone
    },
    begin: (program, slot) => beginAnew(tables, tables.programId(program), slot),
    apply: (changes) => ({ refused: applyChanges(tables, changes) }),
    startScan: scans.start,
    addToScan: scans.add,
    endScan: scans.end,
    merge: scans.merge,
    prune: (program, slot) => pruneEnded(tables, tables.programId(program), slot),
    makeRuns: (wish) => makeRuns(tables, wish),
    makeLookup: (name) => makeLookup(tables, name),
    dropLookup: (name) => dropLookup(tables, name),
    close: tables.close,
  }
}

export function openAccountReader(
  file: AccountFile,
  rules: { lookups?: LookupRules; runs?: RunRules } = {},
  memories: readonly LentMemory[] = [],
): AccountReader {
  const lookups = openAccountLookups(file, rules.lookups ?? LOOKUP_RULES)
  const wishes = openRunWishes(rules.runs ?? RUN_RULES)
  return {
    page(order) {
      const program = programOf(file, order.program)
      if (!program) return { bytes: new Uint8Array(), room: 0, count: 0, last: null, more: false }
      if (canHaveRuns(order)) return readRunPage(file, program, order, { wishes, memories })
      return readPage(file, program, order, lookups.find(program.id, order.filters))
    },
    runWishes: wishes.take,
    lookupWish: lookups.wish,
    noteMade: lookups.noteMade,
    noteDropped: lookups.noteDropped,
    forget(programs) {
      lookups.forget(programs)
      wishes.forget(programs)
    },
    close: file.close,
  }
}

function programOf(file: AccountFile, pubkey: Uint8Array): StoredProgram | null {
  const [row] = file.rows<{ id: bigint; bytes: bigint }>(
    'SELECT id, body_bytes_max AS bytes FROM programs WHERE pubkey = ?',
    pubkey,
  )
  return row ? { id: Number(row.id), bodyBytesMax: Number(row.bytes) } : null
}

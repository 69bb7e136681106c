import type { SolanaError } from '../core/solana/account.ts'
import type {
  AccountChange,
  MergeStep,
  PageOrder,
  PageStep,
  Scan,
  ScanEnd,
} from '../ports/account-store.ts'
import { LOOKUP_RULES, type LookupRules, openAccountLookups } from './account-store-lookups.ts'
import { readPage } from './account-store-pages.ts'
import { openAccountScans } from './account-store-scan.ts'
import { openAccountTables } from './account-store-tables.ts'
import { applyChanges, beginAnew, keepOnly, pruneEnded } from './account-store-versions.ts'

/** The store in the thread it is opened in; the port has each of these with a promise. */
export type AccountEngine = {
  keepOnly(programs: readonly Uint8Array[]): void
  begin(program: Uint8Array, slot: number): void
  apply(changes: readonly AccountChange[]): { refused: number }
  startScan(scan: Scan): void
  addToScan(bytes: Uint8Array): boolean
  endScan(): ScanEnd
  merge(slot: number, after: Uint8Array | null): MergeStep
  page(order: PageOrder): PageStep | SolanaError
  prune(program: Uint8Array, slot: number): boolean
  tend(): void
  close(): void
}

export function openAccountEngine(path: string, rules: LookupRules = LOOKUP_RULES): AccountEngine {
  const tables = openAccountTables(path)
  const scans = openAccountScans(tables)
  const lookups = openAccountLookups(tables, rules)
  return {
    keepOnly(programs) {
      for (const id of keepOnly(tables, programs)) lookups.forget(id)
    },
    begin: (program, slot) => beginAnew(tables, tables.programId(program), slot),
    apply: (changes) => ({ refused: applyChanges(tables, changes) }),
    startScan: scans.start,
    addToScan: scans.add,
    endScan: scans.end,
    merge: scans.merge,
    page(order) {
      const id = tables.programId(order.program)
      return readPage(tables, id, order, lookups.find(id, order.filters))
    },
    prune: (program, slot) => pruneEnded(tables, tables.programId(program), slot),
    tend: lookups.tend,
    close: tables.close,
  }
}

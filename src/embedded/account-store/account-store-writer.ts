import type { AccountChange, MergeStep, Scan, ScanEnd } from '../../ports/account-store.ts'
import { dropLookup, fieldOf, lookupsOf, makeLookup } from './account-store-lookups.ts'
import { openAccountScans } from './account-store-scan.ts'
import type { AccountTables } from './account-store-tables.ts'
import { applyChanges, beginAnew, keepOnly, pruneEnded } from './account-store-versions.ts'

/** The functions that write, in the thread it is opened in. */
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
  makeLookup(name: string): void
  dropLookup(name: string): void
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
    makeLookup: (name) => makeLookup(tables, name),
    dropLookup: (name) => dropLookup(tables, name),
    close: tables.close,
  }
}

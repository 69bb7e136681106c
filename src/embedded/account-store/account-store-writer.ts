import type { AccountChange } from '../../ports/account-store.ts'
import { dropLookup, fieldOf, lookupsOf, makeLookup } from './account-store-lookups.ts'
import { openAccountScans } from './account-store-scan.ts'
import type { AccountTables } from './account-store-tables.ts'
import { applyChanges, beginAnew, keepOnly, pruneEnded } from './account-store-versions.ts'

export type AccountWriter = ReturnType<typeof openAccountWriter>

export function openAccountWriter(tables: AccountTables) {
  const scans = openAccountScans(tables)
  return {
    /** Returns the numbers of those that are gone. */
    keepOnly(programs: readonly Uint8Array[]): number[] {
      const gone = keepOnly(tables, programs)
      for (const name of lookupsOf(tables)) {
        if (gone.includes(fieldOf(name).program)) dropLookup(tables, name)
      }
      return gone
    },
    begin: (program: Uint8Array, slot: number) =>
      beginAnew(tables, tables.programId(program), slot),
    apply: (changes: readonly AccountChange[]) => ({ refused: applyChanges(tables, changes) }),
    startScan: scans.start,
    addToScan: scans.add,
    endScan: scans.end,
    merge: scans.merge,
    prune: (program: Uint8Array, slot: number) =>
      pruneEnded(tables, tables.programId(program), slot),
    makeLookup: (name: string) => makeLookup(tables, name),
    dropLookup: (name: string) => dropLookup(tables, name),
    close: tables.close,
  }
}

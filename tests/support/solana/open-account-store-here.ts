import { type StoreThread, storeOver } from '../../../src/embedded/account-store/account-store.ts'
import type { LookupRules } from '../../../src/embedded/account-store/account-store-lookups.ts'
import { openAccountReader } from '../../../src/embedded/account-store/account-store-reader.ts'
import { openAccountTables } from '../../../src/embedded/account-store/account-store-tables.ts'
import { openAccountWriter } from '../../../src/embedded/account-store/account-store-writer.ts'
import type { AccountStore } from '../../../src/ports/account-store.ts'

/** The store of accounts in this thread, over one connection. */
export function openAccountStoreHere(path = ':memory:', rules?: LookupRules): AccountStore {
  const tables = openAccountTables(path)
  return storeOver(
    calledHere(openAccountWriter(tables)),
    calledHere({ ...openAccountReader(tables, rules), close: () => {} }),
  )
}

/** Functions of this thread, called like functions of another thread. */
function calledHere<Offered extends { close(): void }>(offered: Offered) {
  const call = async (name: keyof Offered, args: readonly unknown[]) =>
    (offered[name] as (...args: readonly unknown[]) => unknown)(...args)
  return { call, close: async () => offered.close() } as StoreThread<
    Offered & Record<string, never>
  >
}

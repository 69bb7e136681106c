import { join } from 'node:path'
import type { AccountStore, AccountStores } from '../../ports/account-store.ts'
import type { LookupRules } from './account-store-lookups.ts'
import { type AccountReader, openAccountReader } from './account-store-reader.ts'
import { openAccountTables } from './account-store-tables.ts'
import { type AccountStoreThread, startAccountStoreThread } from './account-store-thread.ts'
import { type AccountWriter, openAccountWriter } from './account-store-writer.ts'

/** A file for each network in this folder, each with threads of its own. */
export function openAccountStores(folder: string): AccountStores {
  return { open: (name) => openAccountStore(join(folder, `accounts-${name}.sqlite`)) }
}

/**
 * Opens the file in two threads: one that writes, and one that reads what is committed, so that
 * no page waits for a scan.
 */
export async function openAccountStore(path: string): Promise<AccountStore> {
  const writer = await startAccountStoreThread<AccountWriter>('openWriter', path)
  try {
    const reader = await startAccountStoreThread<AccountReader>('openReader', path)
    return storeOver(writer, reader)
  } catch (thrown) {
    await writer.close()
    throw thrown
  }
}

/** The same in this thread, over one connection, for tests. */
export function openAccountStoreHere(path = ':memory:', rules?: LookupRules): AccountStore {
  const tables = openAccountTables(path)
  return storeOver(
    calledHere(openAccountWriter(tables)),
    calledHere({ ...openAccountReader(tables, rules), close: () => {} }),
  )
}

function storeOver(
  writer: AccountStoreThread<AccountWriter>,
  reader: AccountStoreThread<AccountReader>,
): AccountStore {
  let closed: Promise<void> | null = null
  return {
    async keepOnly(programs) {
      await reader.call('forget', [await writer.call('keepOnly', [programs])])
    },
    begin: (program, slot) => writer.call('begin', [program, slot]),
    apply: (changes) => writer.call('apply', [changes]),
    startScan: (scan) => writer.call('startScan', [scan]),
    addToScan: (bytes) => writer.call('addToScan', [bytes], [bytes.buffer]),
    endScan: () => writer.call('endScan', []),
    merge: (slot, after) => writer.call('merge', [slot, after]),
    page: (order) => reader.call('page', [order]),
    prune: (program, slot) => writer.call('prune', [program, slot]),
    async maintainLookups() {
      const change = await reader.call('nextLookupChange', [])
      if (change === null) return
      if (change.drop !== null) {
        // Nobody reads by way of it from here on.
        await reader.call('noteDropped', [change.drop])
        await writer.call('dropLookup', [change.drop])
      }
      await writer.call('makeLookup', [change.make])
      await reader.call('noteMade', [change.make])
    },
    async close() {
      closed ??= reader.close().finally(() => writer.close())
      return closed
    },
  }
}

/** Functions of this thread, called as those of another are. */
function calledHere<Offered extends { close(): void }>(offered: Offered) {
  const call = async (name: keyof Offered, args: readonly unknown[]) =>
    (offered[name] as (...args: readonly unknown[]) => unknown)(...args)
  return { call, close: async () => offered.close() } as AccountStoreThread<
    Offered & Record<string, never>
  >
}

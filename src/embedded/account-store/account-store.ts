import { join } from 'node:path'
import type { AccountStore, AccountStores } from '../../ports/account-store.ts'
import type { LookupRules } from './account-store-lookups.ts'
import { type AccountReader, openAccountReader } from './account-store-reader.ts'
import { openAccountTables } from './account-store-tables.ts'
import { type EngineThread, startEngineThread } from './account-store-thread.ts'
import { type AccountWriter, openAccountWriter } from './account-store-writer.ts'
import type { RunRules } from './runs/account-store-run-book.ts'
import type { RunWish } from './runs/account-store-run-wishes.ts'

/** Each takes some milliseconds of the writer's time, and others get their turn in between. */
const RUN_STEPS_MAX = 100
/** What was asked for longest ago is forgotten first. */
const WISHES_MAX = 256

/** A file for each network in this folder, each with threads of its own. */
export function openAccountStores(folder: string): AccountStores {
  return { open: (name) => openAccountStore(join(folder, `accounts-${name}.sqlite`)) }
}

/**
 * Opens the file in two threads: one that writes, and one that reads what is committed, so that
 * no page waits for a scan.
 */
export async function openAccountStore(path: string): Promise<AccountStore> {
  const writer = await startEngineThread<AccountWriter>('openWriter', path)
  try {
    const reader = await startEngineThread<AccountReader>('openReader', path)
    return storeOver(writer, reader)
  } catch (thrown) {
    await writer.close()
    throw thrown
  }
}

/** The same in this thread, over one connection, for tests. */
export function openAccountStoreHere(
  path = ':memory:',
  rules: { lookups?: LookupRules; runs?: RunRules } = {},
): AccountStore {
  const tables = openAccountTables(path, rules.runs)
  return storeOver(
    engineHere(openAccountWriter(tables)),
    engineHere({ ...openAccountReader(tables, rules), close: () => {} }),
  )
}

function storeOver(
  writer: EngineThread<AccountWriter>,
  reader: EngineThread<AccountReader>,
): AccountStore {
  let closed: Promise<void> | null = null
  const wished: RunWish[] = []
  return {
    async keepOnly(programs) {
      await reader.ask('forget', [await writer.ask('keepOnly', [programs])])
    },
    begin: (program, slot) => writer.ask('begin', [program, slot]),
    apply: (changes) => writer.ask('apply', [changes]),
    startScan: (scan) => writer.ask('startScan', [scan]),
    addToScan: (bytes) => writer.ask('addToScan', [bytes], [bytes.buffer]),
    endScan: () => writer.ask('endScan', []),
    merge: (slot, after) => writer.ask('merge', [slot, after]),
    page: (order) => reader.ask('page', [order]),
    prune: (program, slot) => writer.ask('prune', [program, slot]),
    async tend() {
      const wish = await reader.ask('lookupWish', [])
      if (wish === null) return
      if (wish.drop !== null) {
        // Nobody reads by way of it from here on.
        await reader.ask('noteDropped', [wish.drop])
        await writer.ask('dropLookup', [wish.drop])
      }
      await writer.ask('makeLookup', [wish.make])
      await reader.ask('noteMade', [wish.make])
    },
    async makeRuns() {
      wished.push(...(await reader.ask('runWishes', [])))
      wished.splice(0, wished.length - WISHES_MAX)
      for (let steps = 0; steps < RUN_STEPS_MAX; steps++) {
        // Taken out first, so that one that fails is not tried for ever.
        const wish = wished.shift()
        if (!wish) return
        const after = await writer.ask('makeRuns', [wish])
        if (after !== null) wished.unshift({ ...wish, after })
      }
    },
    async close() {
      closed ??= reader.close().finally(() => writer.close())
      return closed
    },
  }
}

/** An engine of this thread as if it were elsewhere. */
function engineHere<Engine extends { close(): void }>(engine: Engine): EngineThread<Engine> {
  const works = engine as Record<string, (...args: readonly unknown[]) => unknown>
  const ask = async (name: string, args: readonly unknown[]) => works[name]?.(...args)
  return { ask: ask as EngineThread<Engine>['ask'], close: async () => engine.close() }
}

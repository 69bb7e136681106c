import { join } from 'node:path'
import { Failure } from '../../core/errors.ts'
import type { AccountStore, AccountStores } from '../../ports/account-store.ts'
import {
  openThreadCalls,
  type ThreadCalls,
  ThreadFault,
} from '../../ports/driver-parts/thread-calls.ts'
import type { AccountReader } from './account-store-reader.ts'
import type { AccountWriter } from './account-store-writer.ts'

// biome-ignore lint/suspicious/noExplicitAny: each function has arguments of its own.
type Functions = Record<string, (...args: any[]) => unknown>

/** A reader or a writer in another thread, with a promise for each of its functions. */
export type StoreThread<Offered extends Functions> = {
  call: ThreadCalls<Offered>['call']
  close(): Promise<void>
}

/** A file for each network in this folder, each with threads of its own. */
export function openAccountStores(folder: string): AccountStores {
  return { open: (name) => openAccountStore(join(folder, `accounts-${name}.sqlite`)) }
}

/** One thread writes and one reads what is committed, so that no page waits for a scan. */
export async function openAccountStore(path: string): Promise<AccountStore> {
  const writer = await startThread<AccountWriter>('openWriter', path)
  try {
    const reader = await startThread<AccountReader>('openReader', path)
    return storeOver(writer, reader)
  } catch (thrown) {
    await writer.close()
    throw thrown
  }
}

export function storeOver(
  writer: StoreThread<AccountWriter>,
  reader: StoreThread<AccountReader>,
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

/** Starts a thread and opens the file there. The thread's faults come as Failures. */
async function startThread<Offered extends Functions>(
  open: 'openWriter' | 'openReader',
  path: string,
): Promise<StoreThread<Offered>> {
  const worker = new Worker(new URL('./account-store-worker.ts', import.meta.url).href)
  const { call: callThread, close, end } = openThreadCalls<Functions>(worker, { grouped: false })
  const call = (name: string, args: unknown[], transfer?: readonly ArrayBuffer[]) =>
    callThread(name, args, transfer).catch(fail)
  try {
    await call(open, [path])
  } catch (thrown) {
    end()
    throw thrown
  }
  return {
    call: call as ThreadCalls<Offered>['call'],
    close: () => close().catch(fail),
  }
}

function fail(thrown: unknown): never {
  if (!(thrown instanceof ThreadFault)) throw thrown
  const { code, message } = thrown
  throw new Failure('database_unavailable', { code, message })
}

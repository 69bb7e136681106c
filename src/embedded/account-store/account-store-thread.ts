import { Failure } from '../../core/errors.ts'
import { openThreadCalls, type ThreadCalls, ThreadFault } from '../thread-calls.ts'

// biome-ignore lint/suspicious/noExplicitAny: each function has arguments of its own.
type Functions = Record<string, (...args: any[]) => unknown>

/** A reader or a writer in another thread, with a promise for each of its functions. */
export type AccountStoreThread<Offered extends Functions> = {
  call: ThreadCalls<Offered>['call']
  close(): Promise<void>
}

/** Starts a thread and opens the file there. The thread's faults come as Failures. */
export async function startAccountStoreThread<Offered extends Functions>(
  open: 'openWriter' | 'openReader',
  path: string,
): Promise<AccountStoreThread<Offered>> {
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

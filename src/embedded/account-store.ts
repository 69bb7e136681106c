import { join } from 'node:path'
import { Failure } from '../core/errors.ts'
import type { AccountStore, AccountStores } from '../ports/account-store.ts'
import { type AccountEngine, openAccountEngine } from './account-store-engine.ts'
import type { LookupRules } from './account-store-lookups.ts'

export type AccountOrder = {
  id: number
  name: 'open' | keyof AccountEngine
  args: readonly unknown[]
}

export type AccountAnswer = {
  id: number
  value: unknown
  fault: { message: string; code: string } | null
}

type Waiting = { resolve(value: unknown): void; reject(error: Error): void }

/** How an engine is told what to do. */
type Ask = <Name extends keyof AccountEngine>(
  name: Name,
  args: Parameters<AccountEngine[Name]>,
  handOver?: ArrayBuffer[],
) => Promise<ReturnType<AccountEngine[Name]>>

/** A file for each network in this folder, each with a thread of its own. */
export function openAccountStores(folder: string): AccountStores {
  return { open: (name) => openAccountStore(join(folder, `accounts-${name}.sqlite`)) }
}

/** Opens the file in a thread of its own. */
export async function openAccountStore(path: string): Promise<AccountStore> {
  const worker = new Worker(new URL('./account-store-worker.ts', import.meta.url).href)
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let isOver = false

  worker.onmessage = ({ data }: MessageEvent<AccountAnswer>) => {
    const one = waiting.get(data.id)
    waiting.delete(data.id)
    if (data.fault) one?.reject(unavailable(data.fault.code, data.fault.message))
    else one?.resolve(data.value)
  }
  worker.onerror = () => {
    isOver = true
    for (const one of waiting.values()) one.reject(unavailable('thread_ended', ''))
    waiting.clear()
  }

  const order = (name: AccountOrder['name'], args: readonly unknown[], handOver: ArrayBuffer[]) =>
    new Promise<unknown>((resolve, reject) => {
      if (isOver) return reject(unavailable('closed', ''))
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      worker.postMessage({ id, name, args } satisfies AccountOrder, handOver)
    })

  try {
    await order('open', [path], [])
  } catch (thrown) {
    worker.terminate()
    throw thrown
  }
  const ask = ((name, args, handOver = []) => order(name, args, handOver)) as Ask
  return storeOver(ask, () => {
    isOver = true
    worker.terminate()
  })
}

/** The same in this thread and in memory, for tests. */
export function openAccountStoreHere(path = ':memory:', rules?: LookupRules): AccountStore {
  const engine = openAccountEngine(path, rules)
  const ask = (async (name: keyof AccountEngine, args: readonly unknown[]) =>
    (engine[name] as (...values: readonly unknown[]) => unknown)(...args)) as Ask
  return storeOver(ask, () => {})
}

function storeOver(ask: Ask, end: () => void): AccountStore {
  let closed: Promise<void> | null = null
  return {
    keepOnly: (programs) => ask('keepOnly', [programs]),
    begin: (program, slot) => ask('begin', [program, slot]),
    apply: (changes) => ask('apply', [changes]),
    startScan: (scan) => ask('startScan', [scan]),
    addToScan: (bytes) => ask('addToScan', [bytes], [bytes.buffer]),
    endScan: () => ask('endScan', []),
    merge: (slot, after) => ask('merge', [slot, after]),
    page: (order) => ask('page', [order]),
    prune: (program, slot) => ask('prune', [program, slot]),
    tend: () => ask('tend', []),
    async close() {
      closed ??= ask('close', []).finally(end)
      return closed
    },
  }
}

function unavailable(code: string, message: string): Failure {
  return new Failure('database_unavailable', { code, message })
}

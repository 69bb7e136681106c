import type { AccountAnswer, AccountOrder } from './account-store.ts'
import { type AccountEngine, openAccountEngine } from './account-store-engine.ts'

declare const self: Worker

let engine: AccountEngine | null = null

/** Runs in a thread of its own: pages are read, filtered and written without holding up others. */
self.onmessage = ({ data }: MessageEvent<AccountOrder>) => {
  const answer: AccountAnswer = { id: data.id, value: undefined, fault: null }
  try {
    answer.value = obey(data)
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
    answer.fault = { message: thrown instanceof Error ? thrown.message : '', code }
  }
  self.postMessage(answer, buffersOf(answer.value))
}

function obey({ name, args }: AccountOrder): unknown {
  if (name === 'open') {
    engine = openAccountEngine(args[0] as string)
    return undefined
  }
  if (engine === null) throw new Error('the store is opened before it is used')
  const work = engine[name] as (...values: readonly unknown[]) => unknown
  return work(...args)
}

/** The bytes of a page change hands instead of being copied. */
function buffersOf(value: unknown): ArrayBuffer[] {
  const bytes = (value as { bytes?: unknown } | undefined)?.bytes
  return bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []
}

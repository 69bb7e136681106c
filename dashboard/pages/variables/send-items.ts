import { ApiError, callApi } from '../../api/call-api.ts'
import { type ItemKind, openItemReader } from './read-items.ts'

export type ItemsChange = {
  name: string
  /** What the variable holds; null where the items say it. */
  kind: ItemKind | null
  how: 'add' | 'delete'
}

export type SendProgress = { bytesRead: number; bytesTotal: number; sent: number }

type Watch = { signal: AbortSignal; onProgress(progress: SendProgress): void }

/** As many as one call takes. */
const CALL_ITEMS_MAX = 10_000

/** A service that is busy is asked again so often before the rest is given up. */
const WAITS_MAX = 20
const WAIT_MS = 1_000

/**
 * Adds the items of a text or a file to a variable, or takes them away. It is read piece by piece,
 * and the next piece only once the items of the last are sent: so memory stays as it is.
 */
export async function sendItems(
  source: Blob,
  change: ItemsChange,
  watch: Watch,
): Promise<SendProgress> {
  const reader = openItemReader(change.kind)
  const state = { bytesRead: 0, sent: 0 }
  const waiting: string[] = []
  const told = () => ({ ...state, bytesTotal: source.size })
  const sendBatch = async () => {
    const items = [...new Set(waiting.splice(0, CALL_ITEMS_MAX))]
    await patiently(() => sendCall(change, items, watch.signal), watch.signal)
    state.sent += items.length
    watch.onProgress(told())
  }

  const pieces = source.stream().getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await pieces.read()
      watch.signal.throwIfAborted()
      state.bytesRead += value?.length ?? 0
      const items = reader.push(decoder.decode(value, { stream: !done }))
      for (const item of done ? [...items, ...reader.finish()] : items) waiting.push(item)
      while (waiting.length >= CALL_ITEMS_MAX) await sendBatch()
      watch.onProgress(told())
      if (done) break
    }
    if (waiting.length > 0) await sendBatch()
  } finally {
    await pieces.cancel().catch(() => {})
  }
  return told()
}

async function sendCall(
  { name, how }: ItemsChange,
  items: string[],
  signal: AbortSignal,
): Promise<void> {
  const parameters = { name }
  if (how === 'add') await callApi('addVariableItems', { parameters, body: { items }, signal })
  else await callApi('changeVariableItems', { parameters, body: { delete: items }, signal })
}

/** Tries again when the service asks to wait. */
async function patiently(call: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let waits = 0; ; waits++) {
    try {
      return await call()
    } catch (thrown) {
      const isBusy = thrown instanceof ApiError && thrown.status === 429
      if (!isBusy || waits === WAITS_MAX) throw thrown
      await pause(Math.max(WAIT_MS, thrown.retryAfterS * 1000), signal)
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}

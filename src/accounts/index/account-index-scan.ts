import type { Account } from '../../core/solana/account.ts'
import { encodeKey } from '../../core/solana/base58.ts'
import type { AccountStore, Scan, ScanEnd } from '../../ports/account-store.ts'
import type { Clock } from '../../ports/clock.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import type { Reply } from '../../upstream/node/rpc-client.ts'
import type { Upstream } from '../../upstream/node/upstream.ts'
import { followedUpstreams, pick, TIER_MAX } from '../../upstream/pool/selection.ts'

type ScanEnds = { clock: Clock; store: AccountStore; service: NetworkService }

export type ScanRequest = {
  program: Account['owner']
  hasData: boolean
  slotMin: number
  signal: AbortSignal
}

/** A large program takes a node minutes; nobody waits for this but us. */
const BEGIN_MS_MAX = 600_000
const IDLE_MS_MAX = 60_000

const PIECE_BYTES = 256 * 1024

/**
 * Has a node tell all accounts of a program, or all but their data, and the store take them in.
 * Beside the pool: it takes longer than any caller would wait, and failing says little of a node.
 */
export async function scanProgram(
  { clock, store, service }: ScanEnds,
  request: ScanRequest,
  tried: Upstream[],
): Promise<ScanEnd> {
  const { program, hasData, signal } = request
  const upstream = nextUpstream(service, request, tried)
  if (upstream === null) return { kind: 'unusable', reason: 'no_upstream' }
  const reply = await ask(clock, upstream, request)
  if (reply.kind === 'failed') return { kind: 'unusable', reason: reply.reason }
  if (reply.kind === 'error') return { kind: 'refused', code: reply.code, message: reply.message }
  if (reply.kind === 'error_stream') {
    reply.stream.cancel().catch(() => {})
    return { kind: 'refused', code: reply.code, message: '' }
  }

  await startScan(store, { program, hasData }, reply)
  const pieces = openPieces(store)
  if (reply.kind === 'result') await pieces.add(new TextEncoder().encode(reply.text))
  else if (!(await readAll(clock, reply.stream, signal, pieces.add))) {
    await store.endScan()
    return { kind: 'unusable', reason: signal.aborted ? 'stopped' : 'broke_off' }
  }
  await pieces.flush()
  return store.endScan()
}

async function startScan(store: AccountStore, scan: Scan, reply: Reply): Promise<void> {
  try {
    await store.startScan(scan)
  } catch (thrown) {
    // Unread and not given up, it would hold its connection for ever.
    if (reply.kind === 'stream') reply.stream.cancel().catch(() => {})
    throw thrown
  }
}

function nextUpstream(
  { pool }: NetworkService,
  { slotMin }: ScanRequest,
  tried: Upstream[],
): Upstream | null {
  const request = { method: 'getProgramAccounts', atHead: false, heightMin: slotMin, heavy: true }
  const found = pick(pool.selection, request, tried, TIER_MAX.good)
  if (found === null) tried.length = 0
  // Calls may have taken out all of them; whoever answers polls is asked all the same.
  const again = found ?? pick(pool.selection, request, [], TIER_MAX.good)
  const upstream = again ?? followedUpstreams(pool.selection)[0] ?? null
  if (upstream) tried.push(upstream)
  return upstream
}

async function ask(clock: Clock, upstream: Upstream, request: ScanRequest): Promise<Reply> {
  const { program, hasData, slotMin, signal } = request
  const slice = hasData ? '' : ',"dataSlice":{"offset":0,"length":0}'
  const config = `"encoding":"base64","commitment":"confirmed","withContext":true${slice}`
  const params = `["${encodeKey(program)}",{${config},"minContextSlot":${slotMin}}]`
  const { promise, resolve } = Promise.withResolvers<Reply>()
  const cancel = upstream.client.call('getProgramAccounts', params, true, resolve)
  const stopTimer = clock.after(BEGIN_MS_MAX, cancel)
  signal.addEventListener('abort', cancel)
  const reply = await promise
  signal.removeEventListener('abort', cancel)
  stopTimer()
  return reply
}

/** False when the stream broke, or nobody wants the rest. */
async function readAll(
  clock: Clock,
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  add: (bytes: Uint8Array) => Promise<boolean>,
): Promise<boolean> {
  const reader = stream.getReader()
  const giveUp = () => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', giveUp)
  let isLate = false
  try {
    for (;;) {
      const stopTimer = clock.after(IDLE_MS_MAX, () => {
        isLate = true
        giveUp()
      })
      const { done, value } = await reader.read().finally(stopTimer)
      if (done) return !signal.aborted && !isLate
      // The store says at the end what is wrong with it.
      if (!(await add(value))) return true
    }
  } catch {
    return false
  } finally {
    signal.removeEventListener('abort', giveUp)
    // However it went: a store that fails leaves more to be read.
    giveUp()
  }
}

/** Gathers what comes in small pieces: to wake a thread costs more than to copy them. */
function openPieces(store: AccountStore) {
  let held: Uint8Array[] = []
  let bytes = 0

  const flush = async (): Promise<boolean> => {
    const piece = new Uint8Array(bytes)
    let at = 0
    for (const part of held) {
      piece.set(part, at)
      at += part.length
    }
    held = []
    bytes = 0
    return store.addToScan(piece)
  }

  return {
    flush,
    async add(part: Uint8Array): Promise<boolean> {
      held.push(part)
      bytes += part.length
      return bytes < PIECE_BYTES || flush()
    },
  }
}

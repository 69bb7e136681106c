import { quantityToNumber } from '../../core/hex.ts'
import type { Network } from '../../core/network.ts'
import {
  type CachePolicy,
  cachePolicy,
  type HeadView,
  heightWanted,
  policyForResult,
} from '../../core/rpc/cache-policy.ts'
import type { Method, MethodRegistry } from '../../core/rpc/method-registry.ts'
import type { HeadFeed } from '../heads/head-feed.ts'
import type { PoolAnswer, PoolCall, UpstreamPool } from '../pool/routed-request.ts'
import type { AnswerCaches } from './answer-caches.ts'
import { collectStream } from './collect-stream.ts'
import { type FilterOwner, serveFilter, watchesBlocks } from './filters.ts'
import { followHead, headGet, headSet, noteHeightSeen, startEpoch } from './head-cache.ts'
import type { Kept } from './response-cache.ts'
import { sendTransaction } from './send-transaction.ts'

/** Everything that answers for one network. */
export type NetworkService = AnswerCaches & {
  network: Network
  methods: MethodRegistry
  pool: UpstreamPool
  /** The heads that upstreams announce, as they come. */
  heads: HeadFeed
  /** Sends a call alone, to whichever upstream answers. */
  request: Transport
  /** Asks the upstreams for their heads at once. */
  pollNow(): void
}

export type CacheWord = 'hit' | 'miss' | 'coalesced'

export type Asked = { reply: PoolAnswer['reply']; upstream: string; cache: CacheWord }

export type Question = {
  of: Method
  params: readonly unknown[]
  paramsText: string
  /** Who asks; needed for filters alone. */
  owner: FilterOwner | null
  trace: PoolCall['trace']
  /** Who asks, as far as places for big answers go. */
  share?: string | undefined
}

/** How a call reaches an upstream: alone, or as a member of a batch. */
export type Transport = (call: PoolCall) => Promise<PoolAnswer>

/** Of an answer that is streamed, so much is gathered beside it in order to be kept. */
const COLLECTED_BYTES_MAX = 512 * 1024

/** A head is good for caching only while somebody keeps reporting it. */
const HEAD_AGE_POLLS = 2
const HEAD_AGE_MS_MIN = 1000

/**
 * Answers from what is kept, from a like call under way, or from an upstream. Hot path: what is
 * kept needs no promise.
 */
export function askNetwork(
  service: NetworkService,
  question: Question,
  transport: Transport,
): Asked | Promise<Asked> {
  const { of, params, paramsText } = question
  const nowMs = service.pool.clock.monotonicMs()
  const head = freshHead(service, nowMs)
  const headKeeps = followHead(service.atHead, head, nowMs)
  const keep = cachePolicy(of, params, head)
  if (of.safety !== 'read') return askUnsafe(service, question, transport)

  const key = of.name + paramsText
  const kept = findKept(service, keep, key, headKeeps, nowMs)
  if (!kept) {
    const keeping = { key, keep, epoch: service.atHead.epoch, head, headKeeps }
    return askOnce(service, question, transport, keeping, nowMs)
  }
  const reply = { kind: 'result' as const, text: kept.text, value: undefined }
  return { reply, upstream: kept.upstream, cache: 'hit' }
}

/** Those who ask the same at the same time share one answer. */
async function askOnce(
  service: NetworkService,
  question: Question,
  transport: Transport,
  keeping: Keeping,
  nowMs: number,
): Promise<Asked> {
  const { key, keep, epoch, head } = keeping
  const joined = service.flights.join(key, epoch, nowMs)
  if (joined) {
    const shared = await joined
    // A stream can be drunk once; whoever came second asks for another.
    if (!('stream' in shared.reply)) return { ...shared, cache: 'coalesced' }
  }
  const call = toPoolCall(question, keep)
  const flight = service.flights.lead(key, epoch, () => transport(call), nowMs)
  let answer: PoolAnswer
  try {
    answer = await flight
  } finally {
    service.flights.land(key, flight)
  }
  noteShown(service, question, answer.reply, head)
  keepAnswer(service, keeping, answer)
  return { reply: answer.reply, upstream: answer.upstream, cache: 'miss' }
}

async function askUnsafe(
  service: NetworkService,
  question: Question,
  transport: Transport,
): Promise<Asked> {
  const { of } = question
  const call = toPoolCall(question, 'never')
  if (of.safety === 'filter') {
    const answer = await serveFilter(service.pool, call, question.owner)
    noteShown(service, question, answer.reply, service.pool.selection.head)
    return { ...answer, cache: 'miss' }
  }
  startEpoch(service.atHead)
  const answer =
    of.safety === 'idempotent'
      ? await sendTransaction(service.pool, service.methods, call)
      : await transport(call)
  startEpoch(service.atHead)
  return { ...answer, cache: 'miss' }
}

function toPoolCall(question: Question, keep: CachePolicy): PoolCall {
  const { of, params, paramsText, trace } = question
  return {
    method: of.name,
    of,
    params,
    paramsText,
    trace,
    atHead: keep === 'head' || of.depends === 'head' || of.depends === 'uncacheable',
    heightMin: heightWanted(of, params),
    heavy: of.heavy,
    share: question.share,
  }
}

function findKept(
  service: NetworkService,
  keep: CachePolicy,
  key: string,
  headKeeps: boolean,
  nowMs: number,
): Kept | undefined {
  if (keep === 'never') return undefined
  if (keep === 'head') return headKeeps ? headGet(service.atHead, key, nowMs) : undefined
  const kept = service.forever.get(key)
  if (kept || keep !== 'immutable_if_final' || !headKeeps) return kept
  return headGet(service.atHead, key, nowMs)
}

type Keeping = {
  key: string
  keep: CachePolicy
  epoch: number
  head: HeadView | null
  headKeeps: boolean
}

function keepAnswer(service: NetworkService, keeping: Keeping, answer: PoolAnswer): void {
  const { reply, upstream } = answer
  if (reply.kind === 'stream' && keeping.keep !== 'never') {
    reply.stream = collectStream(reply.stream, COLLECTED_BYTES_MAX, (text) => {
      const value = parsed(text)
      if (value !== undefined) keepResult(service, keeping, { text, value }, upstream)
    })
  }
  if (reply.kind === 'result') keepResult(service, keeping, reply, upstream)
}

/** Passing by, only its brackets were looked at; what is kept must be JSON to the last token. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function keepResult(
  service: NetworkService,
  keeping: Keeping,
  reply: { text: string; value: unknown },
  upstream: string,
): void {
  const { key, keep, epoch, head } = keeping
  const now = policyForResult(keep, reply.value, head)
  if (now === 'immutable') {
    service.forever.set(key, { text: reply.text, upstream })
    return
  }
  // Only an upstream that stands at this very head speaks for it, and only if it did not move.
  if (now !== 'head' || !keeping.headKeeps || epoch !== service.atHead.epoch) return
  const speaker = service.pool.selection.upstreams.find((one) => one.spec.name === upstream)
  if (speaker?.head?.hash !== head?.hash) return
  headSet(service.atHead, key, { text: reply.text, upstream }, service.pool.clock.monotonicMs())
}

function isNews(service: NetworkService, height: number, head: HeadView | null): boolean {
  return noteHeightSeen(service.atHead, height, head, service.pool.clock.monotonicMs())
}

/** Whoever was shown a new block must not be given older state after it. */
function noteShown(
  service: NetworkService,
  { of, params }: Question,
  reply: PoolAnswer['reply'],
  head: HeadView | null,
): void {
  if (reply.kind === 'stream') {
    // What passes by unread may speak of any block, so nothing older is shown after it.
    startEpoch(service.atHead)
    service.pollNow()
  }
  if (reply.kind !== 'result') return
  const { value } = reply
  const height = of.name === 'eth_blockNumber' ? quantityToNumber(value) : heightIn(value)
  if (height !== null && isNews(service, height, head)) service.pollNow()

  // A filter of blocks shows hashes, which do not say how high they are.
  if (of.safety !== 'filter' || !Array.isArray(value) || !watchesBlocks(params[0])) return
  if (value.length === 0 || value.at(-1) === head?.hash) return
  startEpoch(service.atHead)
  service.pollNow()
}

/** The height an answer speaks of: a block, a transaction, a receipt, or the last of its logs. */
function heightIn(value: unknown): number | null {
  const spoken: unknown = Array.isArray(value) ? value.at(-1) : value
  if (typeof spoken !== 'object' || spoken === null) return null
  const { blockNumber, number } = spoken as Record<string, unknown>
  return quantityToNumber(blockNumber ?? number)
}

function freshHead(service: NetworkService, nowMs: number): HeadView | null {
  const { selection, network } = service.pool
  const { head } = selection
  if (head === null) return null
  const ageMsMax = network.headPollMs * HEAD_AGE_POLLS + HEAD_AGE_MS_MIN
  for (const upstream of selection.upstreams) {
    const reported = upstream.head
    if (reported?.hash === head.hash && nowMs - reported.reportedAtMs <= ageMsMax) return head
  }
  return null
}

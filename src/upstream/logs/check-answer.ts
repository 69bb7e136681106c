import { Failure } from '../../core/errors.ts'
import type { LogPiece } from '../../core/logs/log-filter.ts'
import { keepLogs, type LogList, missingIn, readLogList } from '../../core/logs/log-list.ts'
import type { HeadView } from '../../core/rpc/cache-policy.ts'
import type { Upstream } from '../node/upstream.ts'
import type { PoolAnswer, PoolCall } from '../pool/routed-request.ts'
import { requestFrom } from '../pool/upstream-pool.ts'
import { checkLogs } from './check-logs.ts'
import { evidenceIn, linkedHeaders } from './linked-headers.ts'
import { newLogReading, otherUpstream, settledHeight } from './log-reading.ts'
import { type LogService, noteShort, recordOf, upstreamNamed } from './log-service.ts'

/** Nodes answer early with nothing about the last blocks: the headers of so many are looked at. */
const NEW_BLOCKS = 16

/** After headers could not be had, they are not asked for in every call. */
const NO_HEADERS_MS = 1000

/** Answers of an upstream that another one has to confirm before fewer are compared. */
const CONFIRMED_MIN = 8
/** One in so many is compared afterwards. */
const COMPARED_EVERY = 32

/**
 * Checks the answer of a node to a whole call, where there is another to compare it with; null
 * when they differ so that it has to be read in pieces. About old blocks the first answers of
 * each upstream are compared, and later ones now and then; new ones without logs are held
 * against the blooms of their headers.
 */
export async function checkAnswer(
  service: LogService,
  call: PoolCall,
  piece: LogPiece,
  head: HeadView,
  answer: PoolAnswer,
): Promise<PoolAnswer | null> {
  const { reply } = answer
  if (reply.kind !== 'result' || !Array.isArray(reply.value)) return answer
  const upstream = upstreamNamed(service, answer.upstream)
  const other = upstream ? otherUpstream(service, call.share, piece, upstream) : null
  if (!upstream || !other) return answer
  const settled = settledHeight(head)
  if (piece.from <= settled && noteDue(service, upstream)) {
    const list = readLogList(reply.text, reply.value, piece)
    return list ? compared({ service, call, piece, head }, answer, list) : answer
  }
  const newest = Math.max(piece.from, head.number - NEW_BLOCKS + 1)
  if (piece.to < newest) return answer
  const list = readLogList(reply.text, reply.value, piece)
  return list ? checkNewest({ service, call, piece, head }, answer, list, other) : answer
}

/** True when the answer of an upstream is one to be compared. */
function noteDue({ logReads, pool }: LogService, upstream: Upstream): boolean {
  const record = recordOf(logReads, upstream)
  record.unchecked++
  const isSuspect = record.suspectUntilMs > pool.clock.monotonicMs()
  if (!isSuspect && record.confirmed >= CONFIRMED_MIN && record.unchecked < COMPARED_EVERY) {
    return false
  }
  record.unchecked = 0
  record.confirmed++
  return true
}

type Checking = { service: LogService; call: PoolCall; piece: LogPiece; head: HeadView }

/** Compares the part about old blocks; about new ones, upstreams may differ for a while. */
async function compared(
  { service, call, piece, head }: Checking,
  answer: PoolAnswer,
  list: LogList,
): Promise<PoolAnswer | null> {
  const settled = settledHeight(head)
  const old = { ...piece, to: Math.min(piece.to, settled) }
  const told = keepLogs(list, ({ block }) => block <= settled)
  const reading = newLogReading(service, call, piece, head, old.to - old.from + 1)
  const checked = await checkLogs(reading, old, told, answer.upstream)
  if (!checked) return null
  if (checked.list === told) return answer
  // It was wrong about old blocks, and what it says of new ones was not compared.
  if (piece.to > settled) return null
  const text = `[${checked.list.text}]`
  return { ...answer, reply: { kind: 'result', text, value: JSON.parse(text) } }
}

async function checkNewest(
  checking: Checking,
  answer: PoolAnswer,
  list: LogList,
  other: Upstream,
): Promise<PoolAnswer> {
  const { service, call, piece } = checking
  const { checkedBlocks } = service.logReads
  const upstream = upstreamNamed(service, answer.upstream)
  // A node cannot know of blocks that it has not got.
  const isBehind = (upstream?.head?.number ?? 0) < piece.to
  const doubtful = await blocksInDoubt(checking, list)
  if (doubtful.length === 0 && !isBehind) return answer
  const second = await secondAnswer(service, call, other)
  if (second === null) return answer
  const { reply } = second
  const said = reply.kind === 'result' ? readLogList(reply.text, reply.value, piece) : null
  if (reply.kind === 'result' && !said) return answer
  if (said && missingIn(list, said).length <= missingIn(said, list).length) {
    for (const key of doubtful) checkedBlocks.set(key, true)
    return answer
  }
  if (upstream) noteShort(service, upstream, piece)
  return second
}

/** New blocks that gave no logs though their blooms hint at some, and nobody has confirmed that. */
async function blocksInDoubt(
  { service, piece, head }: Checking,
  { marks }: LogList,
): Promise<string[]> {
  const lowest = Math.max(piece.from, head.number - NEW_BLOCKS + 1)
  const { logReads, pool } = service
  if (logReads.noHeadersUntilMs > pool.clock.monotonicMs()) return []
  const headers = await linkedHeaders(service, head, lowest)
  if (!headers) {
    logReads.noHeadersUntilMs = pool.clock.monotonicMs() + NO_HEADERS_MS
    return []
  }
  const filled = new Set(marks.map(({ block }) => block))
  const { addresses, topics } = piece
  const filter = Bun.hash(JSON.stringify([addresses, topics]))
  return headers
    .filter(({ number }) => number <= piece.to && !filled.has(number))
    .filter((header) => evidenceIn(service, piece, header) === 'perhaps')
    .map(({ hash }) => `${hash} ${filter}`)
    .filter((key) => logReads.checkedBlocks.get(key) === undefined)
}

/** The answer of another upstream; null when it could not say. */
async function secondAnswer(
  { pool }: LogService,
  call: PoolCall,
  other: Upstream,
): Promise<PoolAnswer | null> {
  try {
    const answer = await requestFrom(pool, other, call)
    const { reply } = answer
    if (reply.kind === 'error_stream') await reply.stream.cancel()
    return reply.kind === 'result' || reply.kind === 'stream' ? answer : null
  } catch (thrown) {
    if (thrown instanceof Failure) return null
    throw thrown
  }
}

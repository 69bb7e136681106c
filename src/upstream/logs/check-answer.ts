import { Failure } from '../../core/errors.ts'
import type { LogPiece } from '../../core/logs/log-filter.ts'
import { keepLogs, type LogList, mergeLogLists, readLogList } from '../../core/logs/log-list.ts'
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

/** Answers of an upstream that another one has to confirm before fewer are compared. */
const CONFIRMED_MIN = 8
/** One in so many is compared afterwards. */
const COMPARED_EVERY = 32

/**
 * Checks the answer of a node to a whole call, where there is another to compare it with; null
 * when they differ so that it has to be read in pieces. About old blocks the first answers of
 * each upstream are compared, and later ones now and then; about new ones an empty answer is
 * held against the blooms of their headers.
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
  if (reply.value.length > 0 || piece.to <= settled) return answer
  if (!(await mayBeEarly(service, piece, head, upstream))) return answer
  const second = await secondAnswer(service, call, other)
  if (second === null) return answer
  noteShort(service, upstream, piece)
  return second
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
  const added = keepLogs(list, ({ block }) => block > settled)
  const text = `[${mergeLogLists([checked.list, added]).text}]`
  return { ...answer, reply: { kind: 'result', text, value: JSON.parse(text) } }
}

/** It cannot know of blocks that it has not got, or the blooms of new ones hint at logs. */
async function mayBeEarly(
  service: LogService,
  piece: LogPiece,
  head: HeadView,
  upstream: Upstream,
): Promise<boolean> {
  if ((upstream.head?.number ?? 0) < piece.to) return true
  const newest = Math.max(0, head.number - NEW_BLOCKS + 1)
  if (piece.to < newest) return false
  const headers = await linkedHeaders(service, head, Math.max(piece.from, newest))
  return (headers ?? []).some(
    (header) => header.number <= piece.to && evidenceIn(service, piece, header) === 'perhaps',
  )
}

/** The answer of another upstream, if it has logs; null when it has none or could not say. */
async function secondAnswer(
  { pool }: LogService,
  call: PoolCall,
  other: Upstream,
): Promise<PoolAnswer | null> {
  try {
    const answer = await requestFrom(pool, other, call)
    const { reply } = answer
    if (reply.kind === 'stream') return answer
    if (reply.kind === 'error_stream') await reply.stream.cancel()
    const isList = reply.kind === 'result' && Array.isArray(reply.value)
    return isList && (reply.value as unknown[]).length > 0 ? answer : null
  } catch (thrown) {
    if (thrown instanceof Failure) return null
    throw thrown
  }
}

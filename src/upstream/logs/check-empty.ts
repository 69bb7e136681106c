import { quirksOf } from '../../core/chain/quirks.ts'
import { Failure } from '../../core/errors.ts'
import { evidenceOf } from '../../core/logs/log-evidence.ts'
import type { LogPiece } from '../../core/logs/log-filter.ts'
import type { HeadView } from '../../core/rpc/cache-policy.ts'
import type { Upstream } from '../node/upstream.ts'
import type { PoolAnswer, PoolCall } from '../pool/routed-request.ts'
import { requestFrom } from '../pool/upstream-pool.ts'
import { chainTo } from './chain-headers.ts'
import { otherUpstream } from './log-reading.ts'
import { type LogService, noteShort, recordOf, upstreamNamed } from './log-service.ts'

/** Nodes answer early with nothing about the last blocks: the headers of so many are looked at. */
const NEW_BLOCKS = 16

/** Empty answers that another upstream has to confirm before one is believed more often. */
const CONFIRMED_MIN = 8
/** One in so many is compared afterwards. */
const COMPARED_EVERY = 16

/**
 * The answer of a node to a whole call; an empty one is checked. About the newest blocks their
 * headers' blooms decide whether another upstream is asked, about older ones the record of
 * this one. An answer with logs costs nothing here.
 */
export async function checkEmpty(
  service: LogService,
  call: PoolCall,
  piece: LogPiece,
  head: HeadView,
  answer: PoolAnswer,
): Promise<PoolAnswer> {
  const { reply } = answer
  const isEmpty = reply.kind === 'result' && Array.isArray(reply.value) && reply.value.length === 0
  const upstream = isEmpty ? upstreamNamed(service, answer.upstream) : null
  const other = upstream ? otherUpstream(service, call.share, piece, upstream) : null
  if (!upstream || !other || !(await isDoubtful(service, piece, head, upstream))) return answer
  const second = await secondAnswer(service, call, other)
  const record = recordOf(service.logReads, upstream)
  record.unchecked = 0
  if (second === 'none') record.confirmed++
  if (typeof second === 'string') return answer
  noteShort(service, upstream, piece)
  return second
}

async function isDoubtful(
  service: LogService,
  piece: LogPiece,
  head: HeadView,
  upstream: Upstream,
): Promise<boolean> {
  // It cannot know of blocks that it has not got.
  if ((upstream.head?.number ?? 0) < piece.to) return true
  const record = recordOf(service.logReads, upstream)
  record.unchecked++
  if (record.suspectUntilMs > service.pool.clock.monotonicMs()) return true
  const newest = Math.max(0, head.number - NEW_BLOCKS + 1)
  if (piece.to >= newest && (await mayHoldNew(service, piece, head, newest))) return true
  if (piece.from >= newest) return false
  return record.confirmed < CONFIRMED_MIN || record.unchecked >= COMPARED_EVERY
}

/** The blooms of the newest blocks say that there may be logs. */
async function mayHoldNew(
  service: LogService,
  piece: LogPiece,
  head: HeadView,
  newest: number,
): Promise<boolean> {
  const headers = await chainTo(service, head, Math.max(piece.from, newest))
  const { bloomMayBeZero } = quirksOf(service.network.chainId)
  return (headers ?? []).some(
    ({ number, bloom }) =>
      number <= piece.to &&
      evidenceOf(bloom, piece, service.bloomBits, bloomMayBeZero) === 'perhaps',
  )
}

/** An answer with logs; `none`: there are none there either, `unknown`: it could not say. */
async function secondAnswer(
  { pool }: LogService,
  call: PoolCall,
  other: Upstream,
): Promise<PoolAnswer | 'none' | 'unknown'> {
  try {
    const answer = await requestFrom(pool, other, call)
    const { reply } = answer
    if (reply.kind === 'stream') return answer
    if (reply.kind === 'error_stream') await reply.stream.cancel()
    if (reply.kind !== 'result' || !Array.isArray(reply.value)) return 'unknown'
    return reply.value.length === 0 ? 'none' : answer
  } catch (thrown) {
    if (thrown instanceof Failure) return 'unknown'
    throw thrown
  }
}

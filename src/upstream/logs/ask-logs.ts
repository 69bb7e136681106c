import { Failure } from '../../core/errors.ts'
import {
  type BlockRange,
  type LogFilter,
  parseLogFilter,
  rangeOf,
} from '../../core/logs/log-filter.ts'
import { type LogRefusal, logRefusal } from '../../core/logs/log-refusal.ts'
import { blocksIn } from '../../core/logs/split-piece.ts'
import type { HeadView } from '../../core/rpc/cache-policy.ts'
import type { PoolAnswer, PoolCall, UpstreamPool } from '../pool/routed-request.ts'
import { learnFrom, refusalIn } from './ask-for-logs.ts'
import { checkAnswer } from './check-answer.ts'
import { headerAt } from './linked-headers.ts'
import { logAnswer } from './log-answer.ts'
import { LogError, newLogReading, refusedHere } from './log-reading.ts'
import { type LogService, longestSpan } from './log-service.ts'

type Transport = (pool: UpstreamPool, call: PoolCall) => Promise<PoolAnswer>

/** The blocks of one call that is asked for in pieces, unless configuration says otherwise. */
const BLOCKS_MAX = 1_000_000

/** Where nodes take few blocks at once, a call has this many pieces at most. */
const PIECES_MAX = 1000

/**
 * Answers eth_getLogs. A node is asked for all at once, unless none takes so many blocks; when it
 * refuses, the range is read in pieces. What is no plain filter by range is passed on as it is.
 */
export async function askLogs(
  service: LogService,
  call: PoolCall,
  head: HeadView | null,
  transport: Transport,
): Promise<PoolAnswer> {
  const filter = parseLogFilter(call.params)
  const range = filter && head ? rangeOf(filter, head, head.number) : null
  if (!filter || !head || !range) return transport(service.pool, call)
  const blocks = blocksIn(range)
  const longest = longestSpan(service)
  if (blocks > longest) return askInPieces(service, call, filter, head, longest)

  const direct = { ...call, logBlocks: blocks, heardError: learnFrom(service, blocks) }
  let refusal: LogRefusal | null
  try {
    const answer = await transport(service.pool, direct)
    const { reply } = answer
    refusal = reply.kind === 'error' ? logRefusal(reply, blocks) : null
    if (!refusal) {
      const piece = { ...filter, ...range }
      const checked = await checkAnswer(service, call, piece, head, answer)
      if (checked) return checked
    } else if (blocks === 1 && !hasAlternatives(filter)) return answer
  } catch (thrown) {
    refusal = thrown instanceof Failure ? refusalIn(thrown) : null
    if (!refusal || blocks === 1) throw thrown
  }
  return askInPieces(service, call, filter, head, firstSpan(blocks, refusal))
}

function hasAlternatives({ addresses, topics }: LogFilter): boolean {
  return [addresses, ...topics].some((keys) => keys !== null && keys.length > 1)
}

/** A range that was refused is not asked for again as a whole. */
function firstSpan(blocks: number, refusal: LogRefusal | null): number {
  if (refusal?.blocks) return refusal.blocks
  return refusal?.kind === 'keys' ? blocks : Math.max(1, Math.ceil(blocks / 2))
}

async function askInPieces(
  service: LogService,
  call: PoolCall,
  filter: LogFilter,
  head: HeadView,
  span: number,
): Promise<PoolAnswer> {
  const needsSafe = filter.from === 'safe' || filter.to === 'safe'
  const safe = needsSafe ? await headerAt(service, head, 'safe') : null
  const range = rangeOf(filter, head, safe?.number ?? null)
  if (!range) throw new Failure('upstream_answered_badly', { reason: 'no safe block' })
  const { logBlocksMax = BLOCKS_MAX } = service.network
  const blocksMax = Math.min(logBlocksMax, longestSpan(service) * PIECES_MAX)
  if (blocksIn(range) > blocksMax) return tooManyBlocks(range, blocksMax)

  const place = await service.logReads.places.take(call.share ?? '')
  try {
    return await logAnswer(newLogReading(service, call, filter, head, span), range, place)
  } catch (thrown) {
    place.release()
    if (!(thrown instanceof LogError)) throw thrown
    return { reply: thrown.error, upstream: thrown.upstream, unclearBefore: false }
  }
}

function tooManyBlocks(range: BlockRange, blocksMax: number): PoolAnswer {
  const { from, to } = range
  const { error, upstream } = refusedHere(
    `eth_getLogs: blocks ${from} to ${to} are ${blocksIn(range)}, ` +
      `and no node takes them at once; at most ${blocksMax} are put together of pieces.`,
  )
  return { reply: error, upstream, unclearBefore: false }
}

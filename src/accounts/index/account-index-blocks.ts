import { Failure } from '../../core/errors.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import type { PoolAnswer } from '../../upstream/pool/routed-request.ts'
import { requestAny } from '../../upstream/pool/upstream-pool.ts'

/** Blocks that a node gives in one answer at most. */
const RANGE_MAX = 500_000

/** The slots from `from` to `to` with a block at that commitment; null when no node answers. */
export async function readBlocks(
  service: NetworkService,
  from: number,
  to: number,
  commitment: 'confirmed' | 'finalized',
): Promise<number[] | null> {
  if (to - from >= RANGE_MAX) return null
  const answer = await askForBlocks(service, from, to, commitment).catch(unanswered)
  const value = answer?.reply.kind === 'result' ? answer.reply.value : null
  if (!Array.isArray(value)) return null
  const isBlock = (slot: unknown) => Number.isSafeInteger(slot) && Number(slot) >= from
  return value.every(isBlock) ? value.toSorted((a, b) => a - b) : null
}

function askForBlocks(
  service: NetworkService,
  from: number,
  to: number,
  commitment: 'confirmed' | 'finalized',
): Promise<PoolAnswer> {
  return requestAny(service.pool, {
    method: 'getBlocks',
    of: service.methods.find('getBlocks'),
    params: [],
    paramsText: `[${from},${to},{"commitment":"${commitment}"}]`,
    atHead: true,
    heightMin: commitment === 'confirmed' ? to : null,
    whole: true,
  })
}

function unanswered(thrown: unknown): null {
  if (!(thrown instanceof Failure)) throw thrown
  return null
}

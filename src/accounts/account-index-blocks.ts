import type { NetworkService } from '../upstream/ask-network.ts'

/** Blocks that a node gives in one answer at most. */
const RANGE_MAX = 500_000

/**
 * The slots from `from` to `to` that have a block, as one node sees them with that commitment.
 * Null when it gives none of use; throws a Failure when no node answers.
 */
export async function readBlocks(
  service: NetworkService,
  from: number,
  to: number,
  commitment: 'confirmed' | 'finalized',
): Promise<number[] | null> {
  if (to - from >= RANGE_MAX) return null
  const { reply } = await service.request({
    method: 'getBlocks',
    of: service.book.find('getBlocks'),
    params: [],
    paramsText: `[${from},${to},{"commitment":"${commitment}"}]`,
    atHead: true,
    heightMin: commitment === 'confirmed' ? to : null,
    whole: true,
  })
  if (reply.kind !== 'result' || !Array.isArray(reply.value)) return null
  const slots = reply.value.filter((slot) => Number.isSafeInteger(slot) && slot >= from)
  return slots.length === reply.value.length ? slots : null
}

import type { NodeProbe } from '../nodes/node-probe.ts'
import type { Bound } from './upstream-facts.ts'

/** A batch is tried up to here, whatever is configured: vendors bill every call in it. */
const BATCH_CALLS_MAX = 200

/** Tries the configured size, then twice as much, or halves until one is accepted. */
export async function probeBatch(
  node: NodeProbe,
  method: string,
  batchMax: number,
): Promise<Bound | null> {
  const accepts = async (size: number) => (await node.askBatch(method, size)) === size
  const first = Math.min(BATCH_CALLS_MAX, batchMax === 0 ? 10 : batchMax)
  if (await accepts(first)) {
    const twice = Math.min(BATCH_CALLS_MAX, first * 2)
    if (twice === first) return { accepted: first, refused: null }
    const isTwice = await accepts(twice)
    return isTwice ? { accepted: twice, refused: null } : { accepted: first, refused: twice }
  }
  let refused = first
  for (let size = Math.floor(first / 2); size >= 1; size = Math.floor(size / 2)) {
    if (await accepts(size)) return { accepted: size, refused }
    refused = size
  }
  return { accepted: 0, refused }
}

import { readUpTo } from '../../core/async/read-up-to.ts'
import type { Semaphore } from '../../core/async/semaphore.ts'
import type { NodeError, NodeResult } from '../../core/rpc/node-reply.ts'
import type { PoolAnswer } from '../pool/routed-request.ts'

/** An answer must be held whole in order to be compared, so there is a limit to that. */
const COMPARED_BYTES_MAX = 4 * 1024 * 1024

/** An answer as it can be compared; null for one that is too large or no JSON. */
export async function collectAnswer(
  large: Semaphore,
  { reply }: PoolAnswer,
): Promise<NodeResult | NodeError | null> {
  if (!('stream' in reply)) return reply
  const release = await large.acquire()
  try {
    const bytes = release && (await readUpTo(reply.stream, COMPARED_BYTES_MAX))
    if (!bytes) return null
    const text = bytes.toString('utf8')
    const value: unknown = JSON.parse(text)
    if (reply.kind === 'stream') return { kind: 'result', text, value }
    return { kind: 'error', text, code: reply.code, message: '' }
  } catch {
    // It broke off on the way, or is no JSON.
    return null
  } finally {
    release?.()
    reply.stream.cancel().catch(() => {})
  }
}

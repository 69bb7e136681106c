import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { openBatchSender } from '../../upstream/pool/batch-sender.ts'

/** A light read of our own. */
export type OwnRead = { method: string; params: readonly string[] }

/** The results of many reads, in as few batches as upstreams take; undefined where none came. */
export async function askEach(
  { pool, methods }: Pick<NetworkService, 'pool' | 'methods'>,
  reads: readonly OwnRead[],
): Promise<unknown[]> {
  const batch = openBatchSender(pool)
  const asked = reads.map(({ method, params }) =>
    batch.add({
      method,
      of: methods.find(method),
      params,
      paramsText: JSON.stringify(params),
      atHead: true,
      heightMin: null,
    }),
  )
  batch.flush()
  const answers = await Promise.allSettled(asked)
  return answers.map((answer) => {
    if (answer.status === 'rejected') return undefined
    const { reply } = answer.value
    if ('stream' in reply) reply.stream.cancel().catch(() => {})
    return reply.kind === 'result' ? reply.value : undefined
  })
}

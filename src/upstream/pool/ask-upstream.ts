import { assert } from '../../core/errors.ts'
import type { MethodRegistry } from '../../core/rpc/method-registry.ts'
import type { NodeError } from '../../core/rpc/node-reply.ts'
import type { Upstream } from '../node/upstream.ts'
import type { UpstreamPool } from './routed-request.ts'
import { requestFrom } from './upstream-pool.ts'

/**
 * The result of a call of our own at one upstream, read whole however long it is. Throws a
 * Failure when there is no usable answer.
 */
export async function askUpstream(
  { pool, methods }: { pool: UpstreamPool; methods: MethodRegistry },
  upstream: Upstream,
  method: string,
  params: readonly unknown[],
): Promise<{ kind: 'result'; value: unknown } | NodeError> {
  const { reply } = await requestFrom(pool, upstream, {
    method,
    of: methods.find(method),
    params,
    paramsText: JSON.stringify(params),
    atHead: false,
    heightMin: null,
    whole: true,
  })
  assert(!('stream' in reply), 'an answer that is read whole is no stream')
  return reply
}

import { assert } from '../../core/errors.ts'
import type { MethodRegistry } from '../../core/rpc/method-registry.ts'
import type { NodeError } from '../../core/rpc/node-reply.ts'
import type { Upstream } from '../node/upstream.ts'
import type { UpstreamPool } from './routed-request.ts'
import { requestFrom } from './upstream-pool.ts'

type Service = { pool: UpstreamPool; methods: MethodRegistry }

export type RpcResult = { kind: 'result'; value: unknown } | NodeError

/**
 * The result of a call of our own at one upstream, read whole however long it is. Throws a
 * Failure when there is no usable answer.
 */
export async function askUpstream(
  { pool, methods }: Service,
  upstream: Upstream,
  method: string,
  params: readonly unknown[],
): Promise<RpcResult> {
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

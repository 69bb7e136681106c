import { assert } from '../../core/errors.ts'
import type { MethodRegistry } from '../../core/rpc/method-registry.ts'
import type { NodeError } from '../../core/rpc/node-reply.ts'
import type { Upstream } from '../node/upstream.ts'
import type { PoolCall, UpstreamPool } from './routed-request.ts'
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
  const call = ownCall(methods, method, params, { whole: true })
  const { reply } = await requestFrom(pool, upstream, call)
  assert(!('stream' in reply), 'an answer that is read whole is no stream')
  return reply
}

/** A call of our own, which no client made. */
export function ownCall(
  methods: MethodRegistry,
  method: string,
  params: readonly unknown[],
  more: Partial<PoolCall> = {},
): PoolCall {
  const call = { method, of: methods.find(method), params, paramsText: JSON.stringify(params) }
  return { ...call, atHead: false, heightMin: null, ...more }
}

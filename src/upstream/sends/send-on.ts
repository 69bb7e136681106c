import { Failure } from '../../core/errors.ts'
import { judgeError } from '../../core/rpc/error-classes.ts'
import type { MethodRegistry } from '../../core/rpc/method-registry.ts'
import type { Upstream } from '../node/upstream.ts'
import type { PoolAnswer, PoolCall, UpstreamPool } from '../pool/routed-request.ts'
import { requestFrom } from '../pool/upstream-pool.ts'
import { isRelayed, nextTarget } from './send-targets.ts'
import { sendTransaction } from './send-transaction.ts'

export type SendService = {
  pool: UpstreamPool
  methods: MethodRegistry
}

export function sendOn(
  service: SendService,
  call: PoolCall,
  transport: (call: PoolCall) => Promise<PoolAnswer>,
): Promise<PoolAnswer> {
  if (call.of.safety === 'idempotent') return sendTransaction(service, call)
  return isRelayed(service.pool, call.of) ? sendToRelay(service.pool, call) : transport(call)
}

/** No hash makes a second one harmless, so another relay is asked only for want of the method. */
async function sendToRelay(pool: UpstreamPool, call: PoolCall): Promise<PoolAnswer> {
  const tried: Upstream[] = []
  let unsupported: PoolAnswer | null = null
  for (;;) {
    const relay = nextTarget(pool, call, tried)
    if (!relay && unsupported) return unsupported
    if (!relay) throw new Failure('upstream_unreachable')
    tried.push(relay)
    const answer = await requestFrom(pool, relay, call)
    const { reply } = answer
    if (reply.kind !== 'error') return answer
    if (judgeError(pool.network.kind, reply, call).class !== 'unsupported') return answer
    unsupported = answer
  }
}

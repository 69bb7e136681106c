import { Failure } from '../../core/errors.ts'
import { judgeError, saysAlreadyKnown, saysNonceTooLow } from '../../core/rpc/error-classes.ts'
import type { MethodRegistry } from '../../core/rpc/method-registry.ts'
import { transactionHash } from '../../core/rpc/transaction-hash.ts'
import type { Upstream } from '../node/upstream.ts'
import { ownCall } from '../pool/ask-upstream.ts'
import type { PoolAnswer, PoolCall, UpstreamPool } from '../pool/routed-request.ts'
import { requestAny, requestFrom } from '../pool/upstream-pool.ts'
import { broadcast } from './broadcast.ts'
import { isRelayed, nextTarget } from './send-targets.ts'

export type SendService = { pool: UpstreamPool; methods: MethodRegistry }

export function sendOn(
  service: SendService,
  call: PoolCall,
  transport: (pool: UpstreamPool, call: PoolCall) => Promise<PoolAnswer>,
): Promise<PoolAnswer> {
  if (call.of.safety === 'idempotent') return sendTransaction(service, call)
  const { pool } = service
  return isRelayed(pool, call.of) ? sendToRelay(pool, call) : transport(pool, call)
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

/**
 * Sends a signed transaction: to one node, to several at once, or to the private relays alone
 * where the network has any. Its hash names it, so it cannot happen twice, and a node's complaint
 * about one that it has already is turned back into success.
 */
async function sendTransaction(service: SendService, call: PoolCall): Promise<PoolAnswer> {
  const { pool } = service
  const hash = transactionHash(call.params[0])
  const width = pool.network.broadcast ?? 1
  if (width > 1 || pool.relays.length > 0) {
    const settle = (answer: PoolAnswer) => successIfKnown(service, answer, hash)
    return broadcast(pool, call, width, settle)
  }
  const answer = await requestAny(pool, call)
  // A second node was asked because the first gave no clear answer.
  return answer.unclearBefore ? successIfKnown(service, answer, hash) : answer
}

async function successIfKnown(
  service: SendService,
  answer: PoolAnswer,
  hash: string | null,
): Promise<PoolAnswer> {
  const { reply } = answer
  if (hash === null || reply.kind !== 'error') return answer
  const sent: PoolAnswer = { ...answer, reply: { kind: 'result', text: `"${hash}"`, value: hash } }
  if (saysAlreadyKnown(reply.message)) return sent
  if (!saysNonceTooLow(reply.message)) return answer
  return (await isKnown(service, hash)) ? sent : answer
}

/** A node has the very transaction, be it in a block or in its pool. */
async function isKnown({ pool, methods }: SendService, hash: string): Promise<boolean> {
  const found = await requestAny(pool, ownCall(methods, 'eth_getTransactionByHash', [hash]))
  return found.reply.kind === 'result' && found.reply.value !== null
}

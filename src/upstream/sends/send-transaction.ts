import { saysAlreadyKnown, saysNonceTooLow } from '../../core/rpc/error-classes.ts'
import type { MethodRegistry } from '../../core/rpc/method-registry.ts'
import { transactionHash } from '../../core/rpc/transaction-hash.ts'
import type { PoolAnswer, PoolCall, UpstreamPool } from '../pool/routed-request.ts'
import { requestAny } from '../pool/upstream-pool.ts'
import { broadcast } from './broadcast.ts'

type Service = { pool: UpstreamPool; methods: MethodRegistry }

/**
 * Sends a signed transaction: to one node, to several at once, or to the private relays alone
 * where the network has any. Its hash names it, so it cannot happen twice, and a node's complaint
 * about one that it has already is turned back into success.
 */
export function sendTransaction(service: Service, call: PoolCall): Promise<PoolAnswer> {
  const { pool } = service
  const hash = transactionHash(call.params[0])
  const width = pool.network.broadcast ?? 1
  if (width > 1 || pool.relays.length > 0) {
    const settle = (answer: PoolAnswer) => successIfKnown(service, answer, hash)
    return broadcast({ pool, settle }, call, width)
  }
  return sendToOne(service, call, hash)
}

/** To a second node too when the first gave no clear answer. */
async function sendToOne(
  service: Service,
  call: PoolCall,
  hash: string | null,
): Promise<PoolAnswer> {
  const answer = await requestAny(service.pool, call)
  return answer.unclearBefore ? successIfKnown(service, answer, hash) : answer
}

async function successIfKnown(
  service: Service,
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
async function isKnown({ pool, methods }: Service, hash: string): Promise<boolean> {
  const found = await requestAny(pool, {
    method: 'eth_getTransactionByHash',
    of: methods.find('eth_getTransactionByHash'),
    params: [hash],
    paramsText: `["${hash}"]`,
    atHead: false,
    heightMin: null,
  })
  return found.reply.kind === 'result' && found.reply.value !== null
}

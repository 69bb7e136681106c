import { saysAlreadyKnown, saysNonceTooLow } from '../../core/rpc/error-classes.ts'
import type { MethodRegistry } from '../../core/rpc/method-registry.ts'
import { transactionHash } from '../../core/rpc/transaction-hash.ts'
import type { PoolAnswer, PoolCall, UpstreamPool } from '../pool/routed-request.ts'
import { requestAny } from '../pool/upstream-pool.ts'

/**
 * Sends a signed transaction, to a second node too when the first gave no clear
 * answer: its hash names it, so it cannot happen twice. The second node's complaint about
 * a transaction that had landed is turned back into success.
 */
export async function sendTransaction(
  pool: UpstreamPool,
  methods: MethodRegistry,
  call: PoolCall,
): Promise<PoolAnswer> {
  const answer = await requestAny(pool, call)
  if (!answer.unclearBefore || answer.reply.kind !== 'error') return answer
  const hash = transactionHash(call.params[0])
  if (hash === null) return answer

  const sent: PoolAnswer = {
    ...answer,
    reply: { kind: 'result', text: `"${hash}"`, value: hash },
  }
  if (saysAlreadyKnown(answer.reply.message)) return sent
  if (!saysNonceTooLow(answer.reply.message)) return answer

  const found = await requestAny(pool, {
    method: 'eth_getTransactionByHash',
    of: methods.find('eth_getTransactionByHash'),
    params: [hash],
    paramsText: `["${hash}"]`,
    atHead: false,
    heightMin: null,
  })
  const known = found.reply.kind === 'result' && found.reply.value !== null
  return known ? sent : answer
}

import type { Network, QuorumRule } from '../../network.ts'
import { matchesMethod } from '../method-access.ts'
import type { Method } from '../method-registry.ts'

/**
 * The rule for a read; null where one upstream is enough. Some answers are of the moment, so that
 * honest nodes give different ones, and no vote can tell who is right: heights, prices of gas and
 * whatever is said of the pending block.
 */
export function quorumRule(
  { kind, quorum }: Pick<Network, 'kind' | 'quorum'>,
  { name, safety, depends }: Method,
  params: readonly unknown[],
): QuorumRule | null {
  if (quorum === undefined || safety !== 'read') return null
  if (!matchesMethod(quorum.methods, name)) return null
  const isOfTheMoment = depends === 'head' || (kind === 'evm' && saysPending(params))
  return isOfTheMoment ? null : quorum
}

function saysPending(params: readonly unknown[]): boolean {
  return params.some((param) => {
    if (typeof param !== 'object' || param === null) return param === 'pending'
    const { fromBlock, toBlock, blockNumber } = param as Record<string, unknown>
    return [fromBlock, toBlock, blockNumber].includes('pending')
  })
}

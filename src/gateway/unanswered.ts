import { Failure, Rejection } from '../core/errors.ts'

/** The refusal of a call that no node answered. What is no failure of the world is thrown on. */
export function unanswered(networkId: string, thrown: unknown): Rejection {
  if (!(thrown instanceof Failure)) throw thrown
  if (thrown.code === 'upstream_timed_out') {
    return new Rejection('upstream_timeout', `No ${networkId} node answered in time.`)
  }
  if (thrown.code === 'upstream_disagreed') {
    return new Rejection('upstream_failed', disagreement(networkId, thrown.facts.reason))
  }
  return new Rejection('upstream_failed', `No ${networkId} node could answer; please try again.`)
}

function disagreement(networkId: string, reason: unknown): string {
  if (reason === 'too_few') {
    return `Too few ${networkId} nodes answered to agree; please try again.`
  }
  if (reason === 'too_large') return `The answer is too large for ${networkId} nodes to agree on.`
  return `The ${networkId} nodes disagree; please try again.`
}

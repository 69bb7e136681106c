import { callRefusal } from '../core/access/access-rules.ts'
import { Failure, Rejection } from '../core/errors.ts'
import type { NetworkKind } from '../core/network.ts'
import type { Call } from '../core/rpc/jsonrpc.ts'
import type { Method } from '../core/rpc/method-registry.ts'
import type { Caller } from './app-directory.ts'

/** The reason why this caller may not make a call; null when it may. */
export function callRefusalOf(
  publicUrl: string,
  caller: Caller,
  kind: NetworkKind,
  method: Method,
  call: Call,
): Rejection | null {
  const closed = method.isRestricted ? notServed(publicUrl, caller, method) : null
  if (closed || caller.rules === null) return closed
  return callRefusal(caller.rules, kind, call)
}

function notServed(publicUrl: string, caller: Caller, method: Method): Rejection | null {
  const { name, access, paidOnly } = method
  if (access === 'none' || (access === 'own_keys' && caller.isDemo)) {
    return new Rejection('method_not_served', `${name} is not served here.`)
  }
  if (!paidOnly || caller.account.tier.paid) return null
  return new Rejection(
    'paid_only',
    `${name} is not available on the Free tier - upgrade to a paid tier for access. ${publicUrl}/settings/billing`,
  )
}

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

import { callRefusal } from '../../core/access/access-rules.ts'
import { Rejection } from '../../core/errors.ts'
import type { Call } from '../../core/rpc/jsonrpc.ts'
import type { Method } from '../../core/rpc/method-registry.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import type { Caller } from '../read-caller.ts'

/** The reason why this caller may not make a call; null when it may. Hot path: mostly two looks. */
export function mayCall(
  publicUrl: string,
  caller: Caller,
  { network }: NetworkService,
  method: Method,
  call: Call,
): Rejection | null {
  const closed = method.isRestricted ? notServed(publicUrl, caller, method) : null
  if (closed || caller.rules === null) return closed
  return callRefusal(caller.rules, network.kind, call)
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

import type { AllowLists } from '../app.ts'
import { Rejection } from '../errors.ts'
import type { NetworkKind } from '../network.ts'
import type { Call } from '../rpc/jsonrpc.ts'
import { clientAddressBytes, type IpRange, isInRange, parseIpRange } from './ip-range.ts'
import { namedContracts } from './named-contracts.ts'
import { allowsOrigin, type OriginRule, parseOriginRule } from './origin-rule.ts'

/** The allow-lists of an app, ready to be asked; each is null where it limits nothing. */
export type AccessRules = {
  origins: readonly OriginRule[] | null
  ips: readonly IpRange[] | null
  methods: { names: ReadonlySet<string>; beginnings: readonly string[] } | null
  contracts: ReadonlySet<string> | null
}

/** The facts about a request that are known before its body, or at the upgrade to a WebSocket. */
export type RequestEdge = {
  origin: string | null
  /** The client's address. Asked only where a list of addresses needs it. */
  address(): string
}

const ECHOED_CHARS_MAX = 200

/** Done once for each app that was looked up; null where nothing is limited. */
export function compileAccessRules(lists: AllowLists): AccessRules | null {
  const { origins, ips, methods, contracts } = lists
  if (origins.length + ips.length + methods.length + contracts.length === 0) return null
  return {
    origins: origins.length === 0 ? null : origins.map(parseOriginRule).filter((one) => !!one),
    ips: ips.length === 0 ? null : ips.map(parseIpRange).filter((one) => !!one),
    methods: methods.length === 0 ? null : methodRules(methods),
    contracts: contracts.length === 0 ? null : new Set(contracts),
  }
}

export function edgeRefusal(rules: AccessRules, edge: RequestEdge): Rejection | null {
  return originRefusal(rules, edge.origin) ?? addressRefusal(rules, edge)
}

export function callRefusal(rules: AccessRules, kind: NetworkKind, call: Call): Rejection | null {
  return methodRefusal(rules, call) ?? (kind === 'evm' ? contractRefusal(rules, call) : null)
}

function originRefusal({ origins }: AccessRules, origin: string | null): Rejection | null {
  if (origins === null) return null
  if (origin === null) {
    const text = 'A request without an Origin header is not allowed for this app (allow.origins).'
    return new Rejection('origin_not_allowed', text)
  }
  if (allowsOrigin(origins, origin)) return null
  const text = `Origin ${shortened(origin)} is not allowed for this app (allow.origins).`
  return new Rejection('origin_not_allowed', text)
}

function addressRefusal({ ips }: AccessRules, { address }: RequestEdge): Rejection | null {
  if (ips === null) return null
  const client = address()
  const bytes = clientAddressBytes(client)
  if (bytes && ips.some((range) => isInRange(bytes, range))) return null
  const text = `Address ${shortened(client)} is not allowed for this app (allow.ips).`
  return new Rejection('address_not_allowed', text)
}

function methodRefusal({ methods }: AccessRules, { method }: Call): Rejection | null {
  if (methods === null || methods.names.has(method)) return null
  if (methods.beginnings.some((beginning) => method.startsWith(beginning))) return null
  const text = `${method} is not allowed for this app (allow.methods).`
  return new Rejection('rpc_method_not_allowed', text)
}

function contractRefusal({ contracts }: AccessRules, call: Call): Rejection | null {
  if (contracts === null) return null
  const named = namedContracts(call)
  if (named.kind === 'none') return null
  if (named.kind === 'unclear') return contractRejection(call, named.reason)
  for (const contract of named.contracts) {
    if (typeof contract === 'string' && contracts.has(contract.toLowerCase())) continue
    const what = typeof contract === 'string' ? shortened(contract) : 'what it names'
    return contractRejection(call, `${what} is not among them`)
  }
  return null
}

function contractRejection({ method }: Call, reason: string): Rejection {
  const text = `${method} is limited to this app’s contracts (allow.contracts): ${reason}.`
  return new Rejection('contract_not_allowed', text)
}

function methodRules(patterns: readonly string[]): NonNullable<AccessRules['methods']> {
  return {
    names: new Set(patterns.filter((pattern) => !pattern.endsWith('*'))),
    beginnings: patterns
      .filter((pattern) => pattern.endsWith('*'))
      .map((pattern) => pattern.slice(0, -1)),
  }
}

function shortened(text: string): string {
  return text.length <= ECHOED_CHARS_MAX ? text : `${text.slice(0, ECHOED_CHARS_MAX)}…`
}

import { memberNames, rawElements } from '../json/json-scan.ts'
import type { Call } from '../rpc/jsonrpc.ts'

/**
 * How a method names contracts: in a call object, in a filter of logs, in such a filter behind the
 * kind of a subscription, or as its first parameter. A method that names several at once, or runs
 * code of the caller's, is not looked through.
 */
type Form = 'call' | 'filter' | 'subscription' | 'first' | 'unchecked'

/** The contracts that a call names, as it wrote them. */
export type NamedContracts =
  | { kind: 'none' }
  | { kind: 'named'; contracts: readonly unknown[] }
  | { kind: 'unclear'; reason: string }

const FORMS: Readonly<Record<string, Form>> = {
  eth_call: 'call',
  eth_estimategas: 'call',
  eth_createaccesslist: 'call',
  trace_call: 'call',
  eth_getlogs: 'filter',
  eth_newfilter: 'filter',
  erigon_getlogs: 'filter',
  erigon_getlatestlogs: 'filter',
  eth_subscribe: 'subscription',
  eth_getcode: 'first',
  eth_getstorageat: 'first',
  eth_getproof: 'first',
  eth_callmany: 'unchecked',
  eth_callbundle: 'unchecked',
  eth_multicallv1: 'unchecked',
  eth_simulatev1: 'unchecked',
  debug_tracecall: 'unchecked',
  debug_tracecallmany: 'unchecked',
  trace_callmany: 'unchecked',
}

/** Where the overrides of the state stand among the parameters of a call. */
const OVERRIDES_AT: Readonly<Record<string, number>> = { trace_call: 3 }
const USUAL_OVERRIDES_AT = 2

const PLAIN_NAME = /^[A-Za-z0-9_]+$/

const NONE: NamedContracts = { kind: 'none' }

/** Finds them by the method, in whatever case: some nodes tell no case apart. */
export function namedContracts({ method, params, paramsText }: Call): NamedContracts {
  const name = method.toLowerCase()
  const form = Object.hasOwn(FORMS, name) ? FORMS[name] : undefined
  if (form === undefined) return NONE
  if (form === 'first') return { kind: 'named', contracts: [params[0]] }
  if (form === 'unchecked') return unclear('it may call any contract')
  if (form === 'filter') return ofMember(paramsText, params, 0, 'address')
  if (form === 'subscription') {
    return params[0] === 'logs' ? ofMember(paramsText, params, 1, 'address') : NONE
  }
  // Overridden code or storage turns an allowed contract into another one.
  if (!isEmpty(params[OVERRIDES_AT[name] ?? USUAL_OVERRIDES_AT])) {
    return unclear('overrides of the state are not allowed')
  }
  return ofMember(paramsText, params, 0, 'to')
}

function ofMember(
  paramsText: string,
  params: readonly unknown[],
  at: number,
  member: 'address' | 'to',
): NamedContracts {
  const subject = params[at]
  if (typeof subject !== 'object' || subject === null || Array.isArray(subject)) {
    return unclear(`it names no contract in "${member}"`)
  }
  // A member that stands there twice, even in another case, means one thing to us and another
  // to a node.
  if (!isUnambiguous(rawElements(paramsText)[at] ?? '')) return unclear('a member stands twice')
  const named = (subject as Record<string, unknown>)[member]
  const contracts = member === 'address' && Array.isArray(named) ? named : [named]
  if (contracts.length === 0 || contracts[0] === undefined || contracts[0] === null) {
    return unclear(`it names no contract in "${member}"`)
  }
  return { kind: 'named', contracts }
}

function isUnambiguous(objectText: string): boolean {
  const names = memberNames(objectText)
  const folded = new Set(names.map((name) => name.toLowerCase()))
  return folded.size === names.length && names.every((name) => PLAIN_NAME.test(name))
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

function unclear(reason: string): NamedContracts {
  return { kind: 'unclear', reason }
}

import { Rejection, type RejectionCode } from '../errors.ts'
import { nestsDeeperThan, rawElements, rawMembers, valueEnd } from '../json/json-scan.ts'

/** One valid call. Texts are the caller's own bytes: digits and spelling are kept. */
export type Call = {
  idText: string
  method: string
  paramsText: string
  params: readonly unknown[]
}

export type BadCall = { idText: string; rejection: Rejection }

/** A list is a batch. */
export type Body = Call | BadCall | (Call | BadCall)[]

/** Real clients stay below 10; beyond it a body is meant to hurt a parser. */
const DEPTH_MAX = 64

/** The limit of large hosted services, so that clients move over unchanged. */
export const BATCH_MEMBERS_MAX = 1000

/** Nodes repeat the name in their errors; real ones are a third as long at most. */
const METHOD_CHARS_MAX = 128

export const NO_SUCH_METHOD = -32601

const INTEGER = /^-?(?:0|[1-9][0-9]*)$/

/** Reads a request body; a `Rejection` answers the whole of it, with id null. */
export function parseBody(text: string, membersMax = BATCH_MEMBERS_MAX): Body | Rejection {
  if (nestsDeeperThan(text, DEPTH_MAX)) {
    return new Rejection('invalid_request', `Request is nested deeper than ${DEPTH_MAX} levels.`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return new Rejection('parse_error', 'Parse error: the body is not valid JSON.')
  }
  return Array.isArray(value) ? toBatch(value, text, membersMax) : toCall(value, text)
}

function toBatch(value: unknown[], text: string, membersMax: number): Body | Rejection {
  if (value.length === 0) {
    return new Rejection('invalid_request', 'Invalid request: the batch is empty.')
  }
  if (value.length > membersMax) {
    return new Rejection('too_large', `A batch may hold at most ${membersMax} calls.`)
  }
  const texts = rawElements(text)
  return value.map((member, index) => toCall(member, texts[index] ?? ''))
}

export function isBadCall(call: Call | BadCall): call is BadCall {
  return 'rejection' in call
}

export function resultReply(idText: string, resultText: string): string {
  return `{"jsonrpc":"2.0","id":${idText},"result":${resultText}}`
}

export function nodeErrorReply(idText: string, errorText: string): string {
  return `{"jsonrpc":"2.0","id":${idText},"error":${errorText}}`
}

export function rejectionReply(idText: string, rejection: Rejection): string {
  const error = { code: rpcCode(rejection.code), message: rejection.message }
  return nodeErrorReply(idText, JSON.stringify(error))
}

export function rpcCode(code: RejectionCode): number {
  if (code === 'parse_error') return -32700
  if (code === 'invalid_params') return -32602
  if (code === 'method_not_served') return NO_SUCH_METHOD
  if (code === 'upstream_failed' || code === 'upstream_timeout') return -32603
  if (code === 'overloaded' || code === 'unread_answers') return -32603
  if (code === 'throughput_exceeded' || code === 'capacity_exceeded') return 429
  return -32600
}

function toCall(value: unknown, text: string): Call | BadCall {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return bad('null', 'Invalid request: a call must be a JSON object.')
  }
  const call = value as Record<string, unknown>
  const usual = usualCall(call, text)
  if (usual) return usual
  const raw = rawMembers(text)
  const idText = legalId(call.id, raw.get('id'))
  if (call.jsonrpc !== '2.0') {
    return bad(idText ?? 'null', 'Invalid request: jsonrpc must be "2.0".')
  }
  if (idText === null) {
    return bad('null', 'Invalid request: id must be an integer or a string.')
  }
  if (typeof call.method !== 'string' || call.method === '') {
    return bad(idText, 'Invalid request: method must be a non-empty string.')
  }
  if (call.method.length > METHOD_CHARS_MAX) {
    return bad(idText, `Invalid request: method is longer than ${METHOD_CHARS_MAX} characters.`)
  }
  if (call.params === undefined) {
    return { idText, method: call.method, paramsText: '[]', params: [] }
  }
  if (!Array.isArray(call.params)) {
    const rejection = new Rejection('invalid_params', 'Invalid params: params must be an array.')
    return { idText, rejection }
  }
  const paramsText = raw.get('params') ?? '[]'
  return { idText, method: call.method, paramsText, params: call.params }
}

const USUAL_BEGINNING =
  /^\{"jsonrpc":"2\.0","id":(\d{1,64}),"method":"([A-Za-z0-9_]{1,128})","params":(?=\[)/

/** Hot path: the spelling that most libraries use, read without looking at each member. */
function usualCall(call: Record<string, unknown>, text: string): Call | null {
  const begun = USUAL_BEGINNING.exec(text)
  if (!begun) return null
  const start = begun[0].length
  const end = valueEnd(text, start)
  // Anything behind the params could say something else: then each member is looked at.
  if (end !== text.length - 1 || !INTEGER.test(begun[1] ?? '')) return null
  return {
    idText: begun[1] ?? '',
    method: call.method as string,
    paramsText: text.slice(start, end),
    params: call.params as unknown[],
  }
}

function legalId(id: unknown, rawText: string | undefined): string | null {
  if (rawText === undefined) return null
  if (typeof id === 'string') return rawText
  if (typeof id === 'number' && INTEGER.test(rawText)) return rawText
  return null
}

function bad(idText: string, message: string): BadCall {
  return { idText, rejection: new Rejection('invalid_request', message) }
}

import { type RawMembers, rawElements, rawMembers } from '../json/json-scan.ts'
import { parseJson } from '../json/json-value.ts'

export type NodeResult = { kind: 'result'; text: string; value: unknown }

export type NodeError = { kind: 'error'; text: string; code: number; message: string }

/** Stands for the code of an error that does not tell it in its beginning. */
const CODE_UNTOLD = -32000

/** Beyond it a parser is as fast. */
const USUAL_CHARS_MAX = 1000

/** A JSON text of ASCII without escapes: its characters are its value. */
const PLAIN_TEXT = /^"[ !#-[\]-~]*"$/

/** Long enough for every rule that reads it; some nodes put whole traces in there. */
const MESSAGE_CHARS_MAX = 1000

/**
 * Reads a node's answer to the call with our id `id`; null when it is not one.
 * A wrong id is no answer either: it belongs to somebody else's question.
 */
export function parseNodeReply(text: string, id: number): NodeResult | NodeError | null {
  return usualReply(text, id) ?? toReply(parseJson(text), id, text)
}

/** The same for one who wants the value only: the result's own text is left empty. */
export function parseNodeValue(text: string, id: number): NodeResult | NodeError | null {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null) return null
  const reply = value as { id?: unknown; result?: unknown; error?: unknown }
  const plain = reply.result !== undefined && (reply.error === undefined || reply.error === null)
  if (!plain) return toReply(value, id, text)
  return sameId(reply.id, id) ? { kind: 'result', text: '', value: reply.result } : null
}

/** Reads a node's answer to a batch, by our ids; null when it is no batch at all. */
export function parseNodeBatch(text: string): Map<number, NodeResult | NodeError> | null {
  const value = parseJson(text)
  if (!Array.isArray(value)) return null
  const texts = rawElements(text)
  const replies = new Map<number, NodeResult | NodeError>()
  value.forEach((member: unknown, index) => {
    const id = Number((member as { id?: unknown } | null)?.id)
    const memberText = texts[index] ?? ''
    const reply = usualReply(memberText, id) ?? toReply(member, id, memberText)
    if (reply && Number.isSafeInteger(id)) replies.set(id, reply)
  })
  return replies
}

/** The code of an error object of which only the beginning is at hand, cut off anywhere. */
export function codeInBeginning(text: string): number {
  const codeText = membersInBeginning(text).get('code') ?? ''
  // At the very end it may have lost its last digits.
  return /^-?\d{1,9}$/.test(codeText) && !text.endsWith(codeText) ? Number(codeText) : CODE_UNTOLD
}

function membersInBeginning(text: string): RawMembers {
  try {
    return rawMembers(text)
  } catch {
    return new Map()
  }
}

/** True for an answer to our call that is an error, though none of JSON-RPC's form. */
export function isOddError(text: string, id: number): boolean {
  const reply = parseJson(text) as { id?: unknown; error?: unknown } | null | undefined
  const isError = reply?.error !== undefined && reply.error !== null
  return isError && (reply.id === null || sameId(reply.id, id))
}

function toReply(value: unknown, id: number, text: string): NodeResult | NodeError | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const reply = value as { id?: unknown; result?: unknown; error?: unknown }
  if (reply.error !== undefined && reply.error !== null) {
    // A node that could not read our id answers under null.
    if (reply.id !== null && !sameId(reply.id, id)) return null
    return toError(reply.error, text)
  }
  if (reply.result === undefined || !sameId(reply.id, id)) return null
  const resultText = rawMembers(text).get('result')
  return resultText === undefined ? null : { kind: 'result', text: resultText, value: reply.result }
}

/** Hot path: a short plain text as the result, in the spelling of most nodes, needs no parser. */
function usualReply(text: string, id: number): NodeResult | null {
  if (text.length > USUAL_CHARS_MAX) return null
  const begin = `{"jsonrpc":"2.0","id":${id},"result":`
  const end = text.endsWith('\n') ? text.length - 2 : text.length - 1
  if (!text.startsWith(begin) || text[end] !== '}') return null
  const resultText = text.slice(begin.length, end)
  if (!PLAIN_TEXT.test(resultText)) return null
  return { kind: 'result', text: resultText, value: resultText.slice(1, -1) }
}

function toError(error: unknown, text: string): NodeError | null {
  if (typeof error !== 'object' || error === null) return null
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (typeof code !== 'number') return null
  const errorText = rawMembers(text).get('error')
  if (errorText === undefined) return null
  const words = typeof message === 'string' ? message.slice(0, MESSAGE_CHARS_MAX) : ''
  return { kind: 'error', text: errorText, code, message: words }
}

function sameId(theirs: unknown, ours: number): boolean {
  return theirs === ours || theirs === String(ours)
}

import { nestsDeeperThan, rawMembers } from '../../json/json-scan.ts'
import { isJsonObject, parseJson } from '../../json/json-value.ts'

type SubscriptionMessage =
  | { kind: 'granted'; id: number; subscription: string }
  | { kind: 'refused'; id: number; code: number; message: string }
  | SubscriptionNotification

/** The text of the result is the node's own. */
export type SubscriptionNotification = {
  kind: 'notification'
  /** `slotNotification` and its like. */
  method: string
  subscription: string
  resultText: string
}

/** Deeper than anything that a node says. */
const DEPTH_MAX = 200

/** Nodes may put whole requests into their errors; this much is passed on. */
const ERROR_CHARS_MAX = 500

/** The code of an error without one. */
const CODE_UNTOLD = -32603

/** A u64 has 20 digits. */
const DIGITS = /^(?:0|[1-9]\d{0,19})$/

/** Null for whatever is neither: whoever is at the other end, it must not disturb us. */
export function readSubscriptionMessage(text: string): SubscriptionMessage | null {
  if (nestsDeeperThan(text, DEPTH_MAX) || !isJsonObject(parseJson(text))) return null
  const members = rawMembers(text)
  const paramsText = members.get('params')
  if (paramsText?.startsWith('{')) {
    const params = rawMembers(paramsText)
    const subscription = params.get('subscription') ?? ''
    const resultText = params.get('result')
    const methodText = members.get('method') ?? ''
    if (!DIGITS.test(subscription) || resultText === undefined) return null
    if (!methodText.startsWith('"')) return null
    const method = JSON.parse(methodText) as string
    return { kind: 'notification', method, subscription, resultText }
  }
  const id = safeInteger(members.get('id'))
  if (id === null) return null
  const subscription = members.get('result') ?? ''
  const errorText = members.get('error') ?? 'null'
  if (errorText === 'null' && DIGITS.test(subscription)) {
    return { kind: 'granted', id, subscription }
  }
  return { kind: 'refused', id, ...readError(errorText) }
}

/** Reads `{context: {slot}, value}`; null for anything else. `text` must be JSON. */
export function readSlotValue(text: string): { slot: number; valueText: string } | null {
  if (!text.startsWith('{')) return null
  const members = rawMembers(text)
  const context = members.get('context') ?? ''
  const valueText = members.get('value')
  const slot = context.startsWith('{') ? safeInteger(rawMembers(context).get('slot')) : null
  return slot === null || valueText === undefined ? null : { slot, valueText }
}

/** A slot or an id; null for what is none, or has more digits than any honest one. */
export function safeInteger(text = ''): number | null {
  const value = DIGITS.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(value) ? value : null
}

function readError(text: string): { code: number; message: string } {
  const error: unknown = JSON.parse(text)
  const { code, message } = isJsonObject(error) ? error : {}
  return {
    code: typeof code === 'number' ? code : CODE_UNTOLD,
    message: typeof message === 'string' ? message.slice(0, ERROR_CHARS_MAX) : '',
  }
}

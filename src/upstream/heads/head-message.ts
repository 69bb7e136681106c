import { isJsonObject } from '../../core/json/json-value.ts'

/** A message of a node on the socket on which new heads were subscribed. */
export type HeadMessage =
  /** The answer to a call of ours; `result` is undefined where it was refused. */
  | { kind: 'answer'; id: number; result: unknown }
  | { kind: 'head'; subscription: string; block: unknown }

/** Null for anything else: it must not disturb us, whatever is at the other end. */
export function readHeadMessage(text: string): HeadMessage | null {
  const message = parsed(text)
  if (!isJsonObject(message)) return null
  if (message.method === 'eth_subscription') {
    const { params } = message
    if (!isJsonObject(params) || typeof params.subscription !== 'string') return null
    return { kind: 'head', subscription: params.subscription, block: params.result }
  }
  if (typeof message.id !== 'number') return null
  const refused = message.error !== undefined && message.error !== null
  return { kind: 'answer', id: message.id, result: refused ? undefined : message.result }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

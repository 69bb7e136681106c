import { isJsonObject } from '../../core/json/json-value.ts'

/** What a node says over the socket on which new heads were subscribed. */
export type HeadMessage =
  /** The answer to a call of ours; `result` is undefined where it was refused. */
  | { kind: 'answer'; id: number; result: unknown }
  | { kind: 'head'; subscription: string; block: unknown }

/** Null for whatever is neither: whoever is at the other end, it must not disturb us. */
export function readHeadMessage(text: string): HeadMessage | null {
  const said = parsed(text)
  if (!isJsonObject(said)) return null
  if (said.method === 'eth_subscription') {
    const { params } = said
    if (!isJsonObject(params) || typeof params.subscription !== 'string') return null
    return { kind: 'head', subscription: params.subscription, block: params.result }
  }
  if (typeof said.id !== 'number') return null
  const refused = said.error !== undefined && said.error !== null
  return { kind: 'answer', id: said.id, result: refused ? undefined : said.result }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import { parseExactly } from '../parse-exactly.ts'
import { chainAnswer, errorAnswer } from './chain-answer.ts'
import { composedMethod } from './composed-methods.ts'
import type { ForkableChain } from './fork/forkable-chain.ts'

type Call = { idText: string; method: string; params: unknown }

/** The listener for events. Only a WebSocket has one; a POST has none. */
type Subscriber = {
  /** No room for one more subscription. */
  full: boolean
  subscribed: (subscriptionId: string) => void
  unsubscribed: (subscriptionId: string) => void
}

const BATCH_MAX = 1_000

const PARSE_ERROR = { code: -32700, message: 'parse error' }
const INVALID_REQUEST = { code: -32600, message: 'invalid request' }
const BATCH_TOO_LARGE = { code: -32600, message: `a batch has at most ${BATCH_MAX} calls` }
const TOO_MANY_SUBSCRIPTIONS = { code: -32005, message: 'too many subscriptions' }
const CHAIN_FAILED = { code: -32603, message: 'the chain failed to answer' }
const NO_NOTIFICATIONS = { code: -32601, message: 'notifications not supported' }

/** Answers one call or one batch, text in and text out. */
export async function serveChain(
  chain: ForkableChain,
  text: string,
  subscriber: Subscriber | null,
): Promise<string> {
  const body = parseExactly(text)
  if (body === undefined) return errorAnswer('null', PARSE_ERROR)
  if (!Array.isArray(body)) return serveOne(chain, body, subscriber)
  if (body.length === 0) return errorAnswer('null', INVALID_REQUEST)
  if (body.length > BATCH_MAX) return errorAnswer('null', BATCH_TOO_LARGE)

  // One after the other: a test may send and mine in one batch and rely on the order.
  const answers: string[] = []
  for (const member of body) answers.push(await serveOne(chain, member, subscriber))
  return `[${answers.join(',')}]`
}

async function serveOne(
  chain: ForkableChain,
  member: unknown,
  subscriber: Subscriber | null,
): Promise<string> {
  const call = readCall(member)
  if (call === null) return errorAnswer('null', INVALID_REQUEST)

  const refusal = subscriptionRefusal(call.method, subscriber)
  if (refusal !== null) return errorAnswer(call.idText, refusal)

  const composed = composedMethod(chain.ask, call.method, call.params)
  const answer = await (composed ?? chain.ask(call.method, call.params))
  if (answer === null) return errorAnswer(call.idText, CHAIN_FAILED)

  if (subscriber !== null) noteSubscription(call, answer, subscriber)
  return chainAnswer(call.idText, call.method, answer)
}

function subscriptionRefusal(method: string, subscriber: Subscriber | null) {
  if (method !== 'eth_subscribe' && method !== 'eth_unsubscribe') return null
  if (subscriber === null) return NO_NOTIFICATIONS
  return method === 'eth_subscribe' && subscriber.full ? TOO_MANY_SUBSCRIPTIONS : null
}

function noteSubscription(call: Call, answer: string, subscriber: Subscriber): void {
  if (call.method === 'eth_subscribe') {
    const { result } = JSON.parse(answer)
    if (typeof result === 'string') subscriber.subscribed(result)
  }
  if (call.method === 'eth_unsubscribe') {
    const [id] = Array.isArray(call.params) ? call.params : []
    if (JSON.parse(answer).result === true) subscriber.unsubscribed(String(id))
  }
}

function readCall(member: unknown): Call | null {
  if (typeof member !== 'object' || member === null) return null
  const { id = null, method, params = [] } = member as Record<string, unknown>
  if (typeof method !== 'string') return null
  return { idText: JSON.stringify(id), method, params }
}

import { parseExactly } from '../parse-exactly.ts'
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

type ChainError = { code: number; message: string; data?: unknown }

/** The code that go-ethereum gives a reverted call. */
const EXECUTION_REVERTED = 3

const METHOD_NOT_FOUND = -32601

/** EDR's code for a method it does not have. */
const METHOD_NOT_SUPPORTED = -32004

/** Error(string), the bytes behind `require(false, "…")`. */
const ERROR_SELECTOR = '0x08c379a0'
const WORD_CHARS = 64

/**
 * The chain's answer as a JSON-RPC reply. EDR leaves out version and id, and words some errors
 * in its own way; clients (viem, ethers, web3.js) were made for go-ethereum's.
 */
function chainAnswer(idText: string, method: string, text: string): string {
  // A result is passed on as it is: it may be large, and no digit of it is our business.
  if (text.startsWith('{"result":')) return `{"jsonrpc":"2.0","id":${idText},${text.slice(1)}`

  const { error } = JSON.parse(text) as { error: ChainError }
  return errorAnswer(idText, asGethSays(method, error))
}

function errorAnswer(idText: string, error: ChainError): string {
  return `{"jsonrpc":"2.0","id":${idText},"error":${JSON.stringify(error)}}`
}

function asGethSays(method: string, { code, message, data }: ChainError): ChainError {
  const revertBytes = revertBytesIn(data)
  if (revertBytes !== null) {
    const reason = revertReason(revertBytes)
    const said = reason === null ? 'execution reverted' : `execution reverted: ${reason}`
    return { code: EXECUTION_REVERTED, message: said, data: revertBytes }
  }

  if (code === METHOD_NOT_SUPPORTED && message === `Method ${method} is not supported`) {
    const said = `the method ${method} does not exist/is not available`
    return { code: METHOD_NOT_FOUND, message: said }
  }

  // EDR sends the request back beside a complaint about it, which no node does.
  if (data === null || data === undefined || isObjectWith(data, 'jsonrpc')) return { code, message }

  return { code, message, data }
}

/** EDR: `{reason: {Revert: "0x…"}, data: "0x…", transactionHash}`; other reasons are no reverts. */
function revertBytesIn(data: unknown): string | null {
  if (!isObjectWith(data, 'reason') || !isObjectWith(data.reason, 'Revert')) return null
  const bytes = data.reason.Revert
  return typeof bytes === 'string' ? bytes : null
}

function revertReason(revertBytes: string): string | null {
  if (!revertBytes.startsWith(ERROR_SELECTOR)) return null
  const lengthAt = ERROR_SELECTOR.length + WORD_CHARS
  const textAt = lengthAt + WORD_CHARS
  const bytes = Number.parseInt(revertBytes.slice(lengthAt, textAt), 16)
  if (Number.isNaN(bytes) || revertBytes.length < textAt + bytes * 2) return null
  return Buffer.from(revertBytes.slice(textAt, textAt + bytes * 2), 'hex').toString('utf8')
}

function isObjectWith<Key extends string>(value: unknown, key: Key): value is Record<Key, unknown> {
  return typeof value === 'object' && value !== null && key in value
}

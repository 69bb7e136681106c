import { parseExactly } from '../../parse-exactly.ts'
import type { SolanaChain } from '../solana-chain.ts'
import { ACCOUNT_METHODS } from './solana-account-methods.ts'
import { CHAIN_METHODS } from './solana-chain-methods.ts'
import { CONTROL_METHODS } from './solana-controls.ts'
import { answerOf, type LedgerMethod, listOf, SolanaRefusal } from './solana-method.ts'
import type { Listener, openSubscriptions } from './solana-subscriptions.ts'
import { TOKEN_METHODS } from './solana-token-methods.ts'
import { TRANSACTION_METHODS } from './solana-transaction-methods.ts'

export type ServingParts = {
  clock: { monotonicMs(): number; sleep(ms: number): Promise<void> }
  chain: SolanaChain
  subscriptions: ReturnType<typeof openSubscriptions>
}

const METHODS = new Map<string, LedgerMethod>(
  Object.entries({
    ...CHAIN_METHODS,
    ...ACCOUNT_METHODS,
    ...TOKEN_METHODS,
    ...TRANSACTION_METHODS,
    ...CONTROL_METHODS,
  }),
)

const BATCH_MAX = 1_000

/**
 * After so long others get their turn. What the machine handed over is freed only then, too: a
 * hundred calls that each move on by a thousand slots would else hold gigabytes.
 */
const TURN_MS_MAX = 50

const PARSE_ERROR = new SolanaRefusal(-32700, 'Parse error')
const INVALID_REQUEST = new SolanaRefusal(-32600, 'Invalid request')
const NO_VERSION = new SolanaRefusal(-32600, 'Unsupported JSON-RPC protocol version')
const METHOD_NOT_FOUND = new SolanaRefusal(-32601, 'Method not found')
const INTERNAL_ERROR = new SolanaRefusal(-32603, 'Internal error')

/**
 * Answers one call or one batch, text in and text out; a call without an id has no answer. Only
 * a WebSocket can listen; a POST has no listener.
 */
export async function serveSolana(
  parts: ServingParts,
  text: string,
  listener: Listener | null,
): Promise<string> {
  const body = parseExactly(text)
  if (body === undefined) return errorReply(null, PARSE_ERROR)
  if (!Array.isArray(body)) return serveOne(parts, body, listener)
  if (body.length === 0 || body.length > BATCH_MAX) return errorReply(null, INVALID_REQUEST)

  const answers = await serveBatch(parts, body, listener)
  return answers.length === 0 ? '' : `[${answers.join()}]`
}

/** One after the other: a test may change the ledger and read it in one batch. */
async function serveBatch(
  parts: ServingParts,
  members: readonly unknown[],
  listener: Listener | null,
): Promise<string[]> {
  const { clock } = parts
  const answers: string[] = []
  let turnAtMs = clock.monotonicMs()
  for (const member of members) {
    if (clock.monotonicMs() - turnAtMs > TURN_MS_MAX) {
      await clock.sleep(0)
      turnAtMs = clock.monotonicMs()
    }
    const answer = serveOne(parts, member, listener)
    if (answer !== '') answers.push(answer)
  }
  return answers
}

function serveOne(parts: ServingParts, body: unknown, listener: Listener | null): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return errorReply(null, INVALID_REQUEST)
  }
  const { jsonrpc, id, method, params } = body as Record<string, unknown>
  if (jsonrpc === undefined) return errorReply(id, NO_VERSION)
  if (jsonrpc !== '2.0' || typeof method !== 'string') return errorReply(id, INVALID_REQUEST)
  // Clients keep their sockets awake with calls that ask for nothing.
  if (id === undefined) return ''
  try {
    const result = answerTo(parts, method, params, listener)
    return JSON.stringify({ jsonrpc: '2.0', result, id })
  } catch (thrown) {
    if (thrown instanceof SolanaRefusal) return errorReply(id, thrown)
    // One call that we choke on must not end the process that serves all others.
    console.error(thrown)
    return errorReply(id, INTERNAL_ERROR)
  }
}

function answerTo(
  { chain, subscriptions }: ServingParts,
  name: string,
  params: unknown,
  listener: Listener | null,
): unknown {
  const method = METHODS.get(name)
  if (method !== undefined) return answerOf(method, chain, params)
  const heard = listener && subscriptions.answer(listener, name, () => listOf(params ?? []))
  if (heard === null || heard === undefined) throw METHOD_NOT_FOUND
  return heard
}

function errorReply(id: unknown, { code, message, data }: SolanaRefusal): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code, message, data }, id: id ?? null })
}

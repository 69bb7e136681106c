import { nestsDeeperThan, rawElements, rawMembers } from '../../../../../src/core/json/json-scan.ts'
import { JSON_DEPTH_MAX } from '../../../../../src/core/json/json-value.ts'
import type { SolanaError } from '../../../../../src/core/solana/account.ts'
import {
  invalidParams,
  isSolanaError,
  solanaError,
  solanaErrorText,
} from '../../../../../src/core/solana/solana-error.ts'
import type { SolanaChain } from '../solana-chain.ts'
import { ACCOUNT_METHODS } from './solana-account-methods.ts'
import { CHAIN_METHODS } from './solana-chain-methods.ts'
import { CONTROL_METHODS } from './solana-controls.ts'
import { answerOf, type LedgerMethod } from './solana-method.ts'
import type { Listener, openSubscriptions } from './solana-subscriptions.ts'
import { TOKEN_METHODS } from './solana-token-methods.ts'
import { TRANSACTION_METHODS } from './solana-transaction-methods.ts'

export type ServingNeeds = {
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

const PARSE_ERROR = solanaError(-32700, 'Parse error')
const INVALID_REQUEST = solanaError(-32600, 'Invalid request')
const NO_VERSION = solanaError(-32600, 'Unsupported JSON-RPC protocol version')
const METHOD_NOT_FOUND = solanaError(-32601, 'Method not found')
const INTERNAL_ERROR = solanaError(-32603, 'Internal error')

/**
 * Answers one call or one batch, text in and text out; a call without an id has no answer. Only
 * a WebSocket can listen; a POST has no listener.
 */
export async function serveSolana(
  needs: ServingNeeds,
  text: string,
  listener: Listener | null,
): Promise<string> {
  const body = parsed(text)
  if (body === undefined) return errorReply('null', PARSE_ERROR)
  if (!Array.isArray(body)) return serveOne(needs, body, text, listener)
  if (body.length === 0 || body.length > BATCH_MAX) return errorReply('null', INVALID_REQUEST)

  const answers = await serveBatch(needs, body, rawElements(text), listener)
  return answers.length === 0 ? '' : `[${answers.join()}]`
}

/** One after the other: a test may change the ledger and read it in one batch. */
async function serveBatch(
  needs: ServingNeeds,
  members: readonly unknown[],
  texts: readonly string[],
  listener: Listener | null,
): Promise<string[]> {
  const { clock } = needs
  const answers: string[] = []
  let turnAtMs = clock.monotonicMs()
  for (const [at, member] of members.entries()) {
    if (clock.monotonicMs() - turnAtMs > TURN_MS_MAX) {
      await clock.sleep(0)
      turnAtMs = clock.monotonicMs()
    }
    const answer = serveOne(needs, member, texts[at] ?? '', listener)
    if (answer !== '') answers.push(answer)
  }
  return answers
}

function serveOne(
  needs: ServingNeeds,
  body: unknown,
  text: string,
  listener: Listener | null,
): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return errorReply('null', INVALID_REQUEST)
  }
  const { jsonrpc, method } = body as Record<string, unknown>
  const raw = rawMembers(text)
  const idText = raw.get('id')
  if (jsonrpc === undefined) return errorReply(idText ?? 'null', NO_VERSION)
  if (jsonrpc !== '2.0' || typeof method !== 'string') {
    return errorReply(idText ?? 'null', INVALID_REQUEST)
  }
  // Clients keep their sockets awake with calls that ask for nothing.
  if (idText === undefined) return ''

  const paramsText = raw.get('params') ?? 'null'
  const answer = guarded(() => answerTo(needs, method, paramsText, listener))
  if (isSolanaError(answer)) return errorReply(idText, answer)
  return `{"jsonrpc":"2.0","result":${answer},"id":${idText}}`
}

function answerTo(
  { chain, subscriptions }: ServingNeeds,
  name: string,
  paramsText: string,
  listener: Listener | null,
): string | SolanaError {
  const method = METHODS.get(name)
  if (method !== undefined) return answerOf(method, chain, paramsText)
  if (listener === null || !subscriptions.isOne(name)) return METHOD_NOT_FOUND
  if (paramsText !== 'null' && !paramsText.startsWith('[')) {
    return invalidParams('`params` should be an array')
  }
  const params = paramsText === 'null' ? [] : rawElements(paramsText)
  return subscriptions.answer(listener, name, params)
}

/** One call that we choke on must not end the process that serves all others. */
function guarded(work: () => string | SolanaError): string | SolanaError {
  try {
    return work()
  } catch (thrown) {
    console.error(thrown)
    return INTERNAL_ERROR
  }
}

function errorReply(idText: string, error: SolanaError): string {
  return `{"jsonrpc":"2.0","error":${solanaErrorText(error)},"id":${idText}}`
}

function parsed(text: string): unknown {
  if (nestsDeeperThan(text, JSON_DEPTH_MAX)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

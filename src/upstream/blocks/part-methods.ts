import type { BlockRef } from '../../core/chain/checks.ts'
import type { ChainQuirks } from '../../core/chain/quirks.ts'
import { Failure } from '../../core/errors.ts'
import { classifyError } from '../../core/rpc/error-classes.ts'
import type { NodeError } from '../../core/rpc/node-reply.ts'
import type { NetworkService } from '../answers/ask-network.ts'
import { isUnsupported, noteUnsupported, type Upstream } from '../node/upstream.ts'
import { askUpstream } from '../pool/ask-upstream.ts'

export type ReadContext = {
  service: NetworkService
  upstream: Upstream
  ref: BlockRef
  quirks: ChainQuirks
  /** The upstream was asked before in vain: where one method fails, the next is tried. */
  isRetried: boolean
  /** True when nobody waits for the block any more. */
  isOver(): boolean
}

export type PartMethod =
  | 'eth_getBlockReceipts'
  | 'eth_getTransactionReceipt'
  | 'debug_traceBlockByHash'
  | 'debug_traceTransaction'
  | 'trace_block'

/** `absent`: this upstream does not have it. `failed`: it does, but not this time. */
export type PartResult =
  | { kind: 'value'; value: unknown }
  | { kind: 'absent' }
  | { kind: 'failed'; reason: string }

export type TransactionRef = { hash: string; uncounted: boolean }

/** The transactions of the block; null where they are malformed. */
export type ListTransactions = () => Promise<readonly TransactionRef[] | null>

export const TRACE_METHODS = [
  'debug_traceBlockByHash',
  'debug_traceTransaction',
  'trace_block',
] as const satisfies readonly PartMethod[]

/** Ganache answers so where it does not know the method. */
const PARSE_ERROR = -32_700
const INVALID_PARAMS = -32_602

/** Statuses by which gateways say that a method is not served. */
const NOT_SERVED = /^http_(404|405|501)$/

/**
 * True unless the upstream showed lately that it does not give this part by this method: the
 * memory lasts some minutes, since nodes are upgraded.
 */
export function isSupported(
  { service, upstream }: Pick<ReadContext, 'service' | 'upstream'>,
  method: PartMethod,
) {
  return !isUnsupported(upstream, blocksKey(method), service.pool.clock.monotonicMs())
}

/** The upstream has the method, but its answers have another shape than the one we need. */
export function noteWrongShape({ service, upstream }: ReadContext, method: PartMethod): PartResult {
  noteUnsupported(upstream, blocksKey(method), service.pool.clock.monotonicMs())
  return { kind: 'absent' }
}

/** The key is apart from the method itself: callers' calls of it say nothing about ours. */
function blocksKey(method: PartMethod): string {
  return `${method} for blocks`
}

export function partFailure(reason: string): PartResult {
  return { kind: 'failed', reason }
}

export async function firstSupported(
  context: ReadContext,
  methods: readonly { method: PartMethod; read: () => Promise<PartResult> }[],
): Promise<PartResult> {
  let fallback: PartResult = { kind: 'absent' }
  for (const { method, read } of methods) {
    if (!isSupported(context, method)) continue
    const result = await read()
    if (result.kind === 'value') return result
    if (result.kind === 'failed' && !context.isRetried) return result
    if (result.kind === 'failed') fallback = result
  }
  return fallback
}

/** Asks the upstream; throws the Failure of an upstream that answers nothing of use. */
export async function tryMethod(
  { service, upstream }: ReadContext,
  method: PartMethod,
  params: readonly unknown[],
): Promise<PartResult> {
  try {
    const result = await askUpstream(service, upstream, method, params)
    if (result.kind === 'result') return { kind: 'value', value: result.value }
    // The node's own words may hold anything, an address with its key included.
    if (!saysUnsupported(result)) return partFailure(`${method} failed with code ${result.code}`)
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.code !== 'upstream_unreachable') throw thrown
    if (!NOT_SERVED.test(String(thrown.facts.reason))) throw thrown
  }
  noteUnsupported(upstream, blocksKey(method), service.pool.clock.monotonicMs())
  return { kind: 'absent' }
}

function saysUnsupported({ code, message }: NodeError): boolean {
  if (code === PARSE_ERROR) return true
  if (code === INVALID_PARAMS && /not implemented/i.test(message)) return true
  return classifyError('evm', code, message) === 'unsupported'
}

import type { BlockRef } from '../../core/chain/checks.ts'
import type { ChainQuirks } from '../../core/chain/quirks.ts'
import { Failure } from '../../core/errors.ts'
import { classifyError } from '../../core/rpc/error-classes.ts'
import type { NodeError } from '../../core/rpc/node-reply.ts'
import type { NetworkService } from '../answers/ask-network.ts'
import { isUnsupported, noteUnsupported, type Upstream } from '../node/upstream.ts'
import { askUpstream } from '../pool/ask-upstream.ts'

/** One reading of one block from one upstream. */
export type Asking = {
  service: Pick<NetworkService, 'pool' | 'methods' | 'network' | 'bloomBits'>
  upstream: Upstream
  ref: BlockRef
  quirks: ChainQuirks
  /** Asked before in vain: where one way gave trouble, the next is tried. */
  again: boolean
  /** Nobody waits for it any more. */
  isOver(): boolean
}

/** A method by which a part of a block can be had. */
export type Way =
  | 'eth_getBlockReceipts'
  | 'eth_getTransactionReceipt'
  | 'debug_traceBlockByHash'
  | 'debug_traceTransaction'
  | 'trace_block'

/** `missing`: this upstream does not offer it. `trouble`: it does, and failed this time. */
export type Said =
  | { kind: 'value'; value: unknown }
  | { kind: 'missing' }
  | { kind: 'trouble'; reason: string }

/** A transaction, as far as asking for its parts takes; null where the block's are malformed. */
export type TransactionRef = { hash: string; uncounted: boolean }
export type Listed = () => Promise<readonly TransactionRef[] | null>

export const TRACE_WAYS = [
  'debug_traceBlockByHash',
  'debug_traceTransaction',
  'trace_block',
] as const satisfies readonly Way[]

/** ganache does not know the method, and says that it could not read it. */
const PARSE_ERROR = -32_700
const INVALID_PARAMS = -32_602

/** Statuses by which gateways say that a method is not served. */
const NOT_SERVED = /^http_(404|405|501)$/

/**
 * True unless it was learned lately that the upstream does not give this part in this
 * way: the memory lasts some minutes, since nodes are upgraded.
 */
export function offers({ service, upstream }: Pick<Asking, 'service' | 'upstream'>, way: Way) {
  return !isUnsupported(upstream, blocksKey(way), service.pool.clock.monotonicMs())
}

/** The upstream has the method but not what we need of it, as its answers show. */
export function noteWrongShape({ service, upstream }: Asking, way: Way): Said {
  noteUnsupported(upstream, blocksKey(way), service.pool.clock.monotonicMs())
  return { kind: 'missing' }
}

/** Kept apart from the method itself: what callers' calls of it come to is no word on ours. */
function blocksKey(way: Way): string {
  return `${way} for blocks`
}

export function trouble(reason: string): Said {
  return { kind: 'trouble', reason }
}

/** The first way that gives an answer. */
export async function firstOffered(
  asking: Asking,
  ways: readonly { way: Way; read: () => Promise<Said> }[],
): Promise<Said> {
  let worst: Said = { kind: 'missing' }
  for (const { way, read } of ways) {
    if (!offers(asking, way)) continue
    const said = await read()
    if (said.kind === 'value') return said
    if (said.kind === 'trouble' && !asking.again) return said
    if (said.kind === 'trouble') worst = said
  }
  return worst
}

/** Asks the upstream; throws the Failure of an upstream that answers nothing of use. */
export async function askWay(
  { service, upstream }: Asking,
  way: Way,
  params: readonly unknown[],
): Promise<Said> {
  try {
    const told = await askUpstream(service, upstream, way, params)
    if (told.kind === 'result') return { kind: 'value', value: told.value }
    // The node's own words may hold anything, an address with its key included.
    if (!saysMissing(told)) return trouble(`${way} failed with code ${told.code}`)
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.code !== 'upstream_unreachable') throw thrown
    if (!NOT_SERVED.test(String(thrown.facts.reason))) throw thrown
  }
  noteUnsupported(upstream, blocksKey(way), service.pool.clock.monotonicMs())
  return { kind: 'missing' }
}

function saysMissing({ code, message }: NodeError): boolean {
  if (code === PARSE_ERROR) return true
  if (code === INVALID_PARAMS && /not implemented/i.test(message)) return true
  return classifyError('evm', code, message) === 'unsupported'
}

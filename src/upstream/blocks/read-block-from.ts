import { assembleBlock } from '../../core/chain/assemble-block.ts'
import type { Block, BlockWants } from '../../core/chain/block.ts'
import { checkPlausible } from '../../core/chain/checks.ts'
import { isUncounted } from '../../core/chain/quirks.ts'
import { isHash32 } from '../../core/hex.ts'
import { isJsonObject } from '../../core/json/json-value.ts'
import { classifyError } from '../../core/rpc/error-classes.ts'
import { provesBlocks } from '../answers/block-verifying.ts'
import { askUpstream } from '../pool/ask-upstream.ts'
import {
  isSupported,
  type PartResult,
  type ReadContext,
  TRACE_METHODS,
  type TransactionRef,
} from './part-methods.ts'
import { readReceipts } from './read-receipts.ts'
import { readTraces } from './read-traces.ts'

/**
 * The outcome of asking one upstream for a block. `unsupported`: it cannot give all that is
 * wanted, however often it is asked.
 */
export type BlockReadOutcome =
  | { kind: 'block'; block: Block }
  | { kind: 'unknown' }
  | { kind: 'disagrees'; reason: string }
  /**
   * Its parts agree with each other, but not with the hash. `unknownForm`: the block, where a
   * fork may be the reason and the network does not insist on a proof.
   */
  | { kind: 'unproven'; reason: string; unknownForm: Block | null }
  | { kind: 'unsupported' }

const NOT_WANTED: PartResult = { kind: 'value', value: null }

const SAYS_UNKNOWN =
  /unknown block|not found|not available|could not find|unfinalized|invalid block height|not processed yet/i

export function canTrace(context: Pick<ReadContext, 'service' | 'upstream'>): boolean {
  return TRACE_METHODS.some((method) => isSupported(context, method))
}

/**
 * All of a block from one upstream, by its hash, so that the parts can only be of one
 * block. Throws a Failure when the upstream gives no usable answer.
 */
export async function readBlockFrom(
  context: ReadContext,
  wants: BlockWants,
): Promise<BlockReadOutcome> {
  if (wants.traces && !canTrace(context)) return { kind: 'unsupported' }
  const asked = askBlock(context, wants.transactions)
  const listTransactions = async () => transactionsIn(await asked, context)
  const others = Promise.all([
    wants.receipts ? readReceipts(context, listTransactions) : NOT_WANTED,
    wants.traces ? readTraces(context, listTransactions) : NOT_WANTED,
  ])
  // A failure of these is dealt with below, unless there is no block to go with it.
  others.catch(() => {})

  const block = await asked
  if (block.kind === 'failed') return { kind: 'disagrees', reason: block.reason }
  if (block.kind === 'absent') return { kind: 'unknown' }
  const [receipts, traces] = await others
  for (const result of [receipts, traces]) {
    if (result.kind === 'failed') return { kind: 'disagrees', reason: result.reason }
    if (result.kind === 'absent') return { kind: 'unsupported' }
  }
  const assembled = assembleBlock(
    {
      expected: context.ref,
      wants,
      block: block.value,
      receipts: valueIn(receipts),
      traces: valueIn(traces),
    },
    context.quirks,
  )
  if (typeof assembled === 'string') return { kind: 'disagrees', reason: assembled }
  if (provesBlocks(context.service)) return proven(context, wants, assembled, valueIn(receipts))
  const reason = checkPlausible(assembled, context.quirks, context.service.bloomBits)
  return reason === null ? { kind: 'block', block: assembled } : { kind: 'disagrees', reason }
}

async function proven(
  { service, ref }: ReadContext,
  { receipts: hasReceipts, senders: hasSenders = false }: BlockWants,
  block: Block,
  receipts: unknown,
): Promise<BlockReadOutcome> {
  const proof = await service.verifying.prover.prove({
    hash: ref.hash,
    block: block.raw,
    receipts,
    hasReceipts,
    hasTransactions: true,
    hasSenders,
  })
  // No hash covers it and no rule tells it, so no query sees it.
  const { totalDifficulty: _, ...raw } = block.raw
  if (proof.kind === 'proven') return { kind: 'block', block: { ...block, raw, isProven: true } }
  const mayBeFork = proof.kind === 'unknown_form' && service.verifying.mode === 'auto'
  const unknownForm = mayBeFork ? { ...block, raw } : null
  return { kind: 'unproven', reason: proof.reason, unknownForm }
}

function valueIn(result: PartResult): unknown {
  return result.kind === 'value' ? result.value : null
}

/** `absent` when the upstream does not know the block. */
async function askBlock(
  { service, upstream, ref }: ReadContext,
  whole: boolean,
): Promise<PartResult> {
  const result = await askUpstream(service, upstream, 'eth_getBlockByHash', [ref.hash, whole])
  if (result.kind === 'result' && result.value === null) return { kind: 'absent' }
  if (result.kind === 'result') return { kind: 'value', value: result.value }
  const { code, message } = result
  const unknown =
    SAYS_UNKNOWN.test(message) && classifyError('evm', code, message) !== 'unsupported'
  if (unknown) return { kind: 'absent' }
  return { kind: 'failed', reason: `eth_getBlockByHash failed with code ${code}` }
}

/** Null when they cannot be asked for one by one. */
function transactionsIn(
  result: PartResult,
  { quirks }: ReadContext,
): readonly TransactionRef[] | null {
  const block = valueIn(result)
  if (!isJsonObject(block) || !Array.isArray(block.transactions)) return null
  const refs: TransactionRef[] = []
  const last = block.transactions.length - 1
  for (const [at, raw] of block.transactions.entries()) {
    if (!isJsonObject(raw) || !isHash32(raw.hash)) return null
    refs.push({ hash: raw.hash, uncounted: isUncounted(quirks, raw, at === last) })
  }
  return refs
}

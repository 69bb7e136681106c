import { assembleBlock } from '../../core/chain/assemble-block.ts'
import type { Block, BlockWants } from '../../core/chain/block.ts'
import { isUncounted } from '../../core/chain/quirks.ts'
import { isHash32 } from '../../core/hex.ts'
import { isJsonObject } from '../../core/json/json-value.ts'
import { classifyError } from '../../core/rpc/error-classes.ts'
import { askUpstream } from '../pool/ask-upstream.ts'
import {
  type Asking,
  offers,
  type Said,
  TRACE_WAYS,
  type TransactionRef,
} from './block-capabilities.ts'
import { readReceipts } from './read-receipts.ts'
import { readTraces } from './read-traces.ts'

/**
 * What came of asking one upstream for a block. `lacking`: it cannot give all that is
 * wanted, however often it is asked.
 */
export type Outcome =
  | { kind: 'block'; block: Block }
  | { kind: 'unknown' }
  | { kind: 'disagrees'; reason: string }
  | { kind: 'lacking' }

const NOT_WANTED: Said = { kind: 'value', value: null }

const SAYS_UNKNOWN =
  /unknown block|not found|not available|could not find|unfinalized|invalid block height|not processed yet/i

export function canTrace(asking: Pick<Asking, 'service' | 'upstream'>): boolean {
  return TRACE_WAYS.some((way) => offers(asking, way))
}

/**
 * All of a block from one upstream, by its hash, so that the parts can only be of one
 * block. Throws a Failure when the upstream gives no usable answer.
 */
export async function readBlockFrom(asking: Asking, wants: BlockWants): Promise<Outcome> {
  if (wants.traces && !canTrace(asking)) return { kind: 'lacking' }
  const asked = askBlock(asking, wants.transactions)
  const listed = async () => transactionsIn(await asked, asking)
  const others = Promise.all([
    wants.receipts ? readReceipts(asking, listed) : NOT_WANTED,
    wants.traces ? readTraces(asking, listed) : NOT_WANTED,
  ])
  // Its failure is heard below, unless there is no block to go with it.
  others.catch(() => {})

  const block = await asked
  if (block.kind === 'trouble') return { kind: 'disagrees', reason: block.reason }
  if (block.kind === 'missing') return { kind: 'unknown' }
  const [receipts, traces] = await others
  for (const said of [receipts, traces]) {
    if (said.kind === 'trouble') return { kind: 'disagrees', reason: said.reason }
    if (said.kind === 'missing') return { kind: 'lacking' }
  }
  const assembled = assembleBlock(
    {
      expected: asking.ref,
      wants,
      block: block.value,
      receipts: saidValue(receipts),
      traces: saidValue(traces),
    },
    asking.quirks,
    asking.service.bloomBits,
  )
  if (typeof assembled === 'string') return { kind: 'disagrees', reason: assembled }
  return { kind: 'block', block: assembled }
}

function saidValue(said: Said): unknown {
  return said.kind === 'value' ? said.value : null
}

/** `missing` when the upstream does not know the block. */
async function askBlock({ service, upstream, ref }: Asking, whole: boolean): Promise<Said> {
  const told = await askUpstream(service, upstream, 'eth_getBlockByHash', [ref.hash, whole])
  if (told.kind === 'result' && told.value === null) return { kind: 'missing' }
  if (told.kind === 'result') return { kind: 'value', value: told.value }
  const { code, message } = told
  const unknown =
    SAYS_UNKNOWN.test(message) && classifyError('evm', code, message) !== 'unsupported'
  if (unknown) return { kind: 'missing' }
  return { kind: 'trouble', reason: `eth_getBlockByHash failed with code ${code}` }
}

/** Null when they cannot be asked for one by one. */
function transactionsIn(said: Said, { quirks }: Asking): readonly TransactionRef[] | null {
  const block = saidValue(said)
  if (!isJsonObject(block) || !Array.isArray(block.transactions)) return null
  const refs: TransactionRef[] = []
  const last = block.transactions.length - 1
  for (const [at, raw] of block.transactions.entries()) {
    if (!isJsonObject(raw) || !isHash32(raw.hash)) return null
    refs.push({ hash: raw.hash, uncounted: isUncounted(quirks, raw, at === last) })
  }
  return refs
}

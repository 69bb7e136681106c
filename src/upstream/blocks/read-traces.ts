import { fromParityTraces } from '../../core/chain/parity-traces.ts'
import { isCallFrame } from '../../core/chain/traces.ts'
import { numberToQuantity } from '../../core/hex.ts'
import { isJsonObject } from '../../core/json/json-value.ts'
import {
  firstSupported,
  type ListTransactions,
  noteWrongShape,
  type PartResult,
  partFailure,
  type ReadContext,
  tryMethod,
} from './part-methods.ts'
import { readEachTransaction, type TransactionPart } from './read-each-transaction.ts'

const TRACER = { tracer: 'callTracer' }

const ONE_TRACE: TransactionPart = {
  method: 'debug_traceTransaction',
  name: 'trace',
  paramsOf: (hash) => [hash, TRACER],
  hasShape: isCallFrame,
}

/**
 * The call frames of a block in the form of `debug_traceBlockByHash`, however they are
 * had. Which method serves is seen by the shape of answers: some nodes take the name of a
 * tracer without a word and trace otherwise.
 */
export function readTraces(
  context: ReadContext,
  listTransactions: ListTransactions,
): Promise<PartResult> {
  return firstSupported(context, [
    { method: 'debug_traceBlockByHash', read: () => readAtOnce(context) },
    { method: 'debug_traceTransaction', read: () => readOneByOne(context, listTransactions) },
    { method: 'trace_block', read: () => readFromParity(context) },
  ])
}

async function readAtOnce(context: ReadContext): Promise<PartResult> {
  const method = 'debug_traceBlockByHash'
  const result = await tryMethod(context, method, [context.ref.hash, TRACER])
  if (result.kind !== 'value') return result
  if (result.value === null) return partFailure('there are no traces')
  if (!Array.isArray(result.value)) return noteWrongShape(context, method)
  for (const [at, entry] of result.value.entries()) {
    if (isCallFrame(entry)) continue
    const frame: unknown = isJsonObject(entry) ? entry.result : null
    // A tracer that ran out of time says so in place of a result.
    if (frame === undefined || frame === null) return partFailure(`trace ${at} is missing`)
    if (!isCallFrame(frame)) return noteWrongShape(context, method)
  }
  return result
}

async function readOneByOne(
  context: ReadContext,
  listTransactions: ListTransactions,
): Promise<PartResult> {
  const transactions = await listTransactions()
  // A transaction that the node itself adds to a block cannot be run again.
  const traced = transactions?.filter(({ uncounted }) => !uncounted) ?? null
  const result = await readEachTransaction(context, ONE_TRACE, traced)
  if (result.kind !== 'value' || !traced) return result
  const results = result.value as readonly unknown[]
  const entries = traced.map(({ hash }, at) => ({ txHash: hash, result: results[at] }))
  return { kind: 'value', value: entries }
}

/** Asked by number, since by hash a vendor gives rewards alone; each frame names its block. */
async function readFromParity(context: ReadContext): Promise<PartResult> {
  const { ref } = context
  const result = await tryMethod(context, 'trace_block', [numberToQuantity(ref.number)])
  if (result.kind !== 'value') return result
  const entries = fromParityTraces(result.value, ref)
  return typeof entries === 'string' ? partFailure(entries) : { kind: 'value', value: entries }
}

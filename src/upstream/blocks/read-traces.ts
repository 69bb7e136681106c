import { fromParityTraces } from '../../core/chain/parity-traces.ts'
import { isCallFrame } from '../../core/chain/traces.ts'
import { numberToQuantity } from '../../core/hex.ts'
import { isJsonObject } from '../../core/json/json-value.ts'
import { askEach, type PartWay } from './ask-each.ts'
import {
  type Asking,
  askWay,
  firstOffered,
  type Listed,
  noteWrongShape,
  type Said,
  trouble,
} from './block-capabilities.ts'

const TRACER = { tracer: 'callTracer' }

const ONE_TRACE: PartWay = {
  way: 'debug_traceTransaction',
  name: 'trace',
  paramsOf: (hash) => [hash, TRACER],
  hasShape: isCallFrame,
}

/**
 * The call frames of a block in the form of `debug_traceBlockByHash`, however they are
 * had. Which way serves is told by the shape of answers: some nodes take the name of a
 * tracer without a word and trace otherwise.
 */
export function readTraces(asking: Asking, listed: Listed): Promise<Said> {
  return firstOffered(asking, [
    { way: 'debug_traceBlockByHash', read: () => readAtOnce(asking) },
    { way: 'debug_traceTransaction', read: () => readOneByOne(asking, listed) },
    { way: 'trace_block', read: () => readFromParity(asking) },
  ])
}

async function readAtOnce(asking: Asking): Promise<Said> {
  const way = 'debug_traceBlockByHash'
  const said = await askWay(asking, way, [asking.ref.hash, TRACER])
  if (said.kind !== 'value') return said
  if (said.value === null) return trouble('there are no traces')
  if (!Array.isArray(said.value)) return noteWrongShape(asking, way)
  for (const [at, entry] of said.value.entries()) {
    if (isCallFrame(entry)) continue
    const result: unknown = isJsonObject(entry) ? entry.result : null
    // A tracer that ran out of time says so in place of a result.
    if (result === undefined || result === null) return trouble(`trace ${at} is missing`)
    if (!isCallFrame(result)) return noteWrongShape(asking, way)
  }
  return said
}

async function readOneByOne(asking: Asking, listed: Listed): Promise<Said> {
  const transactions = await listed()
  if (!transactions) return trouble('the block has no readable list of transactions')
  // What a node adds to a block is nothing it can run again.
  const traced = transactions.filter(({ uncounted }) => !uncounted)
  const said = await askEach(asking, ONE_TRACE, traced)
  if (said.kind !== 'value') return said
  const results = said.value as readonly unknown[]
  const entries = traced.map(({ hash }, at) => ({ txHash: hash, result: results[at] }))
  return { kind: 'value', value: entries }
}

/** By number, since by hash a vendor answers with rewards alone; each frame names its block. */
async function readFromParity(asking: Asking): Promise<Said> {
  const { ref } = asking
  const said = await askWay(asking, 'trace_block', [numberToQuantity(ref.number)])
  if (said.kind !== 'value') return said
  const entries = fromParityTraces(said.value, ref)
  return typeof entries === 'string' ? trouble(entries) : { kind: 'value', value: entries }
}

import { numberToQuantity, quantityToNumber } from '../../core/hex.ts'
import { isJsonObject } from '../../core/json/json-value.ts'
import { logRefusal } from '../../core/logs/log-refusal.ts'
import type { Network, UpstreamSpec } from '../../core/network.ts'
import { classifyError } from '../../core/rpc/error-classes.ts'
import { headInBlock } from '../../upstream/node/node-head.ts'
import type { NodeProbe } from '../nodes/node-probe.ts'
import { probeBatch } from './probe-batch.ts'
import { noFacts, type Support, type UpstreamFacts } from './upstream-facts.ts'

export type Probing = {
  node: NodeProbe
  network: Network
  spec: UpstreamSpec
  nowMs(): number
  step(name: string): void
}

type SampleBlock = { hash: string; transaction: string | null }

/** Depths at which the state is asked for; a full node keeps 128 blocks of it. */
const STATE_DEPTHS = [64, 10_000]

const LIGHT_CALLS = 7

/** Blocks below the head at which receipts and traces are asked for: every node has those. */
const SAMPLE_DEPTH = 3

const NOBODY = '0x000000000000000000000000000000000000dead'
const CALL_TRACER = { tracer: 'callTracer' }

/** Statuses by which gateways say that a method is not served. */
const NOT_SERVED = /^http_(404|405|501)$/

/** Finds out what one EVM node can do. Without a head, or on a wrong chain, no more is asked. */
export async function probeEvm(probing: Probing): Promise<UpstreamFacts> {
  const { node, network, spec, step } = probing
  const facts = noFacts(spec.name, 'evm')
  step('chain')
  const chain = await node.ask('eth_chainId')
  const chainId = chain.kind === 'value' ? quantityToNumber(chain.value) : null
  if (chainId === null) return { ...facts, fault: faultIn(chain) }
  const known = { ...facts, chain: String(chainId) }
  if (network.chainId !== undefined && chainId !== network.chainId) {
    return { ...known, isChainRight: false }
  }
  const head = await blockAt(probing, 'latest')
  if (head === null) return { ...known, fault: 'no head' }
  return { ...known, head, ...(await probeAbilities(probing, head.number)) }
}

/** The block at a tag, as a head; null where the node does not give it. */
export async function blockAt(
  { node, nowMs }: Pick<Probing, 'node' | 'nowMs'>,
  tag: string,
): Promise<UpstreamFacts['head']> {
  const answer = await node.ask('eth_getBlockByNumber', [tag, false])
  const head = answer.kind === 'value' ? headInBlock(answer.value, nowMs()) : null
  return head && { number: head.number, ageMs: head.blockAgeMs }
}

async function probeAbilities(probing: Probing, head: number): Promise<Partial<UpstreamFacts>> {
  const { node, spec, step } = probing
  step('latency')
  const [p50Ms, version] = [await medianMs(node, 'eth_blockNumber'), await versionOf(node)]
  step('finality')
  const finalized = (await blockAt(probing, 'finalized'))?.number ?? null
  const safe = (await blockAt(probing, 'safe'))?.number ?? null
  step('receipts and traces')
  const sample = await sampleBlock(node, head)
  const parts = sample ? await probeParts(node, sample, head) : {}
  step('state')
  const state = await probeState(node, head)
  step('batches')
  const batch = await probeBatch(node, 'eth_chainId', spec.batchMax)
  step('logs')
  const logs = await probeLogs(node, head)
  return { p50Ms, version, finalized, safe, ...parts, ...state, batch, logs }
}

/** Half of some light calls took less; null where none was answered. */
export async function medianMs(node: NodeProbe, method: string): Promise<number | null> {
  const times: number[] = []
  for (let call = 0; call < LIGHT_CALLS; call++) {
    const answer = await node.ask(method)
    if (answer.kind === 'value') times.push(answer.ms)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? null
}

async function versionOf(node: NodeProbe): Promise<string | null> {
  const answer = await node.ask('web3_clientVersion')
  return answer.kind === 'value' && typeof answer.value === 'string' ? answer.value : null
}

/** A block that has transactions, among the newest; else the last that was looked at. */
async function sampleBlock(node: NodeProbe, head: number): Promise<SampleBlock | null> {
  let sample: SampleBlock | null = null
  for (let depth = SAMPLE_DEPTH; depth > 0; depth--) {
    const params = [numberToQuantity(Math.max(1, head - depth)), false]
    const { value } = { value: null, ...(await node.ask('eth_getBlockByNumber', params)) }
    if (!isJsonObject(value) || typeof value.hash !== 'string') continue
    const [first] = Array.isArray(value.transactions) ? value.transactions : []
    sample = { hash: value.hash, transaction: typeof first === 'string' ? first : null }
    if (sample.transaction !== null) break
  }
  return sample
}

async function probeParts(
  node: NodeProbe,
  { hash, transaction }: SampleBlock,
  head: number,
): Promise<Pick<UpstreamFacts, 'receipts' | 'traces'>> {
  const has = (method: string, ...given: unknown[]) => supports(node, method, given)
  return {
    receipts: await has('eth_getBlockReceipts', hash),
    traces: {
      block: await has('debug_traceBlockByHash', hash, CALL_TRACER),
      transaction: transaction
        ? await has('debug_traceTransaction', transaction, CALL_TRACER)
        : 'unknown',
      parity: await has('trace_block', numberToQuantity(Math.max(1, head - SAMPLE_DEPTH))),
    },
  }
}

export async function supports(
  node: NodeProbe,
  method: string,
  given: readonly unknown[],
): Promise<Support> {
  const answer = await node.ask(method, given)
  if (answer.kind === 'value') return Array.isArray(answer.value) || answer.value ? 'yes' : 'no'
  if (answer.kind === 'failed') {
    if (answer.reason === 'not_asked') return 'unknown'
    return NOT_SERVED.test(answer.reason) ? 'no' : 'failed'
  }
  const judged = classifyError('evm', answer.code, answer.message)
  return judged === 'throttled' ? 'unknown' : 'no'
}

async function probeState(
  node: NodeProbe,
  head: number,
): Promise<Pick<UpstreamFacts, 'stateDepth' | 'isArchive'>> {
  const hasAt = async (number: number) =>
    (await node.ask('eth_getBalance', [NOBODY, numberToQuantity(number)])).kind === 'value'
  let stateDepth: number | null = null
  for (const depth of STATE_DEPTHS.filter((depth) => depth < head)) {
    if (!(await hasAt(head - depth))) return { stateDepth, isArchive: false }
    stateDepth = depth
  }
  const isArchive = await hasAt(Math.min(1, head))
  return { stateDepth: isArchive ? head : stateDepth, isArchive }
}

export function faultIn(answer: Awaited<ReturnType<NodeProbe['ask']>>): string {
  if (answer.kind === 'failed') return answer.reason
  return answer.kind === 'refused' ? `error ${answer.code}` : 'garbage'
}

/** Ranges that vendors draw their lines at; no more is asked for, so that no node is hurt. */
const LOG_RANGES = [10, 100, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000]

/** Blocks below the head that are left out, so that none of the range is replaced meanwhile. */
const SETTLED_BLOCKS = 64

/** Nobody has a contract there, so that every answer is short. */
const NO_CONTRACT = '0x00000000000000000000000000000000d0c70125'

/**
 * Asks for wider and wider ranges of old blocks, with the address of nobody, until one is refused.
 * Null where even the first says nothing of ranges.
 */
async function probeLogs(node: NodeProbe, head: number): Promise<UpstreamFacts['logs']> {
  const last = Math.max(0, head - SETTLED_BLOCKS)
  let accepted = 0
  for (const range of LOG_RANGES) {
    const blocks = Math.min(range, last + 1)
    const filter = {
      address: NO_CONTRACT,
      fromBlock: numberToQuantity(last + 1 - blocks),
      toBlock: numberToQuantity(last),
    }
    const answer = await node.ask('eth_getLogs', [filter])
    if (answer.kind !== 'value') {
      const said =
        answer.kind === 'refused' ? logRefusal({ ...answer, kind: 'error' }, blocks) : null
      if (accepted === 0 && said === null) return null
      return { accepted: said?.blocks ?? accepted, refused: blocks, isWholeChain: false }
    }
    accepted = blocks
    if (blocks < range) return { accepted, refused: null, isWholeChain: true }
  }
  return { accepted, refused: null, isWholeChain: false }
}

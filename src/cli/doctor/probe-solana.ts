import { isJsonObject } from '../../core/json/json-value.ts'
import { headAtSlot } from '../../upstream/node/node-head.ts'
import type { NodeProbe } from '../nodes/node-probe.ts'
import { probeBatch } from './probe-batch.ts'
import { faultIn, medianMs, type Probing, supports } from './probe-evm.ts'
import { type HeadFact, noFacts, type UpstreamFacts } from './upstream-facts.ts'

/** A program of some hundred accounts on the main network: asking for them hurts nobody. */
const SMALL_PROGRAM = 'Feature111111111111111111111111111111111111'

export async function probeSolana(probing: Probing): Promise<UpstreamFacts> {
  const { node, network, spec, step } = probing
  const facts = noFacts(spec.name, 'solana')
  step('genesis')
  const genesis = await node.ask('getGenesisHash')
  if (genesis.kind !== 'value' || typeof genesis.value !== 'string') {
    return { ...facts, fault: faultIn(genesis) }
  }
  const known = { ...facts, chain: genesis.value }
  if (network.genesisHash !== undefined && genesis.value !== network.genesisHash) {
    return { ...known, isChainRight: false }
  }
  const head = await slotOf(probing)
  if (head === null) return { ...known, fault: 'no slot' }
  step('latency')
  const [p50Ms, version] = [await medianMs(node, 'getSlot'), await versionOf(node)]
  step('program accounts')
  const sliced = { encoding: 'base64', dataSlice: { offset: 0, length: 0 } }
  const programAccounts = await supports(node, 'getProgramAccounts', [SMALL_PROGRAM, sliced])
  step('batches')
  const batch = await probeBatch(node, 'getSlot', spec.batchMax)
  return { ...known, head, p50Ms, version, programAccounts, batch }
}

/** The newest slot, and its age by the time of its block, where the node tells that. */
export async function slotOf({
  node,
  nowMs,
}: Pick<Probing, 'node' | 'nowMs'>): Promise<HeadFact | null> {
  const answer = await node.ask('getSlot')
  const head = answer.kind === 'value' ? headAtSlot(answer.value) : null
  if (head === null) return null
  const time = await node.ask('getBlockTime', [head.number])
  const seconds = time.kind === 'value' ? time.value : null
  const ageMs = typeof seconds === 'number' ? nowMs() - seconds * 1000 : null
  return { number: head.number, ageMs }
}

async function versionOf(node: NodeProbe): Promise<string | null> {
  const answer = await node.ask('getVersion')
  const said = answer.kind === 'value' && isJsonObject(answer.value) ? answer.value : {}
  const version = said['solana-core']
  return typeof version === 'string' ? `solana-core ${version}` : null
}

import type { Network } from '../../core/network.ts'
import { countText, spanText } from '../terminal/formats.ts'
import type { Finding, FindingLevel } from './finding.ts'
import { judgeAbilities } from './judge-abilities.ts'
import type { UpstreamFacts } from './upstream-facts.ts'

/** A chain with a newest block older than so many block times, and a minute, stands still. */
const STANDSTILL_BLOCKS = 20
const STANDSTILL_MS_MIN = 60_000

/** Lag of a block or two is the time that a block takes from node to node. */
const LAG_BLOCKS_USUAL = 2

/** Clocks that are apart by this much judge blocks wrongly. */
const CLOCK_AHEAD_MS = 15_000

/** Says what the facts of a network's upstreams mean. Pure: it asks nobody. */
export function judgeNetwork(network: Network, facts: readonly UpstreamFacts[]): Finding[] {
  const best = bestHead(facts)
  const usable = facts.filter(({ fault, isChainRight }) => fault === null && isChainRight)
  const findings = facts.flatMap((one) => [
    ...judgeReach(network, one),
    ...judgeHead(network, one, best),
    ...judgeAbilities(network, one),
  ])
  return [...findings, ...judgeTogether(network, usable)]
}

export function bestHead(facts: readonly UpstreamFacts[]): number | null {
  const heads = facts.flatMap(({ head, isChainRight }) =>
    head && isChainRight ? [head.number] : [],
  )
  return heads.length === 0 ? null : Math.max(...heads)
}

function judgeReach(network: Network, facts: UpstreamFacts): Finding[] {
  const { upstream, fault, chain, isChainRight } = facts
  const wrong = (text: string, option: string): Finding[] => [
    { level: 'wrong', network: network.id, upstream, text, option },
  ]
  if (fault !== null) {
    const words = FAULT_WORDS[fault] ?? `${fault.replaceAll('_', ' ')}.`
    return wrong(`does not answer: ${words}`, 'url')
  }
  if (isChainRight) return []
  const expected = network.chainId ?? network.genesisHash
  return wrong(`is on chain ${chain}, and not on ${expected}: no call goes there.`, 'url')
}

const FAULT_WORDS: Readonly<Record<string, string>> = {
  unreachable: 'nothing accepts connections at its address.',
  connection_lost: 'the connection broke before an answer came.',
  timed_out: 'no answer came in time.',
  garbage: 'it sends something that is no JSON-RPC.',
  http_401: 'it refuses the key (401).',
  http_403: 'it refuses the key (403).',
  http_404: 'there is nothing at that path (404).',
  http_429: 'its rate limit is used up (429).',
}

function judgeHead(
  network: Network,
  { upstream, head, isChainRight }: UpstreamFacts,
  best: number | null,
): Finding[] {
  if (head === null || best === null || !isChainRight) return []
  const behind = best - head.number
  if (behind <= LAG_BLOCKS_USUAL) return []
  const behindMs = behind * network.blockTimeMs
  const isFar = behindMs > network.headLagMsMax
  const unit = network.kind === 'evm' ? 'block' : 'slot'
  const lag = `is ${countText(behind, unit)} behind the others (about ${spanText(behindMs)})`
  const level: FindingLevel = isFar ? 'wrong' : 'warning'
  const text = isFar ? `${lag}: it is not used until it has caught up.` : `${lag}.`
  return [{ level, network: network.id, upstream, text, option: 'headLagMsMax' }]
}

function judgeTogether(network: Network, usable: readonly UpstreamFacts[]): Finding[] {
  const { id } = network
  const about = (level: FindingLevel, text: string, option: string | null): Finding => {
    return { level, network: id, upstream: null, text, option }
  }
  if (usable.length === 0) return [about('wrong', 'No upstream can be used.', 'upstreams')]
  const ages = usable.flatMap(({ head }) => (head?.ageMs == null ? [] : [head.ageMs]))
  const youngestMs = Math.min(...ages)
  const standstillMs = Math.max(STANDSTILL_MS_MIN, network.blockTimeMs * STANDSTILL_BLOCKS)
  const findings: Finding[] = []
  if (ages.length > 0 && youngestMs > standstillMs) {
    const words = `The newest block of all upstreams is ${spanText(youngestMs)} old`
    findings.push(about('wrong', `${words}: they stand still, or the clock is wrong.`, null))
  }
  if (ages.length > 0 && youngestMs < -CLOCK_AHEAD_MS) {
    const words = `The newest block is ${spanText(-youngestMs)} in the future`
    findings.push(about('warning', `${words}: set the clock of this machine.`, null))
  }
  // A Headgate that is asked through itself has more than it shows here.
  if (usable.length === 1 && !network.isLocal) {
    const words = 'One upstream alone: nobody takes over when it fails, and nobody contradicts it.'
    findings.push(about('note', words, 'upstreams'))
  }
  return findings
}

import type { Network } from '../../core/network.ts'
import { countText, numberText } from '../terminal/formats.ts'
import type { Finding } from './finding.ts'
import type { UpstreamFacts, UpstreamOptions } from './upstream-facts.ts'

type Said = Pick<Finding, 'level' | 'text' | 'option'>

/** An answer that takes longer than this is felt by whoever waits for a page. */
const SLOW_MS = 1000

/** Fewer blocks of logs than this make a day of them hundreds of calls. */
const LOG_RANGE_SMALL = 1000

/** A day of the main network. */
const DAY_BLOCKS = 7200

const FINALITY_DEPTH_USUAL = 64

export function judgeAbilities(network: Network, facts: UpstreamFacts): Finding[] {
  if (facts.fault !== null || !facts.isChainRight) return []
  const options = network.upstreams.find(({ name }) => name === facts.upstream)
  const said = [
    ...(network.kind === 'evm' ? judgeEvm(network, facts, options) : judgeSolana(facts)),
    ...judgeBatch(facts, options),
    ...judgeSocket(network, facts),
    ...judgeSpeed(facts),
  ]
  return said.map((one) => ({ ...one, network: network.id, upstream: facts.upstream }))
}

function judgeEvm(
  { finalityDepth }: Network,
  { receipts, finalized, logs, isArchive, stateDepth, ...facts }: UpstreamFacts,
  options: UpstreamOptions | undefined,
): Said[] {
  const said = judgeTraces(facts, options)
  if (receipts === 'no' || receipts === 'failed') {
    const words = 'has no eth_getBlockReceipts: receipts are read one by one, which costs a call'
    said.push(warn(`${words} for each transaction instead of one for each block.`))
  }
  if (finalized === null && finalityDepth === undefined) {
    const words = 'does not know the tag finalized: blocks count as final by their depth alone'
    said.push(warn(`${words} once you say how deep.`, `finalityDepth: ${FINALITY_DEPTH_USUAL}`))
  }
  if (logs === null) said.push(warn('did not answer eth_getLogs.'))
  if (logs?.refused) said.push(...judgeLogs(logs.accepted))
  if (!isArchive) {
    const depth =
      stateDepth === null
        ? 'no old state'
        : `the state of ${numberText(stateDepth)} blocks back, and none of the first`
    said.push(note(`has ${depth}: eth_call on older blocks needs an archive node.`))
  }
  return said
}

function judgeLogs(accepted: number): Said[] {
  if (accepted >= LOG_RANGE_SMALL) return []
  if (accepted === 0) return [warn('refuses eth_getLogs, however few blocks it is about.')]
  const words = `gives ${countText(accepted, 'block')} of logs at once: wider eth_getLogs are asked`
  const calls = numberText(Math.ceil(DAY_BLOCKS / accepted))
  const day = `${calls} calls for ${numberText(DAY_BLOCKS)} blocks`
  return [warn(`${words} for in pieces, ${day}.`, 'logBlocksMax')]
}

function judgeTraces(
  { traces }: Pick<UpstreamFacts, 'traces'>,
  options: UpstreamOptions | undefined,
): Said[] {
  const { block, transaction, parity } = traces
  const has = [block, transaction, parity].includes('yes')
  const isKnown = ![block, parity].includes('unknown')
  if (options?.traces && !has && isKnown) {
    const words = 'serves no traces, though its options say so: internal transactions of webhooks'
    return [warn(`${words} are not found there.`, 'traces: false')]
  }
  if (options && !options.traces && has) {
    return [
      note('serves traces: say so, and webhooks prefer it for internal calls.', 'traces: true'),
    ]
  }
  if (has && block !== 'yes' && parity !== 'yes') {
    const words = 'has no debug_traceBlockByHash: traces are read one by one, which costs a call'
    return [warn(`${words} for each transaction.`)]
  }
  return []
}

function judgeSolana({ programAccounts }: UpstreamFacts): Said[] {
  if (programAccounts === 'yes' || programAccounts === 'unknown') return []
  const words = 'does not give getProgramAccounts: calls of it, and programAccounts.index, go to'
  return [warn(`${words} other upstreams, or fail without any.`, 'programAccounts.index')]
}

function judgeBatch({ batch }: UpstreamFacts, options: UpstreamOptions | undefined): Said[] {
  if (!batch || !options || options.batchMax <= batch.accepted) return []
  const most = batch.accepted <= 1 ? 0 : batch.accepted
  const words =
    most === 0
      ? 'takes no batches: they are refused, and their calls sent again'
      : `takes batches of ${most}, and not of ${batch.refused}: those are refused and sent again`
  return [warn(`${words}.`, `batchMax: ${most}`)]
}

function judgeSocket({ kind, headPollMs }: Network, { socket }: UpstreamFacts): Said[] {
  if (socket === 'works') return []
  const polls =
    kind === 'evm' ? `new heads are polled every ${headPollMs} ms` : 'changes are polled'
  if (socket === 'none') return [note(`has no ws address: ${polls}.`, 'ws')]
  return [warn(`WebSocket: ${socket.replaceAll('_', ' ')}; ${polls}.`, 'ws')]
}

function judgeSpeed({ p50Ms, throttled }: UpstreamFacts): Said[] {
  const said: Said[] = []
  if (p50Ms !== null && p50Ms > SLOW_MS) {
    said.push(warn(`is slow: half of its answers take ${Math.round(p50Ms)} ms.`, 'priority: 1'))
  }
  if (throttled > 0) {
    const words = `put off ${countText(throttled, 'of our calls', 'of our calls')}: stay below its rate limit`
    said.push(warn(`${words}.`, 'budget.requestsPerSecond'))
  }
  return said
}

function warn(text: string, option: string | null = null): Said {
  return { level: 'warning', text, option }
}

function note(text: string, option: string | null = null): Said {
  return { level: 'note', text, option }
}

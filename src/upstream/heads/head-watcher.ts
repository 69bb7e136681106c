import { quantityToNumber } from '../../core/hex.ts'
import type { Network } from '../../core/network.ts'
import { classifyError } from '../../core/rpc/error-classes.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { arePollsPaused } from '../node/active-health.ts'
import { headAtSlot, headInBlock, type NodeHead } from '../node/node-head.ts'
import type { Reply } from '../node/rpc-client.ts'
import { notePolled, notePollFailed, type Upstream } from '../node/upstream.ts'
import { followedUpstreams, review, type Selection } from '../pool/selection.ts'
import type { OpenHeadFeed } from './head-feed.ts'
import type { PollOutcome } from './observations.ts'

type Watching = {
  telemetry: Telemetry
  selection: Selection
  feed: OpenHeadFeed
  /** Called after each poll, and when another block is final. */
  polled(upstream: Upstream, outcome: PollOutcome | null): void
}

/** A poll must not outlive the next ones by much. */
const POLL_TIMEOUT_MS = 5000
const CHAIN_CHECK_EVERY_MS = 60_000
const FINALITY_EVERY_MS = 15_000

/** `firstRound` resolves after each upstream was asked once, answered or not. */
export function watchHeads(watching: Watching) {
  const { selection } = watching
  const { clock, network } = selection
  const rounds: Promise<void>[] = []
  const stops = selection.upstreams.map((upstream) => {
    let polling = false
    const poll = async () => {
      // A node that hangs is asked again when its last poll has failed, not before.
      if (polling) return
      polling = true
      await pollOnce(watching, upstream)
      polling = false
    }
    rounds.push(poll())
    return clock.every(network.headPollMs, () => void poll())
  })
  stops.push(clock.every(FINALITY_EVERY_MS, () => void pollFinality(watching)))
  const firstRound = Promise.all(rounds).then(() => pollFinality(watching))
  return { firstRound, stop: () => stops.forEach((stop) => void stop()) }
}

/**
 * Asks one upstream for its head, after making sure of its chain, unless it has asked us to wait.
 * Never throws.
 */
export async function pollOnce(watching: Watching, upstream: Upstream): Promise<void> {
  const { clock } = watching.selection
  const startedAtMs = clock.monotonicMs()
  if (arePollsPaused(upstream.activeHealth, startedAtMs) || upstream.spend?.mayPoll() === false)
    return
  const due = startedAtMs - upstream.chainCheckedAtMs >= CHAIN_CHECK_EVERY_MS
  if (upstream.chain !== 'right' || due) await checkChain(watching, upstream)
  const isPaused = arePollsPaused(upstream.activeHealth, clock.monotonicMs())
  if (upstream.chain === 'right' && !isPaused) await pollHead(watching, upstream)
  review(watching.selection)
}

async function pollHead(watching: Watching, upstream: Upstream): Promise<void> {
  const { clock, network } = watching.selection
  const sentAtMs = clock.monotonicMs()
  const reply =
    network.kind === 'evm'
      ? await ask(watching, upstream, 'eth_getBlockByNumber', '["latest",false]')
      : await ask(watching, upstream, 'getSlot', '[{"commitment":"processed"}]')
  const nowMs = clock.monotonicMs()
  const head = headOf(network, reply, clock.nowMs())
  if (!head) {
    noteBadPoll(watching, upstream, reply, nowMs)
    return
  }
  notePolled(upstream, nowMs - sentAtMs, nowMs)
  watching.polled(upstream, { tookMs: nowMs - sentAtMs })
  // A head announced while the answer was on its way may well be newer than the answer.
  const known = upstream.head
  const overtaken = known !== null && known.reportedAtMs > sentAtMs && known.number > head.number
  if (!overtaken) watching.feed.note(upstream, head, nowMs)
}

/** A wrong chain is found before the first call and whenever an endpoint changes behind us. */
async function checkChain(watching: Watching, upstream: Upstream): Promise<void> {
  const { clock, network } = watching.selection
  const reply =
    network.kind === 'evm'
      ? await ask(watching, upstream, 'eth_chainId', '[]')
      : await ask(watching, upstream, 'getGenesisHash', '[]')
  const nowMs = clock.monotonicMs()
  if (reply.kind !== 'result') {
    noteBadPoll(watching, upstream, reply, nowMs)
    return
  }
  const reported = network.kind === 'evm' ? quantityToNumber(reply.value) : reply.value
  const isRight = reported !== null && reported === expectedChain(watching, reported)
  const chain = isRight ? 'right' : 'wrong'
  if (chain !== upstream.chain) {
    const level = chain === 'right' ? 'info' : 'error'
    watching.telemetry.log(level, 'upstream_chain', {
      network: network.id,
      upstream: upstream.spec.name,
      chain,
    })
  }
  upstream.chain = chain
  if (!isRight) watching.polled(upstream, null)
  const isReadable = typeof reported === 'number' || typeof reported === 'string'
  upstream.reportedChain = isReadable ? reported : null
  upstream.chainCheckedAtMs = nowMs
}

/** Nodes of two clusters must not be mixed, even where nobody said which of them is meant. */
function expectedChain({ selection }: Watching, reported: unknown): unknown {
  const { network } = selection
  if (network.kind === 'evm') return network.chainId ?? reported
  if (network.genesisHash !== undefined) return network.genesisHash
  if (typeof reported === 'string') selection.firstGenesisHash ??= reported
  return selection.firstGenesisHash
}

/** The lowest block that the followed upstreams call final: none of them may take it back. */
async function pollFinality(watching: Watching): Promise<void> {
  const { selection } = watching
  const { network, clock } = selection
  if (network.kind !== 'evm' || network.finalityDepth !== undefined) return
  const nowMs = clock.monotonicMs()
  const followed = followedUpstreams(selection)
  const asked = followed.filter((upstream) => !arePollsPaused(upstream.activeHealth, nowMs))
  // Whatever was final stays so while nobody may be asked.
  if (asked.length === 0 && followed.length > 0) return
  const heights = await Promise.all(
    asked.map(async (upstream) => {
      const reply = await ask(watching, upstream, 'eth_getBlockByNumber', '["finalized",false]')
      if (reply.kind !== 'result') return null
      return quantityToNumber((reply.value as { number?: unknown } | null)?.number)
    }),
  )
  const known = heights.filter((height) => height !== null)
  const lowest = known.length === 0 ? null : Math.min(...known)
  // A development chain calls its head final and takes it back all the same.
  const plausible = lowest !== null && lowest < (selection.head?.number ?? 0)
  selection.finalizedTag = plausible ? lowest : null
  review(selection)
  for (const upstream of selection.upstreams) watching.polled(upstream, null)
}

function headOf(network: Network, reply: Reply, wallMs: number): NodeHead | null {
  if (reply.kind !== 'result') return null
  return network.kind === 'evm' ? headInBlock(reply.value, wallMs) : headAtSlot(reply.value)
}

function noteBadPoll(watching: Watching, upstream: Upstream, reply: Reply, nowMs: number): void {
  const failed = pollFailure(upstream, reply)
  // A node that comes back after a failure may be on another chain.
  if (!failed.throttled) upstream.chainCheckedAtMs = Number.NEGATIVE_INFINITY
  notePollFailed(upstream, failed, nowMs)
  const { reason, throttled, retryAfterMs } = failed
  watching.polled(upstream, { reason, throttled, retryAfterMs })
}

/** Nobody but us chose the words of a poll, so those of its answer can be believed. */
function pollFailure(upstream: Upstream, reply: Reply) {
  if (reply.kind === 'failed') return reply
  const { kind } = upstream
  const verdict = reply.kind === 'error' ? classifyError(kind, reply.code, reply.message) : null
  const reason = verdict === 'refused' ? 'credentials refused' : 'no head in its answer'
  return { reason, throttled: verdict === 'throttled', retryAfterMs: 0 }
}

async function ask(
  watching: Watching,
  upstream: Upstream,
  method: string,
  paramsText: string,
): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>()
  const cancel = upstream.client.call(method, paramsText, true, resolve)
  const stopTimer = watching.selection.clock.after(POLL_TIMEOUT_MS, cancel)
  const reply = await promise
  stopTimer()
  if ('stream' in reply) await reply.stream.cancel()
  return reply
}

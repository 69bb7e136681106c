import type { Block, Header } from '../core/chain/block.ts'
import { withHeader } from '../core/chain/tail.ts'
import { recordEvent, webhooksWithDeliveryAt } from '../tables/chain/chain-events.ts'
import { TAIL_LENGTH_MAX } from '../upstream/follow/chain-state.ts'
import { type Branch, finalizedAfter, findBranch } from '../upstream/follow/find-branch.ts'
import { type BranchVerdict, mayFollow } from '../upstream/follow/may-follow.ts'
import { type BlockPrefetch, prefetchBlocks } from '../upstream/follow/prefetch-blocks.ts'
import type { HeadNews } from '../upstream/heads/head-feed.ts'
import type { FollowerState } from './follower-state.ts'

/** `blocked`: its blocks cannot be had now, or the upstreams do not agree on them. */
export type Progress = 'advanced' | 'blocked'

type EventKind = 'first' | 'extends' | 'forks'

type BranchEvent = { header: Header; kind: EventKind; finalized: number | null }

export async function followHead(state: FollowerState, news: HeadNews): Promise<Progress> {
  if (state.tail.length === 0) {
    return advance(state, { kind: 'extends', headers: [news.header] }, news)
  }
  const branch = await findBranch(state, news)
  if (branch === null) return 'blocked'
  if (branch === 'below_finality') {
    alarm(state, news)
    return 'blocked'
  }
  const verdict = await mayFollow(state, branch)
  noteFork(state, verdict)
  if (!verdict.may) return 'blocked'
  return advance(state, branch, news)
}

/** One event for each block of the branch, in order. */
async function advance(state: FollowerState, branch: Branch, news: HeadNews): Promise<Progress> {
  const finalized = finalizedAfter(state, branch)
  const blocks = prefetchBlocks(state.service, branch.headers, news.upstream)
  let progress: Progress = 'blocked'
  for (const [at, header] of branch.headers.entries()) {
    const kind: EventKind = state.tail.length === 0 ? 'first' : at === 0 ? branch.kind : 'extends'
    const event = { header, kind, finalized }
    const outcome = await runQueries(state, event, blocks)
    if (outcome === 'moved_elsewhere') return 'advanced'
    if (outcome !== 'committed') return progress
    progress = 'advanced'
  }
  return progress
}

function noteFork({ world, service }: FollowerState, { may, fork }: BranchVerdict): void {
  if (fork === null) return
  const { telemetry } = world
  telemetry.log(may ? 'info' : 'warn', may ? 'reorganisation' : 'fork_disputed', fork)
  if (may) telemetry.count('headgate_reorganisations_total', { network: service.network.id })
}

/** Either that node has diverged or the chain broke its promise: what was final stays. */
function alarm(state: FollowerState, news: HeadNews): void {
  const { world, service, tail } = state
  const network = service.network.id
  // The same head comes up again and again; one line of it is enough.
  if (state.lastAlarmHash === news.header.hash) return
  state.lastAlarmHash = news.header.hash
  world.telemetry.count('headgate_finality_alarms_total', { network })
  world.telemetry.log('error', 'fork_past_finality', {
    network,
    upstream: news.upstream.spec.name,
    number: news.header.number,
    hash: news.header.hash,
    final_number: tail[0]?.number ?? null,
  })
}

/**
 * One event: reads the block, runs every standing query on it, and commits tail, sequence
 * number and what is due together. Hot path: between a block and its deliveries lies this.
 */
async function runQueries(
  state: FollowerState,
  { header, kind, finalized }: BranchEvent,
  blocks: BlockPrefetch,
): Promise<'committed' | 'gone' | 'moved_elsewhere' | 'stopped'> {
  const { standing } = state
  const { clock, database } = state.world
  const network = state.service.network.id
  const startedAtMs = clock.monotonicMs()
  await standing.refresh()
  const engine = standing.engineOf(network)

  const block = await blocks.read(header, engine.wants())
  // The header was announced by a node, which may have named another parent.
  if (!block || block.header.parentHash !== header.parentHash) return 'gone'
  if (!state.mayCommit()) return 'stopped'

  const readAtMs = clock.monotonicMs()
  const removed = standing.notifiesRemoved(network)
    ? await webhooksWithDeliveryAt(database, network, header.number)
    : undefined
  const due = engine.run(block, removed)
  if (!state.mayCommit()) return 'stopped'

  const ranAtMs = clock.monotonicMs()
  const keepFrom = Math.min(finalized ?? 0, header.number)
  const tail = withHeader(state.tail, header, keepFrom, TAIL_LENGTH_MAX)
  const committing = recordEvent(database, {
    network,
    previousSequence: state.sequenceNumber,
    header,
    kind,
    finalized,
    keepFrom: tail[0]?.number ?? header.number,
    atMs: clock.nowMs(),
    due: due.map(({ result, ids }) => ({
      data: result.text,
      bytes: result.bytes,
      truncation: result.truncation,
      isVerified: block.isProven === true,
      webhookIds: ids,
    })),
  })
  state.commit = committing
  const recorded = await committing
  if (recorded === 'lost') {
    state.isLoaded = false
    return 'moved_elsewhere'
  }
  state.tail = tail
  state.sequenceNumber = recorded.sequenceNumber
  state.finalized = finalized
  const { deliveries } = recorded
  if (deliveries.length > 0) state.committed(recorded)
  report(state, block, kind, deliveries.length, {
    read_ms: readAtMs - startedAtMs,
    run_ms: ranAtMs - readAtMs,
    commit_ms: clock.monotonicMs() - ranAtMs,
  })
  return 'committed'
}

function report(
  { world: { telemetry }, service, sequenceNumber }: FollowerState,
  { header, has, transactionCount, isProven = false }: Block,
  kind: EventKind,
  deliveries: number,
  times: { read_ms: number; run_ms: number; commit_ms: number },
): void {
  const network = service.network.id
  telemetry.count('headgate_blocks_total', { network })
  if (deliveries > 0) telemetry.count('headgate_deliveries_due_total', { network }, deliveries)
  for (const [part, ms] of Object.entries(times)) {
    telemetry.observeMs(
      'headgate_block_duration_seconds',
      { network, part: part.replace('_ms', '') },
      ms,
    )
  }
  const rounded = Object.entries(times).map(([name, ms]) => [name, Math.round(ms * 100) / 100])
  telemetry.log('info', 'block', {
    network,
    number: header.number,
    hash: header.hash,
    sequence_number: sequenceNumber,
    kind,
    transactions: transactionCount,
    receipts: has.receipts,
    traces: has.traces,
    proven: isProven,
    deliveries,
    ...Object.fromEntries(rounded),
  })
}

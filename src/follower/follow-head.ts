import { type Branch, finalizedAfter, findBranch } from '../upstream/follow/find-branch.ts'
import { type BranchVerdict, mayFollow } from '../upstream/follow/may-follow.ts'
import { prefetchBlocks } from '../upstream/follow/prefetch-blocks.ts'
import type { HeadNews } from '../upstream/heads/head-feed.ts'
import type { FollowerState } from './follower-state.ts'
import { type EventKind, runQueries } from './run-queries.ts'

/** `blocked`: its blocks cannot be had now, or the upstreams do not agree on them. */
export type Progress = 'advanced' | 'blocked'

/** Brings the chain we hold to an announced head, as far as its blocks can be had. */
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
  const blocks = prefetchBlocks(state.world, state.service, branch.headers, news.upstream)
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

import { type Branch, finalizedAfter, findBranch } from '../upstream/follow/find-branch.ts'
import { type BranchVerdict, mayFollow } from '../upstream/follow/may-follow.ts'
import { prefetchBlocks } from '../upstream/follow/prefetch-blocks.ts'
import type { HeadNews } from '../upstream/heads/head-feed.ts'
import type { FollowerState } from './follower-state.ts'
import { type EventKind, type EventNeeds, runQueries } from './run-queries.ts'

/** `blocked`: its blocks cannot be had now, or the upstreams do not agree on them. */
export type Progress = 'advanced' | 'blocked'

/** Brings the chain we hold to an announced head, as far as its blocks can be had. */
export async function followHead(
  needs: EventNeeds,
  state: FollowerState,
  news: HeadNews,
): Promise<Progress> {
  if (state.tail.length === 0) {
    return advance(needs, state, { kind: 'extends', headers: [news.header] }, news)
  }
  const branch = await findBranch(state, news)
  if (branch === null) return 'blocked'
  if (branch === 'below_finality') {
    alarm(needs, state, news)
    return 'blocked'
  }
  const verdict = await mayFollow(state, branch)
  noteFork(needs, state, verdict)
  if (!verdict.may) return 'blocked'
  return advance(needs, state, branch, news)
}

/** One event for each block of the branch, in order. */
async function advance(
  needs: EventNeeds,
  state: FollowerState,
  branch: Branch,
  news: HeadNews,
): Promise<Progress> {
  const finalized = finalizedAfter(state, branch)
  const blocks = prefetchBlocks(state.service, branch.headers, news.upstream)
  let progress: Progress = 'blocked'
  for (const [at, header] of branch.headers.entries()) {
    const kind: EventKind = state.tail.length === 0 ? 'first' : at === 0 ? branch.kind : 'extends'
    const event = { header, kind, finalized }
    const outcome = await runQueries(needs, state, event, blocks)
    if (outcome === 'moved_elsewhere') return 'advanced'
    if (outcome !== 'committed') return progress
    progress = 'advanced'
  }
  return progress
}

function noteFork(
  { telemetry }: EventNeeds,
  { service }: FollowerState,
  { may, fork }: BranchVerdict,
): void {
  if (fork === null) return
  telemetry.log(may ? 'info' : 'warn', may ? 'reorganisation' : 'fork_disputed', fork)
  if (may) telemetry.count('headgate_reorganisations_total', { network: service.network.id })
}

/** Either that node has diverged or the chain broke its promise: what was final stays. */
function alarm(needs: EventNeeds, state: FollowerState, news: HeadNews): void {
  const { service, tail } = state
  const network = service.network.id
  // The same head comes up again and again; one line of it is enough.
  if (state.lastAlarmHash === news.header.hash) return
  state.lastAlarmHash = news.header.hash
  needs.telemetry.count('headgate_finality_alarms_total', { network })
  needs.telemetry.log('error', 'fork_past_finality', {
    network,
    upstream: news.upstream.spec.name,
    number: news.header.number,
    hash: news.header.hash,
    final_number: tail[0]?.number ?? null,
  })
}

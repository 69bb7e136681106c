import type { HeadNews } from '../upstream/heads/head-feed.ts'
import { finalWith } from './final-with.ts'
import { type Branch, findBranch } from './find-branch.ts'
import type { Following } from './following.ts'
import { mayFollow } from './may-follow.ts'
import { readAhead } from './read-ahead.ts'
import { type EventKind, type EventNeeds, runQueries } from './run-queries.ts'

export type Progress = 'advanced' | 'doubtful'

/** Brings the chain we hold to an announced head, as far as its blocks can be had. */
export async function followHead(
  needs: EventNeeds,
  following: Following,
  news: HeadNews,
): Promise<Progress> {
  if (following.tail.length === 0) {
    return advance(needs, following, { kind: 'extends', headers: [news.header] }, news)
  }
  const branch = await findBranch(following, news)
  if (branch === null) return 'doubtful'
  if (branch === 'past_end') {
    alarm(needs, following, news)
    return 'doubtful'
  }
  if (!(await mayFollow(needs, following, branch))) return 'doubtful'
  return advance(needs, following, branch, news)
}

/** One event for each block of the branch, in order. */
async function advance(
  needs: EventNeeds,
  following: Following,
  branch: Branch,
  news: HeadNews,
): Promise<Progress> {
  const finalized = finalWith(following, branch)
  const blocks = readAhead(needs, following.service, branch.headers, news.upstream)
  let progress: Progress = 'doubtful'
  for (const [at, header] of branch.headers.entries()) {
    const kind: EventKind =
      following.tail.length === 0 ? 'first' : at === 0 ? branch.kind : 'extends'
    const event = { header, kind, finalized }
    const outcome = await runQueries(needs, following, event, blocks)
    if (outcome === 'moved_elsewhere') return 'advanced'
    if (outcome !== 'committed') return progress
    progress = 'advanced'
  }
  return progress
}

/** What was final is not taken back: either that node is astray or the chain broke its promise. */
function alarm(needs: EventNeeds, following: Following, news: HeadNews): void {
  const { service, tail } = following
  const network = service.network.id
  // The same head is looked at again and again; one line of it is enough.
  if (following.alarmedBy === news.header.hash) return
  following.alarmedBy = news.header.hash
  needs.telemetry.count('headgate_finality_alarms_total', { network })
  needs.telemetry.log('error', 'fork_past_finality', {
    network,
    upstream: news.upstream.spec.name,
    number: news.header.number,
    hash: news.header.hash,
    final_number: tail[0]?.number ?? null,
  })
}

import { isCorroborated, isOutvoted } from '../core/chain/votes.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { votesAt } from '../upstream/blocks/headers.ts'
import { votersHeads } from '../upstream/blocks/voters.ts'
import type { Branch } from './find-branch.ts'
import type { FollowerState } from './follower-state.ts'

type Needs = { telemetry: Telemetry }

/**
 * A different block at a known height is a reorganisation when more of the upstreams hold
 * it than any other. One that lags or lies is outvoted; one alone is asked again. The next
 * block is followed without a question, unless others have come as far and stand elsewhere.
 */
export async function mayFollow(
  { telemetry }: Needs,
  state: FollowerState,
  { kind, headers }: Branch,
): Promise<boolean> {
  const { service, tail } = state
  const first = headers[0]?.number ?? 0
  const agreed = service.pool.selection.head?.number ?? 0
  if (kind === 'extends' && agreed <= first && !isContradicted(state, headers)) return true

  // The highest block that they can be expected to have stands for all below it.
  const asked = headers[Math.max(0, agreed - first)] ?? headers.at(-1)
  if (asked === undefined) return false
  const votes = await votesAt(service, asked.number)
  if (votes === null) return false
  const { hash } = asked
  const may = kind === 'forks' ? isCorroborated(votes, hash) : !isOutvoted(votes, hash)
  if (may && kind === 'extends') return true

  const network = service.network.id
  telemetry.log(may ? 'info' : 'warn', may ? 'reorganisation' : 'fork_disputed', {
    network,
    from_number: first,
    replaced: Math.max(0, (tail.at(-1)?.number ?? 0) - first + 1),
    number: asked.number,
    hash,
    votes: votes.held.get(hash) ?? 0,
    voters: [...votes.held.values()].reduce((sum, count) => sum + count, votes.silent),
  })
  if (may) telemetry.count('headgate_reorganisations_total', { network })
  return may
}

/** Some upstream stands at the height of one of these headers, on another block. */
function isContradicted({ service }: FollowerState, headers: Branch['headers']): boolean {
  const first = headers[0]?.number ?? 0
  return votersHeads(service).some((head) => {
    const ours = head && headers[head.number - first]
    return ours && ours.hash !== head.hash
  })
}

import { isCorroborated, isOutvoted } from '../../core/chain/votes.ts'
import type { LogFields } from '../../ports/telemetry.ts'
import { votesAt } from '../blocks/headers.ts'
import { votersHeads } from '../blocks/voters.ts'
import type { ChainState } from './chain-state.ts'
import type { Branch } from './find-branch.ts'

/** `fork` has the facts of a vote that replaces blocks, or was lost; null where none was held. */
export type BranchVerdict = { may: boolean; fork: LogFields | null }

/**
 * A different block at a known height is a reorganisation when more of the upstreams hold
 * it than any other. One that lags or lies is outvoted; one alone is asked again. The next
 * block is followed without a question, unless others have come as far and stand elsewhere.
 */
export async function mayFollow(
  state: ChainState,
  { kind, headers }: Branch,
): Promise<BranchVerdict> {
  const { service, tail } = state
  const first = headers[0]?.number ?? 0
  const agreed = service.pool.selection.head?.number ?? 0
  if (kind === 'extends' && agreed <= first && !isContradicted(state, headers)) {
    return { may: true, fork: null }
  }

  // The highest block that they can be expected to have stands for all below it.
  const asked = headers[Math.max(0, agreed - first)] ?? headers.at(-1)
  if (asked === undefined) return { may: false, fork: null }
  const votes = await votesAt(service, asked.number)
  if (votes === null) return { may: false, fork: null }
  const { hash } = asked
  const may = kind === 'forks' ? isCorroborated(votes, hash) : !isOutvoted(votes, hash)
  if (may && kind === 'extends') return { may, fork: null }
  const fork = {
    network: service.network.id,
    from_number: first,
    replaced: Math.max(0, (tail.at(-1)?.number ?? 0) - first + 1),
    number: asked.number,
    hash,
    votes: votes.held.get(hash) ?? 0,
    voters: [...votes.held.values()].reduce((sum, count) => sum + count, votes.silent),
  }
  return { may, fork }
}

/** Some upstream stands at the height of one of these headers, on another block. */
function isContradicted({ service }: ChainState, headers: Branch['headers']): boolean {
  const first = headers[0]?.number ?? 0
  return votersHeads(service).some((head) => {
    const ours = head && headers[head.number - first]
    return ours && ours.hash !== head.hash
  })
}

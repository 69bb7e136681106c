import { headerAt } from '../core/chain/tail.ts'
import { heightOfMost } from '../core/chain/votes.ts'
import { votersHeads } from '../upstream/blocks/voters.ts'
import type { Branch } from './find-branch.ts'
import type { Following } from './following.ts'

/**
 * What counts as final once a branch is followed. That upstreams call a height final says
 * nothing of our block there, which may be a liar's or long replaced: it counts from where
 * most of them stand on our chain. Finality never moves back.
 */
export function finalWith(following: Following, { headers }: Branch): number | null {
  const { service, tail, finalized } = following
  const { selection } = service.pool
  const first = headers[0]?.number ?? 0
  const height = heightOfMost(votersHeads(service), ({ number, hash }) => {
    const ours = number < first ? headerAt(tail, number) : headers[number - first]
    return ours?.hash === hash
  })
  if (height === null) return finalized
  const depth = service.network.finalityDepth
  const said = depth === undefined ? selection.finalizedTag : height - depth
  if (said === null) return finalized
  return Math.max(0, finalized ?? 0, Math.min(said, height))
}

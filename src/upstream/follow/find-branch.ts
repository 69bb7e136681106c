import type { Header } from '../../core/chain/block.ts'
import { headerAt, relationTo } from '../../core/chain/tail.ts'
import { majorityHeight } from '../../core/chain/votes.ts'
import { assert } from '../../core/errors.ts'
import type { NetworkService } from '../answers/ask-network.ts'
import { headerByHash, headerByNumber } from '../blocks/headers.ts'
import { votersHeads } from '../blocks/voters.ts'
import type { HeadNews } from '../heads/head-feed.ts'
import { type ChainState, isWhole } from './chain-state.ts'

/** Headers ascending, from right above the chain we hold. */
export type Branch = { kind: 'extends' | 'forks'; headers: readonly Header[] }

/** A gap up to here is filled by walking parents: their hashes leave no room for a mistake. */
const WALK_MAX = 48

/** A longer gap, as after a night switched off, is filled from below, in parts of this length. */
const STRETCH_BLOCKS = 32

/**
 * The way from the chain we hold to a head that was announced. Null when a node could
 * not show it, as when the chain has moved on meanwhile; `below_finality` when it leaves the
 * chain below everything that may still change.
 */
export async function findBranch(
  state: ChainState,
  news: HeadNews,
): Promise<Branch | 'below_finality' | null> {
  const { service, tail } = state
  const tip = tail.at(-1)
  assert(tip !== undefined, 'a branch is looked for from a chain that has begun')
  const gap = news.header.number - tip.number
  const headers = gap > WALK_MAX ? await stretch(service, tip, news) : [news.header]
  // Every step goes one block down, so the end of the tail bounds the walk.
  for (;;) {
    const oldest = headers[0]
    if (oldest === undefined) return null
    const relation = relationTo(tail, oldest, isWhole(state))
    if (relation === 'below_finality') return relation
    if (relation !== 'unconnected') return { kind: relation, headers }
    const parent = await headerByHash(service, oldest.parentHash, news.upstream)
    if (parent?.number !== oldest.number - 1) return null
    headers.unshift(parent)
  }
}

/** The blocks right above the tip by number, as far as each is the parent of the next. */
async function stretch(service: NetworkService, tip: Header, news: HeadNews): Promise<Header[]> {
  const numbers = Array.from({ length: STRETCH_BLOCKS }, (_, at) => tip.number + 1 + at)
  const found = await Promise.all(
    numbers.map((number) => headerByNumber(service, number, news.upstream)),
  )
  const linked: Header[] = []
  for (const header of found) {
    const below = linked.at(-1)
    if (!header || (below && header.parentHash !== below.hash)) break
    linked.push(header)
  }
  return linked
}

/**
 * The height that is final once a branch is followed. That upstreams call it final says
 * nothing of our block there, which may be a liar's or long replaced: it counts from where
 * most of them stand on our chain. Finality never moves back.
 */
export function finalizedAfter(state: ChainState, { headers }: Branch): number | null {
  const { service, tail, finalized } = state
  const { selection } = service.pool
  const first = headers[0]?.number ?? 0
  const height = majorityHeight(votersHeads(service), ({ number, hash }) => {
    const ours = number < first ? headerAt(tail, number) : headers[number - first]
    return ours?.hash === hash
  })
  if (height === null) return finalized
  const depth = service.network.finalityDepth
  const said = depth === undefined ? selection.finalizedTag : height - depth
  if (said === null) return finalized
  return Math.max(0, finalized ?? 0, Math.min(said, height))
}

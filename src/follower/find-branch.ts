import type { Header } from '../core/chain/block.ts'
import { jointOf } from '../core/chain/tail.ts'
import { assert } from '../core/errors.ts'
import type { NetworkService } from '../upstream/answers/ask-network.ts'
import { headerByHash, headerByNumber } from '../upstream/blocks/find-header.ts'
import type { HeadNews } from '../upstream/heads/head-feed.ts'
import { type Following, isWhole } from './following.ts'

/** Headers ascending, from right above the chain we hold. */
export type Branch = { kind: 'extends' | 'forks'; headers: readonly Header[] }

/** A gap up to here is filled by walking parents: their hashes leave no room for a mistake. */
const WALK_MAX = 48

/** A longer one, as after a night switched off, is filled from below, so many blocks at a time. */
const STRETCH_BLOCKS = 32

/**
 * The way from the chain we hold to a head that was announced. Null when a node could
 * not show it, as when the chain has moved on meanwhile; `past_end` when it leaves the
 * chain below all that may change.
 */
export async function findBranch(
  following: Following,
  news: HeadNews,
): Promise<Branch | 'past_end' | null> {
  const { service, tail } = following
  const tip = tail.at(-1)
  assert(tip !== undefined, 'a branch is looked for from a chain that has begun')
  const gap = news.header.number - tip.number
  const headers = gap > WALK_MAX ? await stretch(service, tip, news) : [news.header]
  // Every step goes one block down, so the end of the tail bounds the walk.
  for (;;) {
    const oldest = headers[0]
    if (oldest === undefined) return null
    const joint = jointOf(tail, oldest, isWhole(following))
    if (joint === 'past_end') return joint
    if (joint !== 'open') return { kind: joint, headers }
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

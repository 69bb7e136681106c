import type { Header } from '../core/chain/block.ts'
import { Failure } from '../core/errors.ts'
import type { NetworkService } from '../upstream/answers/ask-network.ts'
import { headerByHash, headerByNumber } from '../upstream/blocks/headers.ts'
import type { HeadNews } from '../upstream/heads/head-feed.ts'
import type { Upstream } from '../upstream/node/upstream.ts'

export type WhichBlock = { hash: string } | { number: number }

/** `upstream` is who has it. */
type FoundBlock = { header: Header; upstream: Upstream | null }

/**
 * The block that is meant, the newest where none is named. Null when nobody who answered
 * knows it; throws a Failure when nobody answered.
 */
export async function findWhichBlock(
  service: NetworkService,
  which: WhichBlock | null,
): Promise<FoundBlock | null> {
  if (which && 'hash' in which) {
    const header = await headerByHash(service, which.hash, null)
    return header && { header, upstream: null }
  }
  const heads = bestFirst(service)
  const [newest] = heads
  if (!newest) throw new Failure('upstream_unreachable')
  return which ? findByNumber(service, which.number, heads) : newest
}

/** The heads of the upstreams in use: first the one that most agree on, then the highest. */
function bestFirst({ heads, pool }: NetworkService): HeadNews[] {
  const agreed = pool.selection.head?.hash
  const rank = ({ header }: HeadNews) =>
    header.hash === agreed ? Number.POSITIVE_INFINITY : header.number
  return heads.latest().toSorted((a, b) => (rank(a) < rank(b) ? 1 : rank(a) > rank(b) ? -1 : 0))
}

async function findByNumber(
  service: NetworkService,
  number: number,
  heads: readonly HeadNews[],
): Promise<FoundBlock | null> {
  let failure: Failure | null = null
  let answered = false
  for (const { upstream } of heads) {
    try {
      const header = await headerByNumber(service, number, upstream)
      if (header) return { header, upstream }
      answered = true
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown
      failure = thrown
    }
  }
  if (failure && !answered) throw failure
  return null
}

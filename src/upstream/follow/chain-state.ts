import { isStale, type Tail } from '../../core/chain/tail.ts'
import type { NetworkService } from '../answers/ask-network.ts'
import type { HeadNews } from '../heads/head-feed.ts'

export type ChainState = {
  service: NetworkService
  tail: Tail
  finalized: number | null
  /** Heads, by hash, that led nowhere, and until when they are left alone. */
  backedOffUntilMs: Map<string, number>
}

/** The part of the chain that can still be replaced where finality is unknown or far away. */
export const TAIL_LENGTH_MAX = 4096

/** A head that led nowhere is tried again after this long. */
const HEAD_BACKOFF_MS_MIN = 100
const HEADS_BACKED_OFF_MAX = 64

/** The tail goes back to the very first block, and that is not final yet. */
export function isWhole({ tail, finalized }: ChainState): boolean {
  const lowest = tail[0]
  return lowest !== undefined && tail.length < TAIL_LENGTH_MAX && lowest.number > (finalized ?? -1)
}

/** The highest head that is news; of equal ones, the one that most upstreams agree on. */
export function bestNews(state: ChainState): HeadNews | null {
  const { service, tail, backedOffUntilMs } = state
  const agreed = service.pool.selection.head?.hash
  const nowMs = service.pool.clock.monotonicMs()
  let best: HeadNews | null = null
  for (const news of service.heads.latest()) {
    const { number, hash } = news.header
    if (isStale(tail, news.header) || (backedOffUntilMs.get(hash) ?? 0) > nowMs) continue
    // The very first block cannot be checked against anything but the others' word.
    if (tail.length === 0 && hash !== agreed) continue
    const higher = number - (best?.header.number ?? -1)
    if (higher > 0 || (higher === 0 && hash === agreed)) best = news
  }
  return best
}

export function backOff({ service, backedOffUntilMs }: ChainState, hash: string): void {
  const oldest = backedOffUntilMs.keys().next().value
  const isFull = backedOffUntilMs.size >= HEADS_BACKED_OFF_MAX
  if (isFull && oldest !== undefined) backedOffUntilMs.delete(oldest)
  const waitMs = Math.max(HEAD_BACKOFF_MS_MIN, service.network.blockTimeMs / 4)
  backedOffUntilMs.set(hash, service.pool.clock.monotonicMs() + waitMs)
}

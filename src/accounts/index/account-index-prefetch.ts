import type { ProgramAccountsCall } from '../../core/solana/request/program-accounts.ts'
import { queryHash } from '../../core/solana/request/query-hash.ts'
import { isSolanaError } from '../../core/solana/solana-error.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AccountIndex, IndexPlace } from '../snapshot/indexed-pages.ts'

export type ReadPage = AccountIndex['page']

type Page = Awaited<ReturnType<ReadPage>>

/** Pages held at once, for all walks; each takes megabytes. */
const PAGES_MAX = 4
/** Two, so that the store never waits for a caller to read the page before. */
const PAGES_AHEAD = 2
/** A caller who does not ask for the next page by then has lost interest, or is slow anyway. */
const HELD_MS = 5_000

/**
 * The same reader, ahead of those who walk: the next pages are read while the last one is sent.
 * A caller who asks for the first page only costs nothing more.
 */
export function prefetchPages(clock: Clock, read: ReadPage): ReadPage {
  const held = new Map<string, { page: Promise<Page>; stopTimer(): void }>()

  const take = (key: string): Promise<Page> | null => {
    const found = held.get(key)
    held.delete(key)
    found?.stopTimer()
    return found?.page ?? null
  }

  const start = (key: string, call: ProgramAccountsCall, place: IndexPlace): Promise<Page> => {
    const page = read(call, place)
    const stopTimer = clock.after(HELD_MS, () => void held.delete(key))
    held.set(key, { page, stopTimer })
    return page
  }

  const prepare = (call: ProgramAccountsCall, place: IndexPlace, ahead: number) => {
    const key = keyOf(call, place)
    const known = held.get(key)?.page
    if (!known && held.size >= PAGES_MAX) return
    const page = known ?? start(key, call, place)
    // A failure reaches the caller who asks for the page, if anybody does.
    page.then((done) => continueAfter(done, call, place, ahead - 1)).catch(() => {})
  }

  const continueAfter = (
    page: Page,
    call: ProgramAccountsCall,
    place: IndexPlace,
    ahead: number,
  ) => {
    if (ahead === 0 || typeof page === 'string' || isSolanaError(page) || !page.more) return
    prepare(call, { ...place, after: page.last }, ahead)
  }

  return async (call, place) => {
    const isWalk = place.after !== null
    const page = await ((isWalk && take(keyOf(call, place))) || read(call, place))
    if (isWalk) continueAfter(page, call, place, PAGES_AHEAD)
    return page
  }
}

/** All that decides what a page holds. */
function keyOf(call: ProgramAccountsCall, { slot, after, limit, bytesMax }: IndexPlace): string {
  return [queryHash(call), slot, after?.toHex(), limit, bytesMax].join()
}

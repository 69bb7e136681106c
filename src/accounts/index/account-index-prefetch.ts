import type { ProgramAccountsCall } from '../../core/solana/request/program-accounts.ts'
import { queryHash } from '../../core/solana/request/query-hash.ts'
import { isSolanaError } from '../../core/solana/solana-error.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AccountIndex, IndexPlace } from '../snapshot/indexed-pages.ts'

export type ReadPage = AccountIndex['page']

type Page = Awaited<ReturnType<ReadPage>>

/** Walks that are read ahead of at once; each page takes megabytes. */
const PAGES_MAX = 4
/** A caller who does not ask for the next page by then has lost interest, or is slow anyway. */
const HELD_MS = 5_000

/**
 * The same reader, one page ahead of those who walk: the next page is read and written while the
 * last one is on its way. Who asks for a first page alone costs nothing more.
 */
export function prefetchPages(clock: Clock, read: ReadPage): ReadPage {
  const held = new Map<string, { page: Promise<Page>; stopTimer(): void }>()

  const take = (key: string): Promise<Page> | null => {
    const found = held.get(key)
    held.delete(key)
    found?.stopTimer()
    return found?.page ?? null
  }

  const prepare = (call: ProgramAccountsCall, place: IndexPlace) => {
    const key = keyOf(call, place)
    if (held.size >= PAGES_MAX || held.has(key)) return
    const page = read(call, place)
    // The caller who asks for it is told what went wrong; perhaps nobody does.
    page.catch(() => {})
    const stopTimer = clock.after(HELD_MS, () => void held.delete(key))
    held.set(key, { page, stopTimer })
  }

  return async (call, place) => {
    const isWalk = place.after !== null
    const page = await ((isWalk && take(keyOf(call, place))) || read(call, place))
    if (isWalk && typeof page === 'object' && !isSolanaError(page) && page.more) {
      prepare(call, { ...place, after: page.last })
    }
    return page
  }
}

/** All that decides what a page holds. */
function keyOf(call: ProgramAccountsCall, { slot, after, limit, bytesMax }: IndexPlace): string {
  return [queryHash(call), slot, after?.toHex(), limit, bytesMax].join()
}

import { keep } from '../core/lent-memory.ts'
import { joinRoomy, letGo, putAround, type RoomyBytes, roomyOver } from '../core/roomy-bytes.ts'
import type { SolanaError } from '../core/solana/account.ts'
import { type PageForm, pageForm } from '../core/solana/page-form.ts'
import type { ProgramAccountsCall } from '../core/solana/program-accounts.ts'
import { isSolanaError } from '../core/solana/solana-error.ts'
import { beginAnswer, type OwnAnswer, ownError } from './own-answer.ts'
import type { PageKeys } from './page-keys.ts'
import { pageBytesMax } from './walk-page.ts'

/** An index of our own, kept for chosen programs; all that is asked of it here. */
export type AccountIndex = {
  /** The slot at which it can answer this call now; null: it cannot, ask a node. */
  covers(call: ProgramAccountsCall): { slot: bigint } | null
  /** The next records behind `after`, in the order of the call. */
  page(call: ProgramAccountsCall, place: IndexPlace): Promise<IndexPage | SolanaError | 'gone'>
}

export type IndexPlace = {
  slot: bigint
  /** The last key of the page before; null for the first page. */
  after: Uint8Array | null
  limit: number
  /** The most that the records may take, as they are written; one is always given. */
  bytesMax: number
}

export type IndexPage = {
  /** The records, joined by commas. Each piece has its memory alone; whoever drops it lets go. */
  bytes: readonly Uint8Array[]
  /** Free room on each side of them, if they are in one piece whose buffer is theirs alone. */
  room: number
  count: number
  last: Uint8Array | null
  more: boolean
}

/** What is more is streamed: it is not held twice, not even for a moment. */
export const WHOLE_BYTES_MAX = 8 * 1024 * 1024

/**
 * Serves a page from the index. 'gone' when it no longer shows the moment that a key speaks of;
 * of its own slot it always has the first page.
 */
export async function serveIndexed(
  index: AccountIndex,
  keys: PageKeys,
  call: ProgramAccountsCall,
  place: { slot: bigint; after: Uint8Array | null; bond: string },
): Promise<OwnAnswer | 'gone'> {
  const { slot, after, bond } = place
  const bytesMax = pageBytesMax(call)
  const page = await index.page(call, { slot, after, limit: call.limit, bytesMax })
  if (page === 'gone') return 'gone'
  if (isSolanaError(page)) return ownError(page)
  const form = pageForm(call, { slot, apiVersion: null })
  const end =
    page.more && page.last !== null ? { snapshot: '', slot, after: page.last, bond } : null
  const pageKey = end === null ? null : keys.write(end).text
  const source = { upstream: 'index', cache: 'hit' } as const
  const bytes = page.bytes.reduce((sum, piece) => sum + piece.length, 0)
  if (bytes > WHOLE_BYTES_MAX) {
    const kept = { ...page, bytes: page.bytes.map(keep) }
    return beginAnswer(pagePieces(kept, form, pageKey), source, () => {})
  }
  return { kind: 'bytes', bytes: wholePage(page, form, pageKey), ...source }
}

function wholePage(page: IndexPage, form: PageForm, pageKey: string | null): RoomyBytes {
  const [first] = page.bytes
  const isRoomy = page.bytes.length === 1 && first && page.room > 0
  const records = isRoomy ? roomyOver(first, page.room) : joinRoomy(page.bytes)
  if (!isRoomy) page.bytes.forEach(letGo)
  const inside = pageKey === null ? '' : form.inLastRecord(pageKey)
  // Before the bracket of the last record, which is the very last byte.
  if (inside !== '') records.to--
  return putAround(records, form.before, endText(inside, form, pageKey))
}

function endText(inside: string, form: PageForm, pageKey: string | null): string {
  return `${inside === '' ? '' : `${inside}}`}${form.after(pageKey)}`
}

async function* pagePieces(
  page: IndexPage,
  form: PageForm,
  pageKey: string | null,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  const inside = pageKey === null ? '' : form.inLastRecord(pageKey)
  yield encoder.encode(form.before)
  const last = page.bytes.length - 1
  for (const [at, piece] of page.bytes.entries()) {
    // Before the bracket of the last record, which is the very last byte.
    yield at === last && inside !== '' ? piece.subarray(0, -1) : piece
  }
  yield encoder.encode(endText(inside, form, pageKey))
}

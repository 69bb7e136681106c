import type { SolanaError } from '../../core/solana/account.ts'
import { type PageForm, pageForm } from '../../core/solana/request/page-form.ts'
import type { ProgramAccountsCall } from '../../core/solana/request/program-accounts.ts'
import { isSolanaError } from '../../core/solana/solana-error.ts'
import { type OwnAnswer, ownError, pulledStream } from './own-answer.ts'
import type { PageKeys } from './page-keys.ts'
import { pageBytesMax } from './walk-page.ts'

export type AccountIndex = {
  /** The slot at which it can answer this call now; null: it cannot, ask a node. */
  covers(call: ProgramAccountsCall): { slot: bigint } | null
  /** The next records behind `after`, in the order of the call; 'large': they come in parts. */
  page(
    call: ProgramAccountsCall,
    place: IndexPlace,
  ): Promise<IndexPage | SolanaError | 'gone' | 'large'>
  /** The same bit by bit, each read when it is asked for. Throws when their moment is gone. */
  parts(call: ProgramAccountsCall, place: IndexPlace): AsyncGenerator<IndexPart>
}

/** The next records and what parts them from those before; the last one knows of others. */
export type IndexPart = { bytes: readonly Uint8Array[]; last: Uint8Array | null; more: boolean }

export type IndexPlace = {
  slot: bigint
  teamId: string
  /** The last key of the page before; null for the first page. */
  after: Uint8Array | null
  limit: number
  /** The most that the records may take, as they are written; one is always given. */
  bytesMax: number
}

export type IndexPage = IndexPart & { count: number }

/** The most that is handed on in one piece, so that little waits for a slow reader. */
const PIECE_BYTES = 256 * 1024

const encoder = new TextEncoder()

/**
 * Serves a page from the index. 'gone' when it no longer shows the moment that a key speaks of;
 * of its own slot it always has the first page.
 */
export async function serveIndexed(
  index: AccountIndex,
  keys: PageKeys,
  call: ProgramAccountsCall,
  place: { slot: bigint; after: Uint8Array | null; fingerprint: string; teamId: string },
): Promise<OwnAnswer | 'gone'> {
  const { slot, after, fingerprint, teamId } = place
  const from = { slot, after, teamId, limit: call.limit, bytesMax: pageBytesMax(call) }
  const page = await index.page(call, from)
  if (page === 'gone') return 'gone'
  const form = pageForm(call, { slot, apiVersion: null })
  const pageKey = (last: Uint8Array | null, more: boolean) =>
    more && last !== null ? keys.write({ snapshot: '', slot, after: last, fingerprint }).text : null
  const source = { upstream: 'index', cache: 'hit' } as const
  if (page === 'large') {
    const pieces = pagePieces(index.parts(call, from), form, pageKey)
    return { kind: 'stream', stream: pulledStream(pieces, () => {}), ...source }
  }
  if (isSolanaError(page)) return ownError(page)
  const pieces = wholePage(page, form, pageKey(page.last, page.more))
  return { kind: 'bytes', pieces, ...source }
}

function wholePage(page: IndexPage, form: PageForm, pageKey: string | null): Uint8Array[] {
  const inside = pageKey === null ? '' : form.inLastRecord(pageKey)
  const before = encoder.encode(form.before)
  const last = page.bytes.at(-1)
  if (inside === '' || !last) {
    return [before, ...page.bytes, encoder.encode(form.after(pageKey))]
  }
  // Before the bracket of the last record, which is the very last byte.
  const records = [...page.bytes.slice(0, -1), last.subarray(0, -1)]
  return [before, ...records, encoder.encode(`${inside}}${form.after(pageKey)}`)]
}

async function* pagePieces(
  parts: AsyncGenerator<IndexPart>,
  form: PageForm,
  pageKeyOf: (last: Uint8Array | null, more: boolean) => string | null,
): AsyncGenerator<Uint8Array> {
  yield encoder.encode(form.before)
  let last: Uint8Array | null = null
  let more = false
  // A page key stands before the bracket of the last record, so one byte is always held back.
  let held: Uint8Array | null = null
  for await (const part of parts) {
    last = part.last ?? last
    more = part.more
    for (const bytes of part.bytes) {
      if (held !== null) yield held
      for (let at = 0; at < bytes.length - 1; at += PIECE_BYTES) {
        yield bytes.subarray(at, Math.min(bytes.length - 1, at + PIECE_BYTES))
      }
      held = bytes.slice(-1)
    }
  }
  const pageKey = pageKeyOf(last, more)
  const inside = pageKey === null ? '' : form.inLastRecord(pageKey)
  if (inside !== '') yield encoder.encode(inside)
  if (held !== null) yield held
  yield encoder.encode(form.after(pageKey))
}

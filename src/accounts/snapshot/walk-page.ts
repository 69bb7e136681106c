import { Failure } from '../../core/errors.ts'
import { pageForm } from '../../core/solana/request/page-form.ts'
import type { ProgramAccountsCall } from '../../core/solana/request/program-accounts.ts'
import type { CacheStatus } from '../../upstream/answers/ask-network.ts'
import type { Found } from '../scan/scanning.ts'
import { beginAnswer, type OwnAnswer } from './own-answer.ts'
import { type PageFrame, pageBytes } from './page-bytes.ts'
import type { PageKeys } from './page-keys.ts'
import type { SnapshotWalk } from './snapshot-walk.ts'

export type PageAsked = {
  call: ProgramAccountsCall
  walk: SnapshotWalk
  found: Found
  /** The last key of the page before; null for the first one. */
  after: Uint8Array | null
  cache: CacheStatus
}

/**
 * The most account data in one page; one account's is never cut. So much comes in one answer
 * because clients that know no pages take a page for all there is.
 */
const PAGE_DATA_BYTES_MAX = 128 * 1024 * 1024

const BASE64_GROWTH = 4 / 3

/** Serves one page; `left` is called when it was read to its end, or its reader has gone. */
export async function serveWalkPage(
  keys: PageKeys,
  asked: PageAsked,
  left: () => void,
): Promise<OwnAnswer> {
  const { call, found, cache } = asked
  const from = await firstRow(asked)
  const span = { order: call.order, from, limit: call.limit, bytesMax: pageBytesMax(call) }
  const pieces = pageBytes(found.log, span, frameOf(keys, asked))
  return beginAnswer(pieces, { upstream: found.upstream, cache }, left)
}

export function pageBytesMax({ encoding }: ProgramAccountsCall): number {
  const isBase64 = encoding === 'base64' || encoding === 'base64+zstd'
  return isBase64 ? Math.floor(PAGE_DATA_BYTES_MAX * BASE64_GROWTH) : PAGE_DATA_BYTES_MAX
}

async function firstRow({ call, found, after }: PageAsked): Promise<number> {
  const { log } = found
  if (call.order === 'desc') return (after === null ? log.count : await log.find(after)) - 1
  // A page ends with a record that is there, so the next one begins behind it.
  return after === null ? 0 : (await log.find(after)) + 1
}

function frameOf(keys: PageKeys, { call, walk, found }: PageAsked): PageFrame {
  const { slot } = found.context
  // Without a slot nobody could tell which moment this is, nor ask for more of it.
  if (slot === null && call.withContext) throw noSlot()
  const form = pageForm(call, found.context)
  return {
    before: form.before,
    end(last, more) {
      if (!more || last === null) return { inLastRecord: '', after: form.after(null) }
      if (slot === null) throw noSlot()
      const end = { snapshot: walk.id, slot, after: last.key, fingerprint: walk.fingerprint }
      const { text, expiresAtMs } = keys.write(end)
      walk.keptUntilMs = Math.max(walk.keptUntilMs, expiresAtMs)
      if (walk.isOver) found.log.unload()
      return { inLastRecord: form.inLastRecord(text), after: form.after(text) }
    },
  }
}

function noSlot(): Failure {
  return new Failure('upstream_answered_badly', { reason: 'an answer of no slot' })
}

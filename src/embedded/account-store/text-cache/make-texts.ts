import type { PageOrder } from '../../../ports/account-store.ts'
import { OPEN_END } from '../account-store-file.ts'
import { ROWS_AT_ONCE, readRows } from '../account-store-pages.ts'
import { keyBefore, openPlainWriter } from '../account-store-records.ts'
import type { AccountTables } from '../account-store-tables.ts'
import type { KeyRange } from './cached-ranges.ts'
import type { HotRange } from './hot-ranges.ts'
import type { CachedText } from './text-cache.ts'

type ProgramRow = { pubkey: Uint8Array; bytes: bigint }

/** All accounts as they were written last, in the common form. */
const NEWEST: Omit<PageOrder, 'program' | 'after'> = {
  slot: OPEN_END - 1,
  order: 'asc',
  limit: ROWS_AT_ONCE,
  bytesMax: Number.POSITIVE_INFINITY,
  hasRecords: false,
  filters: [],
  changedSinceSlot: null,
  encoding: 'base64',
  dataSlice: null,
  stepBytesMax: Number.POSITIVE_INFINITY,
  mints: [],
  unixTimestamp: 0n,
}

/** Makes the next texts of a hot range; returns where to go on, null when all is done. */
export function makeTexts(tables: AccountTables, hotRange: HotRange): Uint8Array | null {
  const { program, slot } = hotRange
  const uncached = tables.textCache.uncached(program, hotRange, slot)
  const [row] = tables.rows<ProgramRow>(
    'SELECT pubkey, body_bytes_max AS bytes FROM programs WHERE id = ?',
    program,
  )
  if (!uncached || !row) return null
  const ends: number[] = []
  const writer = openPlainWriter(row.pubkey, { ends })
  const order = { ...NEWEST, program: row.pubkey, after: null }
  const stored = { id: program, bodyBytesMax: Number(row.bytes) }
  const span = { ...uncached, rowsMax: ROWS_AT_ONCE, lookup: null }
  const read = readRows(tables, stored, order, writer, span)
  if (!('rows' in read)) return null
  // Without accounts there is nothing to be made ready.
  if (writer.count === 0) return uncached.upTo
  const to = read.more === false ? uncached.upTo : read.last
  const text = writer.take()
  const range = { after: uncached.after, upTo: to ?? uncached.upTo }
  const texts = cut(text, ends, range, tables.textCache.rules.textBytes)
  const isRoom = tables.together(() =>
    texts.every((cached) => {
      const slotFrom = lastChange(tables, program, cached)
      return tables.textCache.add(program, { ...cached, slotFrom }, slot)
    }),
  )
  return isRoom ? (texts.at(-1)?.upTo ?? null) : null
}

/** Cuts records into texts of about equal length. */
function cut(
  text: Uint8Array,
  ends: readonly number[],
  { after, upTo }: KeyRange,
  textBytes: number,
): Omit<CachedText, 'slotFrom'>[] {
  const texts: Omit<CachedText, 'slotFrom'>[] = []
  const share = text.length / Math.max(1, Math.round(text.length / textBytes))
  let first = 0
  let from = after
  for (let at = 0; at < ends.length; at++) {
    const begin = first === 0 ? 0 : (ends[first - 1] as number) + 1
    const end = ends[at] as number
    const isLast = at === ends.length - 1
    if (!isLast && end < share * (texts.length + 1)) continue
    const key = isLast ? upTo : keyBefore(text, end)
    const own = Uint32Array.from(ends.slice(first, at + 1), (one) => one - begin)
    texts.push({ after: from, upTo: key, ends: own, text: text.subarray(begin, end) })
    first = at + 1
    from = key
  }
  return texts
}

/** Since this slot nothing of that range has changed, as far as is known. */
function lastChange(tables: AccountTables, program: number, { after, upTo }: KeyRange): number {
  const [row] = tables.rows<{ slot: bigint }>(
    `SELECT max(max(slot_from), max(iif(slot_to < ${OPEN_END}, slot_to, 0))) AS slot
     FROM accounts WHERE program = ? AND pubkey > ? AND pubkey <= ?`,
    program,
    after,
    upTo,
  )
  return Number(row?.slot ?? 0)
}

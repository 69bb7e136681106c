import type { PageOrder } from '../../../ports/account-store.ts'
import { OPEN_END } from '../account-store-file.ts'
import { ROWS_AT_ONCE, readRows } from '../account-store-pages.ts'
import { keyBefore, openPlainWriter } from '../account-store-records.ts'
import type { AccountTables } from '../account-store-tables.ts'
import type { Run } from './account-store-run-book.ts'
import type { KeyRange } from './account-store-run-tiles.ts'
import type { RunWish } from './account-store-run-wishes.ts'

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

/** Makes the next runs that are wished for; returns where to go on, null when all is done. */
export function makeRuns(tables: AccountTables, wish: RunWish): Uint8Array | null {
  const { program, slot } = wish
  const vacancy = tables.runs.vacancy(program, wish, slot)
  const [row] = tables.rows<ProgramRow>(
    'SELECT pubkey, body_bytes_max AS bytes FROM programs WHERE id = ?',
    program,
  )
  if (!vacancy || !row) return null
  const ends: number[] = []
  const writer = openPlainWriter(row.pubkey, ends)
  const order = { ...NEWEST, program: row.pubkey, after: null }
  const stored = { id: program, bodyBytesMax: Number(row.bytes) }
  const span = { ...vacancy, rowsMax: ROWS_AT_ONCE, lookup: null }
  const read = readRows(tables, stored, order, writer, span)
  if (!('rows' in read)) return null
  // Without accounts there is nothing to be made ready.
  if (writer.count === 0) return vacancy.upTo
  const to = read.more === false ? vacancy.upTo : read.last
  const text = writer.take()
  const range = { after: vacancy.after, upTo: to ?? vacancy.upTo }
  const runs = cut(text, ends, range, tables.runs.rules.runBytes)
  const isRoom = tables.together(() =>
    runs.every((run) => {
      const slotFrom = lastChange(tables, program, run)
      return tables.runs.add(program, { ...run, slotFrom }, slot)
    }),
  )
  return isRoom ? (runs.at(-1)?.upTo ?? null) : null
}

/** Cuts records into runs of about equal length. */
function cut(
  text: Uint8Array,
  ends: readonly number[],
  { after, upTo }: KeyRange,
  runBytes: number,
): Omit<Run, 'slotFrom'>[] {
  const runs: Omit<Run, 'slotFrom'>[] = []
  const share = text.length / Math.max(1, Math.round(text.length / runBytes))
  let first = 0
  let from = after
  for (let at = 0; at < ends.length; at++) {
    const begin = first === 0 ? 0 : (ends[first - 1] as number) + 1
    const end = ends[at] as number
    const isLast = at === ends.length - 1
    if (!isLast && end < share * (runs.length + 1)) continue
    const key = isLast ? upTo : keyBefore(text, end)
    const own = Uint32Array.from(ends.slice(first, at + 1), (one) => one - begin)
    runs.push({ after: from, upTo: key, ends: own, text: text.subarray(begin, end) })
    first = at + 1
    from = key
  }
  return runs
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

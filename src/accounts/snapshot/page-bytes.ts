import type { RecordLog } from '../record-log/record-log.ts'
import type { Row } from '../record-log/record-rows.ts'

export type PageSpan = {
  order: 'asc' | 'desc'
  /** The row of its first record, in its own order. */
  from: number
  limit: number
  /** The most that its records may take; one record is always in it. */
  bytesMax: number
}

/** The text around them, once it is known whether more follow. */
export type PageFrame = {
  before: string
  end(last: Row | null, more: boolean): { inLastRecord: string; after: string }
}

const ROWS_AT_ONCE = 512

/** The most that is handed on in one piece: a record may be megabytes long, and its reader slow. */
const PIECE_BYTES = 256 * 1024

/** Records far apart on the disk are read one by one instead of with all between them. */
const SPREAD_MAX = 4

const encoder = new TextEncoder()

/**
 * The bytes of one page, as they come in while its log grows. One record is always held back,
 * since only the next one tells whether it is the page's last.
 */
export async function* pageBytes(
  log: RecordLog,
  span: PageSpan,
  frame: PageFrame,
): AsyncGenerator<Uint8Array> {
  yield encoder.encode(frame.before)
  let held: Row | null = null
  let more = false
  for await (const page of pageRows(log, span)) {
    more = page.more
    const rows: Row[] = held ? [held, ...page.rows] : page.rows
    held = rows.pop() ?? null
    yield* recordBytes(log, rows)
  }
  const { inLastRecord, after } = frame.end(held, more)
  if (held) yield* lastRecord(log, held, inLastRecord)
  yield encoder.encode(after)
}

/** The page's rows, some at a time; `more` with the last of them says whether others follow. */
async function* pageRows(
  log: RecordLog,
  { order, from, limit, bytesMax }: PageSpan,
): AsyncGenerator<{ rows: Row[]; more: boolean }> {
  const step = order === 'asc' ? 1 : -1
  let at = from
  let taken = 0
  let bytes = 0
  for (;;) {
    const batch = await rowsFrom(log, at, step)
    if (batch.length === 0) return
    const rows: Row[] = []
    for (const row of batch) {
      bytes += row.length
      if (taken === limit || (taken > 0 && bytes > bytesMax)) return yield { rows, more: true }
      rows.push(row)
      taken++
    }
    at += step * batch.length
    yield { rows, more: false }
  }
}

/** The next rows there are, waiting for one if need be; none at the end. */
async function rowsFrom(log: RecordLog, at: number, step: 1 | -1): Promise<Row[]> {
  if (step === -1) {
    const rows = at < 0 ? [] : await log.rows(Math.max(0, at + 1 - ROWS_AT_ONCE), at + 1)
    return rows.reverse()
  }
  await log.grown(at)
  return log.rows(at, Math.min(log.count, at + ROWS_AT_ONCE))
}

/** Records that others follow: each has a comma behind it. */
async function* recordBytes(log: RecordLog, rows: readonly Row[]): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < rows.length; ) {
    let to = from
    let bytes = 0
    while (to < rows.length && (to === from || bytes + (rows[to] as Row).length <= PIECE_BYTES)) {
      bytes += (rows[to] as Row).length + 1
      to++
    }
    const { start } = rows[from] as Row
    if (to === from + 1) yield* parts(log, start, start + bytes)
    else yield await joined(log, rows.slice(from, to), bytes)
    from = to
  }
}

async function joined(log: RecordLog, rows: readonly Row[], bytes: number): Promise<Uint8Array> {
  const start = Math.min(...rows.map((row) => row.start))
  const end = Math.max(...rows.map((row) => row.start + row.length + 1))
  if (isRun(rows)) return log.read(start, end)
  const near = end - start <= bytes * SPREAD_MAX ? await log.read(start, end) : null
  const out = new Uint8Array(bytes)
  let at = 0
  for (const row of rows) {
    const rowEnd = row.start + row.length + 1
    const record = near?.subarray(row.start - start, rowEnd - start)
    out.set(record ?? (await log.read(row.start, rowEnd)), at)
    at += row.length + 1
  }
  return out
}

/** True when the records stand one behind the other. */
function isRun(rows: readonly Row[]): boolean {
  for (let at = 1; at < rows.length; at++) {
    const before = rows[at - 1] as Row
    if ((rows[at] as Row).start !== before.start + before.length + 1) return false
  }
  return true
}

async function* lastRecord(
  log: RecordLog,
  { start, length }: Row,
  inside: string,
): AsyncGenerator<Uint8Array> {
  if (inside === '') return yield* parts(log, start, start + length)
  // A record is an object, so its last byte is its bracket.
  yield* parts(log, start, start + length - 1)
  yield encoder.encode(`${inside}}`)
}

async function* parts(log: RecordLog, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; at += PIECE_BYTES) {
    yield await log.read(at, Math.min(to, at + PIECE_BYTES))
  }
}

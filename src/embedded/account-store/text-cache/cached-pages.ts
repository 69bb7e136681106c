import type { SolanaError } from '../../../core/solana/account.ts'
import type { PageOrder, PageStep } from '../../../ports/account-store.ts'
import { type AccountFile, FIRST, LAST } from '../account-store-file.ts'
import {
  FRAME_BYTES,
  ROWS_AT_ONCE,
  readPage,
  readRows,
  type StoredProgram,
  stepOf,
} from '../account-store-pages.ts'
import { isPlain, keyBefore, openPlainWriter, type PlainWriter } from '../account-store-records.ts'
import { compareBounds } from './cached-ranges.ts'
import type { HotRanges } from './hot-ranges.ts'

type TextRow = {
  after_key: Uint8Array
  upto_key: Uint8Array
  place: bigint
  text_bytes: bigint
  records: bigint
}

/** `tight`: it may take more than the page has room for. */
type Copied = 'whole' | 'full' | 'tight'

/** The most that is copied in one go. */
const BYTES_AT_ONCE = 8 * 1024 * 1024
/** Texts that are looked up together. */
const TEXTS_AT_ONCE = 40

const NEXT = `SELECT after_key, upto_key, place, text_bytes, records
  FROM texts INDEXED BY texts_by_key
  WHERE program = ? AND upto_key > ? AND slot_from <= ? AND slot_to > ?
  ORDER BY upto_key LIMIT ${TEXTS_AT_ONCE}`

/** Only of all accounts, in the order of their keys, in the common form there is ready text. */
export function canBeCached(order: PageOrder): boolean {
  const isOfAll = order.filters.length === 0 && order.changedSinceSlot === null
  return isOfAll && order.order === 'asc' && isPlain(order)
}

/** Reads the next part of a page: texts as far as there are any, and row by row between them. */
export function readCachedPage(
  file: AccountFile,
  program: StoredProgram,
  order: PageOrder,
  { hotRanges, memory }: { hotRanges: HotRanges; memory: SharedArrayBuffer | null },
): PageStep | SolanaError {
  const gone = timesGone(file)
  const writer = openPlainWriter(order.program, { memory })
  const isUnspoilt = () => timesGone(file) === gone
  const step = readUnspoilt(() => readParts(file, program, order, writer, hotRanges), isUnspoilt)
  return step ?? readPage(file, program, order, null)
}

/** While a text is there, nothing is written over it; else what was read of it is garbage. */
function readUnspoilt<T>(read: () => T, isUnspoilt: () => boolean): T | null {
  try {
    const value = read()
    return isUnspoilt() ? value : null
  } catch (thrown) {
    if (isUnspoilt()) throw thrown
    return null
  }
}

function timesGone(file: AccountFile): bigint | undefined {
  return file.rows<{ times: bigint }>('SELECT times FROM texts_gone')[0]?.times
}

function readParts(
  file: AccountFile,
  program: StoredProgram,
  order: PageOrder,
  writer: PlainWriter,
  hotRanges: HotRanges,
): PageStep | SolanaError {
  const step = (more: PageStep['more']) => stepOf(writer, writer.lastKey(), more)
  let rowsLeft = ROWS_AT_ONCE
  for (let at = order.after ?? FIRST; ; ) {
    const chain = copyTexts(file, program, order, writer, at)
    if (chain.end === 'full') return step(true)
    at = chain.to
    if (writer.bytes >= bytesAtOnce(order)) return step({ lookedTo: at })
    if (chain.end === 'more') continue
    const upTo = chain.next
    const bytes = writer.bytes
    const span = { after: at, upTo, rowsMax: rowsLeft, lookup: null }
    const read = readRows(file, program, order, writer, span)
    if (!('rows' in read)) return read
    const to = read.more === false ? upTo : (read.last ?? at)
    const hotRange = { program: program.id, slot: order.slot, after: at, upTo: to }
    hotRanges.note(hotRange, read.rows, writer.bytes - bytes)
    if (read.more !== false || upTo === LAST) return step(read.more)
    at = upTo
    rowsLeft -= read.rows
  }
}

/** How far texts were copied, and why no further: `next` is the end of what has none. */
type Chain =
  | { end: 'full' }
  | { end: 'more'; to: Uint8Array }
  | { end: 'gap'; to: Uint8Array; next: Uint8Array }

function copyTexts(
  file: AccountFile,
  { id }: StoredProgram,
  order: PageOrder,
  writer: PlainWriter,
  from: Uint8Array,
): Chain {
  const { slot } = order
  let to = from
  const texts = file.rows<TextRow>(NEXT, id, from, slot, slot)
  for (const cached of texts) {
    if (compareBounds(cached.upto_key, to) <= 0) continue
    if (compareBounds(cached.after_key, to) > 0) return { end: 'gap', to, next: cached.after_key }
    const copied = copyText(file, writer, cached, to, order)
    if (copied === 'full') return { end: 'full' }
    // From here on the end of the page is found row by row.
    if (copied === 'tight') return { end: 'gap', to, next: LAST }
    to = cached.upto_key
    if (writer.bytes >= bytesAtOnce(order)) break
  }
  return texts.length === 0 ? { end: 'gap', to, next: LAST } : { end: 'more', to }
}

/** Copies the records behind a key, as many as the page may hold. */
function copyText(
  file: AccountFile,
  writer: PlainWriter,
  cached: TextRow,
  behind: Uint8Array,
  order: PageOrder,
): Copied {
  const [bytes, records] = [Number(cached.text_bytes), Number(cached.records)]
  const { limit, bytesMax } = order
  if (writer.bytes + bytes + FRAME_BYTES > bytesMax) return 'tight'
  if (writer.count === 0) {
    const expected = Math.ceil((bytes / records + 2) * limit)
    writer.expectText(Math.min(expected, bytesAtOnce(order)))
  }
  const isWhole = compareBounds(cached.after_key, behind) === 0 && records <= limit - writer.count
  if (!isWhole) return copyPart(file, writer, cached, behind, limit - writer.count)
  const place = Number(cached.place)
  writer.put(records, bytes, (out, at) => file.texts.read(out, at, place, bytes))
  return 'whole'
}

function copyPart(
  file: AccountFile,
  writer: PlainWriter,
  cached: TextRow,
  behind: Uint8Array,
  recordsMax: number,
): Copied {
  const [bytes, records] = [Number(cached.text_bytes), Number(cached.records)]
  const all = new Uint8Array(bytes + records * Uint32Array.BYTES_PER_ELEMENT)
  file.texts.read(all, 0, Number(cached.place), all.length)
  const ends = new Uint32Array(all.slice(bytes).buffer)
  const first = firstBehind(all, ends, behind)
  const wanted = Math.min(records - first, recordsMax)
  const from = first === 0 ? 0 : (ends[first - 1] as number) + 1
  if (wanted > 0) {
    const part = all.subarray(from, ends[first + wanted - 1] as number)
    writer.put(wanted, part.length, (out, at) => out.set(part, at))
  }
  return wanted < records - first ? 'full' : 'whole'
}

function bytesAtOnce({ stepBytesMax }: PageOrder): number {
  return Math.min(BYTES_AT_ONCE, stepBytesMax)
}

/** The first record whose key is behind that one; as many as there are, if none is. */
function firstBehind(text: Uint8Array, ends: Uint32Array, key: Uint8Array): number {
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareBounds(keyBefore(text, ends[middle] as number), key) > 0) high = middle
    else low = middle + 1
  }
  return low
}

import type { SolanaError } from '../../core/solana/account.ts'
import { parseAccount } from '../../core/solana/parsers/parse-account.ts'
import {
  type MintFacts,
  type ParseHelps,
  readMintFacts,
} from '../../core/solana/parsers/parse-helps.ts'
import { isTokenProgram, PROGRAM_KEYS } from '../../core/solana/programs.ts'
import { matchesFilters } from '../../core/solana/request/matches-filters.ts'
import type { PageOrder, PageStep } from '../../ports/account-store.ts'
import { type Bodies, bodiesIn, bodyEnd, DATA_AT, dataOf, pubkeyOf } from './account-store-body.ts'
import { type AccountFile, FIRST, LAST } from './account-store-file.ts'
import type { Lookup } from './account-store-lookups.ts'
import {
  isStoredForm,
  keyBefore,
  openStoredWriter,
  type StoredWriter,
} from './account-store-records.ts'

export type StoredProgram = { id: number; bodyBytesMax: number }

/** The outcome of reading rows: whether others follow, else how far it was looked. */
type RowsRead = { last: Uint8Array | null; more: PageStep['more'] }

/** The most that is looked at in one go, so that others need not wait long for their turn. */
const ROWS_AT_ONCE = 1_250
const BYTES_AT_ONCE = 4 * 1024 * 1024
const TEXT_BYTES_AT_ONCE = 8 * 1024 * 1024
/** Joined into one value of about half a megabyte: a larger one needs fresh memory each time. */
const TEXTS_AT_ONCE = 1_250
/** Up to here all of them are had as one value, which is quicker. */
const JOINED_BYTES_MAX = 2 * BYTES_AT_ONCE

/** About what a record takes beside its data. */
const FRAME_BYTES = 256
const BASE64_GROWTH = 4 / 3

export function readPage(
  file: AccountFile,
  program: StoredProgram,
  order: PageOrder,
  lookup: Lookup | null,
): PageStep | SolanaError {
  const { encoding, dataSlice } = order
  if (isStoredForm(order) && order.filters.length === 0) {
    const step = readTexts(file, program, order)
    if (step) return step
  }
  const { helps, unknownMints } = helpsFor(file, order)
  const writer = openStoredWriter({
    owner: order.program,
    encoding,
    dataSlice,
    parse: (account) => parseAccount(account, helps),
    // A node leaves out the accounts of the token programs that it cannot parse.
    mustParse: encoding === 'jsonParsed' && isTokenProgram(order.program),
  })
  const read = readRows(file, program, order, writer, lookup)
  if (!('more' in read)) return read
  const { count } = writer.written
  const pieces = count === 0 ? [] : [writer.written.take()]
  return { pieces, count, ...read, unknownMints: [...unknownMints.values()] }
}

/** Joins the stored texts of the next accounts; null where some have none, or may not fit. */
function readTexts(
  file: AccountFile,
  { id, bodyBytesMax }: StoredProgram,
  order: PageOrder,
): PageStep | null {
  const textBytesMax = FRAME_BYTES + bodyBytesMax * BASE64_GROWTH
  const fitting = Math.floor(Math.min(TEXT_BYTES_AT_ONCE, order.stepBytesMax) / textBytesMax)
  const rowsMax = Math.min(order.limit, fitting)
  if (rowsMax < 1 || rowsMax * textBytesMax > order.bytesMax) return null
  const pieces: Uint8Array[] = []
  let count = 0
  let last: Uint8Array | null = null
  while (count < rowsMax) {
    const wanted = Math.min(TEXTS_AT_ONCE, rowsMax - count)
    const values = valuesOf({ ...order, after: last ?? order.after }, null, wanted)
    const [row] = file.rows<{ bytes: Uint8Array | null; texts: bigint }>(
      `SELECT CAST(group_concat(text, ',') AS BLOB) AS bytes, count(text) AS texts
       FROM (${pageText('text', id, order, null)})`,
      ...values,
    )
    const texts = Number(row?.texts)
    const isEnd = texts < wanted
    // A missing text looks like the end. Only then are the rows counted, which takes time.
    if (isEnd && file.rows(pageText('1', id, order, null), ...values).length > texts) return null
    if (row?.bytes) {
      pieces.push(row.bytes)
      count += texts
      last = keyBefore(row.bytes, row.bytes.length)
    }
    if (isEnd || last === null) return { pieces, count, last, more: false, unknownMints: [] }
  }
  return { pieces, count, last, more: moreAfter(), unknownMints: [] }

  function moreAfter(): PageStep['more'] {
    if (last !== null && count < order.limit) return { lookedTo: last }
    const next = pageText('1', id, order, null)
    return file.rows(next, ...valuesOf({ ...order, after: last }, null, 1)).length > 0
  }
}

function readRows(
  file: AccountFile,
  { id, bodyBytesMax }: StoredProgram,
  order: PageOrder,
  writer: StoredWriter,
  lookup: Lookup | null,
): RowsRead | SolanaError {
  const values = valuesOf(order, lookup, ROWS_AT_ONCE)
  const text = pageText('body', id, order, lookup)
  if (bodyBytesMax * ROWS_AT_ONCE <= JOINED_BYTES_MAX) {
    // One string of bytes, in the order of the rows.
    const joined = `SELECT CAST(group_concat(body, '') AS BLOB) AS body FROM (${text})`
    const [row] = file.rows<{ body: Uint8Array | null }>(joined, ...values)
    return writeRows(writer, order, row?.body ? [row.body] : [])
  }
  return file.statements.use(text, (prepared) => {
    const rows = prepared.iterate(...values) as Iterable<{ body: Uint8Array }>
    return writeRows(writer, order, oneByOne(rows))
  })
}

/** The program stands in the text, since an index that is of one program only wants it there. */
function pageText(shown: string, id: number, { order }: PageOrder, lookup: Lookup | null): string {
  const [beyond, sort] = order === 'asc' ? ['>', 'ASC'] : ['<', 'DESC']
  const by = lookup === null ? '' : ` INDEXED BY ${lookup.name}`
  const found = lookup === null ? '' : ` AND ${lookup.expression} = ?`
  return `SELECT ${shown} FROM accounts${by} WHERE program = ${id}${found} AND pubkey ${beyond} ?
    AND slot_from <= ? AND slot_to > ? AND slot_from > ? ORDER BY pubkey ${sort} LIMIT ?`
}

function valuesOf(order: PageOrder, lookup: Lookup | null, rowsMax: number) {
  const { slot, changedSinceSlot } = order
  const after = order.after ?? (order.order === 'asc' ? FIRST : LAST)
  const needle = lookup === null ? [] : [lookup.needle]
  return [...needle, after, slot, slot, changedSinceSlot ?? -1, rowsMax]
}

function* oneByOne(rows: Iterable<{ body: Uint8Array }>): Generator<Uint8Array> {
  for (const { body } of rows) yield body
}

function writeRows(
  writer: StoredWriter,
  order: PageOrder,
  sources: Iterable<Uint8Array>,
): RowsRead | SolanaError {
  const { filters, limit, stepBytesMax } = order
  let rowsLeft = ROWS_AT_ONCE
  let bytesLeft = Math.min(BYTES_AT_ONCE, stepBytesMax)
  let last: Uint8Array | null = null
  let lookedTo: Uint8Array | null = null
  for (const source of sources) {
    const bodies = bodiesIn(source)
    let lastAt = -1
    let at = 0
    for (let end = 0; end < source.length; ) {
      at = end
      end = bodyEnd(bodies, at)
      rowsLeft--
      if (filters.length > 0 && !matchesFilters(filters, dataOf(bodies, at))) continue
      if (writer.written.count === limit || wouldOverflow(writer, order, end - at - DATA_AT)) {
        if (writer.leavesOut(bodies, at)) continue
        return { last: keyAt(bodies, lastAt, last), more: true }
      }
      const written = writer.write(bodies, at)
      if (typeof written !== 'boolean') return written
      if (written) lastAt = at
    }
    last = keyAt(bodies, lastAt, last)
    lookedTo = pubkeyOf(bodies, at)
    bytesLeft -= source.length
    if (bytesLeft <= 0) break
  }
  const isEnd = rowsLeft > 0 && bytesLeft > 0
  const more = isEnd || lookedTo === null ? false : { lookedTo }
  return { last, more }
}

function keyAt(bodies: Bodies, at: number, otherwise: Uint8Array | null): Uint8Array | null {
  return at < 0 ? otherwise : pubkeyOf(bodies, at)
}

/** The next record must not make too much of a page that holds one already. */
function wouldOverflow(writer: StoredWriter, order: PageOrder, dataBytes: number): boolean {
  if (writer.written.count === 0 && !order.hasRecords) return false
  const { dataSlice } = order
  const shown = dataSlice ? Math.min(dataSlice.length, dataBytes) : dataBytes
  return writer.written.bytes + FRAME_BYTES + shown * BASE64_GROWTH > order.bytesMax
}

/**
 * The mints of a token program are accounts of its own, as a rule; a node takes any account for a
 * mint whose bytes are one. Those that are not here are noted, to be looked up elsewhere.
 */
function helpsFor(
  file: AccountFile,
  order: PageOrder,
): { helps: ParseHelps; unknownMints: ReadonlyMap<string, Uint8Array> } {
  const { program, slot, unixTimestamp } = order
  const mints = new Map(order.mints.map(({ pubkey, facts }) => [pubkey.toHex(), facts]))
  const unknownMints = new Map<string, Uint8Array>()
  const look = (pubkey: Uint8Array): MintFacts | null | undefined => {
    const [row] = file.rows<{ body: Uint8Array }>(
      `SELECT body FROM accounts
       WHERE program IN (SELECT id FROM programs WHERE pubkey IN (?, ?)) AND pubkey = ?
         AND slot_from <= ? AND slot_to > ?`,
      PROGRAM_KEYS.splToken,
      PROGRAM_KEYS.splToken2022,
      pubkey,
      slot,
      slot,
    )
    return row ? readMintFacts(dataOf(bodiesIn(row.body), 0)) : undefined
  }
  const mint = (pubkey: Uint8Array): MintFacts | null => {
    if (!isTokenProgram(program)) return null
    const name = pubkey.toHex()
    const known = mints.get(name)
    if (known !== undefined) return known
    const facts = look(pubkey)
    // A key is a view of the row it stands in, which is gone before the key is read.
    if (facts === undefined) unknownMints.set(name, new Uint8Array(pubkey))
    mints.set(name, facts ?? null)
    return facts ?? null
  }
  return { helps: { unixTimestamp, mint }, unknownMints }
}

import type { Account, SolanaError } from '../core/solana/account.ts'
import { matchesFilters } from '../core/solana/account-filters.ts'
import { openRecordWriter, type RecordWriter } from '../core/solana/encodings.ts'
import { parseAccount } from '../core/solana/parsers/parse-account.ts'
import {
  type MintFacts,
  type ParseHelps,
  readMintFacts,
} from '../core/solana/parsers/parse-helps.ts'
import { isTokenProgram } from '../core/solana/programs.ts'
import type { PageOrder, PageStep } from '../ports/account-store.ts'
import type { Lookup } from './account-store-lookups.ts'
import type { AccountTables } from './account-store-tables.ts'
import { unsigned } from './account-store-versions.ts'

type Row = {
  pubkey: Uint8Array
  lamports: bigint
  rent_epoch: bigint
  executable: bigint
  key_text: Uint8Array
  data: Uint8Array
}

/** What is looked at in one go, so that others need not wait long for their turn. */
const ROWS_AT_ONCE = 2_500
const BYTES_AT_ONCE = 4 * 1024 * 1024

/** About what a record takes beside its data. */
const FRAME_BYTES = 256
const BASE64_GROWTH = 4 / 3

const FIRST = new Uint8Array()
/** Behind every key. */
const LAST = new Uint8Array(33).fill(255)

/** Reads the next part of a page, by way of a look-up where there is one. */
export function readPage(
  tables: AccountTables,
  id: number,
  order: PageOrder,
  lookup: Lookup | null,
): PageStep | SolanaError {
  const { after, order: direction, slot } = order
  const from = after ?? (direction === 'asc' ? FIRST : LAST)
  const since = order.changedSinceSlot ?? -1
  const needle = lookup === null ? [] : [lookup.needle]
  const helps = helpsFor(tables, id, order)
  return tables.statements.use(pageText(id, direction, lookup), (prepared) => {
    const rows = prepared.iterate(...needle, from, slot, slot, since, ROWS_AT_ONCE)
    return writeRows(rows as Iterable<Row>, order, helps)
  })
}

/** The program stands in the text, since an index that is of one program only wants it there. */
function pageText(id: number, direction: 'asc' | 'desc', lookup: Lookup | null): string {
  const [beyond, sort] = direction === 'asc' ? ['>', 'ASC'] : ['<', 'DESC']
  const by = lookup === null ? '' : ` INDEXED BY ${lookup.name}`
  const found = lookup === null ? '' : ` AND ${lookup.expression} = ?`
  return `SELECT pubkey, lamports, rent_epoch, executable, key_text, data
    FROM accounts${by} WHERE program = ${id}${found} AND pubkey ${beyond} ?
    AND slot_from <= ? AND slot_to > ? AND slot_from > ?
    ORDER BY pubkey ${sort} LIMIT ?`
}

function writeRows(
  rows: Iterable<Row>,
  order: PageOrder,
  helps: ParseHelps,
): PageStep | SolanaError {
  const { encoding, dataSlice, filters, limit, program } = order
  const isParsed = encoding === 'jsonParsed'
  // A node leaves out the accounts of the token programs that it cannot parse.
  const mustParse = isParsed && isTokenProgram(program)
  let text: string | null = null
  const writer = openRecordWriter({ encoding, dataSlice, parse: () => text })
  let rowsLeft = ROWS_AT_ONCE
  let bytesLeft = BYTES_AT_ONCE
  let last: Uint8Array | null = null
  let lookedTo: Uint8Array | null = null
  for (const row of rows) {
    rowsLeft--
    bytesLeft -= row.data.length
    lookedTo = row.pubkey
    const account = matchesFilters(filters, row.data) ? accountOf(row, program) : null
    if (account && isParsed) text = parseAccount(account, helps)
    if (account && !(mustParse && text === null)) {
      if (writer.count === limit || isFull(writer, order, row.data.length)) {
        return stepOf(writer, last, true)
      }
      const refused = writer.write(account, row.key_text)
      if (refused) return refused
      last = row.pubkey
    }
    if (bytesLeft <= 0) break
  }
  const isEnd = rowsLeft > 0 && bytesLeft > 0
  return stepOf(writer, last, isEnd || lookedTo === null ? false : { lookedTo })
}

function stepOf(writer: RecordWriter, last: Uint8Array | null, more: PageStep['more']): PageStep {
  return { bytes: writer.take(), count: writer.count, last, more }
}

/** Of a page that holds a record already, the next one must not make too much. */
function isFull(writer: RecordWriter, order: PageOrder, dataBytes: number): boolean {
  if (writer.count === 0 && !order.hasRecords) return false
  const { dataSlice } = order
  const shown = dataSlice ? Math.min(dataSlice.length, dataBytes) : dataBytes
  return writer.bytes + FRAME_BYTES + shown * BASE64_GROWTH > order.bytesMax
}

function accountOf(row: Row, owner: Uint8Array): Account {
  return {
    pubkey: row.pubkey,
    owner,
    lamports: unsigned(row.lamports),
    rentEpoch: unsigned(row.rent_epoch),
    executable: row.executable === 1n,
    data: row.data,
  }
}

/** The mints of a token program are accounts of its own. */
function helpsFor(tables: AccountTables, id: number, order: PageOrder): ParseHelps {
  const { program, slot, unixTimestamp, encoding } = order
  const mints = new Map<string, MintFacts | null>()
  const look = (pubkey: Uint8Array): MintFacts | null => {
    const [row] = tables.rows<{ data: Uint8Array }>(
      `SELECT data FROM accounts
       WHERE program = ? AND pubkey = ? AND slot_from <= ? AND slot_to > ?`,
      id,
      pubkey,
      slot,
      slot,
    )
    return row ? readMintFacts(row.data) : null
  }
  return {
    unixTimestamp,
    mint(pubkey) {
      if (encoding !== 'jsonParsed' || !isTokenProgram(program)) return null
      const name = pubkey.toHex()
      const known = mints.get(name)
      if (known !== undefined) return known
      const facts = look(pubkey)
      mints.set(name, facts)
      return facts
    },
  }
}

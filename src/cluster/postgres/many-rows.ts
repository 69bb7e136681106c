import { assert } from '../../core/errors.ts'
import type { Sql, SqlValue } from '../../ports/database.ts'
import { arrayText } from '../../ports/driver-parts/array-text.ts'

/** Null for a column without any value. */
type ColumnType = 'BIGINT' | 'TEXT' | 'BYTEA' | null

type Rows = readonly (readonly SqlValue[])[]

type RowsStatement = { text: string; values: SqlValue[]; rows: number }

export type ManyRows = {
  statements(rows: Rows): RowsStatement[]
  /** Each row writes one of the table; else the statement returns `at` for each that it wrote. */
  writesOneEach: boolean
}

/** Longer statements gain little, and are held in memory several times over. */
const ROWS_MAX = 1000

/**
 * Rows with texts longer than this on average are given one by one: as a part of an array, where
 * quotes are escaped, a long text takes twice as long.
 */
const ARRAY_CHARS_MAX = 256

/**
 * Lists of few rows are of any size, longer ones of a power of two, so that some dozens of
 * prepared statements serve them all.
 */
const LISTED_ROWS_MAX = 64
const LISTED_ANY_MAX = 32

const INSERT = /^(\s*INSERT INTO\b[\s\S]*?\bVALUES\s*)(\([\s\S]*)$/i
const UPDATE = /^\s*UPDATE\s+\w+\s+SET\b/i
const DELETE = /^\s*DELETE\s+FROM\s+\w+\s+WHERE\b/i
const CONFLICT = /\bON\s+CONFLICT\b|\bRETURNING\b/i
const WHERE = /\bWHERE\b/i
const VALUES = /\bVALUES\s*$/i

/** Hot path: the texts of statements that come again are not put together anew. */
const known = new WeakMap<readonly string[], ManyRows | 'none'>()

/** Null where each row needs a statement of its own. */
export function manyRows({ parts }: Sql): ManyRows | null {
  const found = known.get(parts) ?? read(parts) ?? 'none'
  known.set(parts, found)
  return found === 'none' ? null : found
}

/** How many rows of the table each of the rows wrote. */
export function countsOf(rows: number, written: readonly { at: number }[]): number[] {
  const counts = Array<number>(rows).fill(0)
  for (const { at } of written) {
    const count = counts[at]
    assert(count !== undefined, 'a statement returns the places of its rows')
    counts[at] = count + 1
  }
  return counts
}

/** The text with `$1`, `$2` … between its parts. */
export function numberedText(parts: readonly string[]): string {
  let text = parts[0] ?? ''
  for (let number = 1; number < parts.length; number++) text += `$${number}${parts[number]}`
  return text
}

function read(parts: readonly string[]): ManyRows | null {
  if (parts.length < 2 || parts.some((part) => CONFLICT.test(part))) return null
  const first = parts[0] ?? ''
  const texts = new Map<string, string>()
  const textFor = (shape: string, make: () => string) => {
    const text = texts.get(shape) ?? make()
    texts.set(shape, text)
    return text
  }
  const insert = INSERT.exec(first)
  if (insert) {
    const [, before = '', open = ''] = insert
    const one = [open, ...parts.slice(1)]
    const listed = (some: Rows) => ({
      text: textFor(String(some.length), () => insertText(before, one, some.length)),
      values: some.flat(),
    })
    const selected = (some: Rows) => asArrays(some, (types) => selectText(before, one, types))
    return {
      writesOneEach: true,
      statements: (rows) =>
        hasLongTexts(rows) ? cut(rows, listedRows, listed) : cut(rows, () => ROWS_MAX, selected),
    }
  }
  const isUpdate = UPDATE.test(first)
  const join = isUpdate || DELETE.test(first) ? joinOf(parts, isUpdate ? 'FROM' : 'USING') : null
  if (!join) return null
  const joined = (some: Rows) => asArrays(some, (types) => joinText(join, types))
  return { writesOneEach: false, statements: (rows) => cut(rows, () => ROWS_MAX, joined) }

  function asArrays(some: Rows, make: (types: readonly ColumnType[]) => string) {
    const types = typesOf(some)
    assert(
      types.some((type) => type !== null),
      'rows have values',
    )
    return { text: textFor(types.join(' '), () => make(types)), values: arraysOf(some, types) }
  }
}

function cut(
  rows: Rows,
  sizeFor: (left: number) => number,
  statementOf: (some: Rows) => Omit<RowsStatement, 'rows'>,
): RowsStatement[] {
  const statements: RowsStatement[] = []
  for (let from = 0; from < rows.length; ) {
    const some = rows.slice(from, from + sizeFor(rows.length - from))
    statements.push({ ...statementOf(some), rows: some.length })
    from += some.length
  }
  return statements
}

function listedRows(left: number): number {
  if (left <= LISTED_ANY_MAX) return left
  return Math.min(LISTED_ROWS_MAX, 2 ** Math.floor(Math.log2(left)))
}

function hasLongTexts(rows: Rows): boolean {
  let chars = 0
  for (const row of rows)
    for (const value of row) if (typeof value === 'string') chars += value.length
  return chars > rows.length * ARRAY_CHARS_MAX
}

/** `INSERT … VALUES ($1, $2), ($3, $4)`. */
function insertText(before: string, one: readonly string[], rows: number): string {
  const [open = '', ...rest] = one
  const parts = [`${before}${open}`]
  for (let at = 0; at < rows; at++) {
    parts.push(...rest)
    if (at < rows - 1) parts[parts.length - 1] += `, ${open}`
  }
  return numberedText(parts)
}

type Join = { before: readonly string[]; after: readonly string[]; word: 'FROM' | 'USING' }

/** The text before and after the place where the rows are joined in, which is before WHERE. */
function joinOf(parts: readonly string[], word: Join['word']): Join | null {
  const at = parts.findIndex((part) => WHERE.test(part))
  const text = parts[at]
  if (text === undefined) return null
  const where = text.search(WHERE)
  const before = [...parts.slice(0, at), text.slice(0, where)]
  return { before, after: [text.slice(where), ...parts.slice(at + 1)], word }
}

/** `INSERT … SELECT given.v0, given.v1 FROM unnest($1, $2) AS given (v0, v1)`. */
function selectText(before: string, one: readonly string[], types: readonly ColumnType[]): string {
  const columns = withColumns(one, 0, types).trim().slice(1, -1)
  const into = before.replace(VALUES, '')
  return `${into} SELECT ${columns} FROM ${unnestText(types)} AS given (${namesOf(types)})`
}

/** `UPDATE … FROM unnest($1, $2) WITH ORDINALITY AS given (v0, v1, at) WHERE … RETURNING at`. */
function joinText({ before, after, word }: Join, types: readonly ColumnType[]): string {
  return [
    `${withColumns(before, 0, types)}${word} ${unnestText(types)} WITH ORDINALITY`,
    `AS given (${[namesOf(types), 'at'].join(', ')})`,
    `${withColumns(after, before.length - 1, types)} RETURNING CAST(given.at - 1 AS INTEGER) AS at`,
  ].join(' ')
}

/** The columns of the rows in the place of parameters; one without any value is what it is. */
function withColumns(
  pieces: readonly string[],
  from: number,
  types: readonly ColumnType[],
): string {
  return pieces.reduce((text, piece, at) => {
    const column = from + at - 1
    return `${text}${types[column] === null ? 'NULL' : `given.v${column}`}${piece}`
  })
}

function unnestText(types: readonly ColumnType[]): string {
  const arrays = types.filter((type) => type !== null)
  return `unnest(${arrays.map((type, at) => `CAST($${at + 1} AS ${type}[])`).join(', ')})`
}

function namesOf(types: readonly ColumnType[]): string {
  return types.flatMap((type, column) => (type === null ? [] : [`v${column}`])).join(', ')
}

/** One array for each column that has any value, in the words of the server. */
function arraysOf(rows: Rows, types: readonly ColumnType[]): string[] {
  return types.flatMap((type, column) => {
    if (type === null) return []
    return [arrayText(rows.map((row) => row[column] ?? null))]
  })
}

/** The type of each column by its first value; null where there is none. */
function typesOf(rows: Rows): ColumnType[] {
  return (rows[0] ?? []).map((_, column) => {
    const value = rows.find((row) => row[column] !== null)?.[column] ?? null
    if (value === null) return null
    if (typeof value === 'number') return 'BIGINT'
    return typeof value === 'string' ? 'TEXT' : 'BYTEA'
  })
}

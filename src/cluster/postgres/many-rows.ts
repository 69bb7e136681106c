import { assert } from '../../core/errors.ts'
import type { Sql, SqlValue } from '../../ports/database.ts'
import { numberedText } from './numbered-text.ts'

type Rows = readonly (readonly SqlValue[])[]

/** A statement for some of the rows. */
type RowsStatement = { text: string; values: SqlValue[]; rows: number }

/** One statement for many rows. */
export type ManyRows = {
  statements(rows: Rows): RowsStatement[]
  /** Each row writes one of the table; else the statement returns `at` for each that it wrote. */
  writesOneEach: boolean
}

/**
 * Sizes are powers of two, so that a few prepared statements serve every number of rows. Longer
 * statements gain little.
 */
const ROWS_MAX = 64

const INSERT = /^(\s*INSERT INTO\b[\s\S]*?\bVALUES\s*)(\([\s\S]*)$/i
const UPDATE = /^\s*UPDATE\s+\w+\s+SET\b/i
const DELETE = /^\s*DELETE\s+FROM\s+\w+\s+WHERE\b/i
const CONFLICT = /\bON\s+CONFLICT\b|\bRETURNING\b/i
const WHERE = /\bWHERE\b/i

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
    const one = [insert[2] ?? '', ...parts.slice(1)]
    return {
      writesOneEach: true,
      statements: (rows) =>
        cut(rows, (some) => ({
          text: textFor(String(some.length), () => insertText(insert[1] ?? '', one, some.length)),
          values: some.flat(),
        })),
    }
  }
  const isUpdate = UPDATE.test(first)
  const join = isUpdate || DELETE.test(first) ? joinOf(parts, isUpdate ? 'FROM' : 'USING') : null
  return (
    join && {
      writesOneEach: false,
      statements: (rows) =>
        cut(rows, (some) => {
          const types = typesOf(some)
          const shape = `${some.length} ${types.join(' ')}`
          return {
            text: textFor(shape, () => joinText(join, types, some.length)),
            // A column without any value has no type, and stands in the text as what it is.
            values: some.flatMap((row) => row.filter((_, column) => types[column] !== null)),
          }
        }),
    }
  )
}

function cut(
  rows: Rows,
  statementOf: (some: Rows) => Omit<RowsStatement, 'rows'>,
): RowsStatement[] {
  const statements: RowsStatement[] = []
  for (let from = 0; from < rows.length; ) {
    const size = Math.min(ROWS_MAX, 2 ** Math.floor(Math.log2(rows.length - from)))
    statements.push({ ...statementOf(rows.slice(from, from + size)), rows: size })
    from += size
  }
  return statements
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

/** `UPDATE … FROM (VALUES (0, $1, $2), …) AS given (at, v0, v1) WHERE … RETURNING given.at`. */
function joinText(
  { before, after, word }: Join,
  types: readonly (string | null)[],
  rows: number,
): string {
  const written = (pieces: readonly string[], from: number) =>
    pieces.reduce((text, piece, at) => {
      const column = from + at - 1
      return `${text}${types[column] === null ? 'NULL' : `given.v${column}`}${piece}`
    })
  const used = types.flatMap((type, column) => (type === null ? [] : [{ type, column }]))
  const names = ['at', ...used.map(({ column }) => `v${column}`)].join(', ')
  let number = 0
  const given = Array.from({ length: rows }, (_, at) => {
    const values = used.map(({ type }) => `CAST($${++number} AS ${type})`)
    return `(${[at, ...values].join(', ')})`
  })
  return [
    `${written(before, 0)}${word} (VALUES ${given.join(', ')}) AS given (${names})`,
    `${written(after, before.length - 1)} RETURNING given.at`,
  ].join(' ')
}

/** The type of each column by its first value; null where there is none. */
function typesOf(rows: Rows): (string | null)[] {
  return (rows[0] ?? []).map((_, column) => {
    const value = rows.find((row) => row[column] !== null)?.[column] ?? null
    if (value === null) return null
    if (typeof value === 'number') return 'BIGINT'
    return typeof value === 'string' ? 'TEXT' : 'BYTEA'
  })
}

import type { SqlValue } from '../../ports/database.ts'

/** SQLite allows 32,766 of them in a statement and PostgreSQL 65,535. */
const VALUES_PER_STATEMENT_MAX = 10_000

/** Values sent to the engine at once are held in memory several times over. */
const CHARS_PER_STATEMENT_MAX = 16 * 2 ** 20

/** The rows of multi-row INSERTs, as many at a time as fit into one statement. */
export function rowChunks<Row extends readonly SqlValue[]>(rows: readonly Row[]): Row[][] {
  return cut(rows, (row) => row)
}

/** The same for a list that is matched with `IN`. */
export function listChunks<Value extends SqlValue>(values: readonly Value[]): Value[][] {
  return cut(values, (value) => [value])
}

export async function rowsOfChunks<Chunk, Row>(
  chunks: readonly Chunk[],
  read: (chunk: Chunk) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const chunk of chunks) for (const row of await read(chunk)) rows.push(row)
  return rows
}

function cut<T>(all: readonly T[], valuesOf: (one: T) => readonly SqlValue[]): T[][] {
  const chunks: T[][] = []
  let chunk: T[] = []
  let values = 0
  let chars = 0
  for (const one of all) {
    const oneChars = charsOf(valuesOf(one))
    const oneValues = valuesOf(one).length
    const fits =
      values + oneValues <= VALUES_PER_STATEMENT_MAX && chars + oneChars <= CHARS_PER_STATEMENT_MAX
    if (!fits && chunk.length > 0) {
      chunks.push(chunk)
      chunk = []
      values = 0
      chars = 0
    }
    chunk.push(one)
    values += oneValues
    chars += oneChars
  }
  if (chunk.length > 0) chunks.push(chunk)
  return chunks
}

function charsOf(values: readonly SqlValue[]): number {
  let chars = 0
  for (const value of values) if (typeof value === 'string') chars += value.length
  return chars
}

import { assert } from '../../core/errors.ts'
import type { Sql, SqlValue } from '../../ports/database.ts'

/**
 * The rows of a `VALUES` that is not part of an INSERT. Where nothing else tells it, PostgreSQL
 * takes parameters for text; the types in the first row hold for all.
 */
export function typedRows(
  types: readonly ('TEXT' | 'BIGINT')[],
  rows: readonly (readonly SqlValue[])[],
): Sql {
  const parts: string[] = []
  const values: SqlValue[] = []
  let text = '('
  rows.forEach((row, rowAt) => {
    assert(row.length === types.length, 'a row has a value of each type')
    row.forEach((value, at) => {
      parts.push(rowAt > 0 ? text : `${text}CAST(`)
      values.push(value)
      text = rowAt > 0 ? ', ' : ` AS ${types[at]}), `
    })
    text = rowAt > 0 ? '), (' : ` AS ${types.at(-1)})), (`
  })
  parts.push(text.slice(0, -', ('.length))
  return { parts, values }
}

import { assert } from '../core/errors.ts'
import type { Sql, SqlValue } from '../ports/database.ts'

/**
 * The rows of a `VALUES` that is not part of an INSERT. Where nothing else tells it, PostgreSQL
 * takes parameters for text; the types in the first row hold for all.
 */
export function typedRows(
  types: readonly ('TEXT' | 'BIGINT')[],
  rows: readonly (readonly SqlValue[])[],
): Sql {
  const parts = ['']
  const values: SqlValue[] = []
  rows.forEach((row, rowAt) => {
    assert(row.length === types.length, 'a row has a value of each type')
    row.forEach((value, at) => {
      const before = at > 0 ? ', ' : rowAt > 0 ? '), (' : '('
      parts[parts.length - 1] += rowAt > 0 ? before : `${before}CAST(`
      values.push(value)
      parts.push(rowAt > 0 ? '' : ` AS ${types[at]})`)
    })
  })
  parts[parts.length - 1] += ')'
  return { parts, values }
}

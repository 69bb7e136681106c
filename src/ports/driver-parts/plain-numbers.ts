import { assert } from '../../core/errors.ts'

/** Makes the numbers of a row plain ones: engines read them as bigint, or as small numbers. */
export function plainNumbers(row: Record<string, unknown>): void {
  for (const column in row) {
    const value = row[column]
    if (typeof value !== 'bigint' && typeof value !== 'number') continue
    const plain = Number(value)
    assert(Number.isSafeInteger(plain), `${column} is whole and below 2^53`)
    row[column] = plain
  }
}

import { assert } from '../../core/errors.ts'
import type { SqlValue } from '../database.ts'

const ESCAPED = /["\\]/g

/** A list of values as PostgreSQL reads an array. */
export function arrayText(values: readonly SqlValue[]): string {
  let text = ''
  for (const value of values) {
    // Hot path: most are numbers.
    if (typeof value === 'number') text += `,${wholeNumber(value)}`
    else text += `,${elementText(value)}`
  }
  return `{${text.slice(1)}}`
}

function wholeNumber(value: number): number {
  assert(Number.isSafeInteger(value), 'a stored number is whole and below 2^53')
  return value
}

function elementText(value: Exclude<SqlValue, number>): string {
  if (value === null) return 'NULL'
  if (typeof value !== 'string') return `"\\\\x${Buffer.from(value).toString('hex')}"`
  assert(!value.includes('\0'), 'a stored text holds no NUL')
  return `"${value.replace(ESCAPED, '\\$&')}"`
}

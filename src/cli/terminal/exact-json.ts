import { harmlessText } from './harmless-text.ts'

/** JSON as the runtime reads and writes it, with the members that its types do not have yet. */
const EXACT = JSON as typeof JSON & {
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): value is { rawJSON: string }
}

type Context = { source?: string }

/**
 * Reads JSON without losing a digit: a whole number that a double cannot hold becomes one that
 * is written out again as it came.
 */
export function readExactJson(text: string): unknown {
  return JSON.parse(text, exactNumber)
}

/** The same for people to see: all texts in it are harmless to a terminal. */
export function readShownJson(text: string): unknown {
  return JSON.parse(text, (key: string, value: unknown, context?: Context) => {
    if (typeof value === 'string') return harmlessText(value)
    if (isRecord(value)) return withHarmlessKeys(value)
    return exactNumber(key, value, context)
  })
}

/** The digits of a number that `readExactJson` has read; null for everything else. */
export function digitsOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  return EXACT.isRawJSON(value) ? value.rawJSON : null
}

function exactNumber(_key: string, value: unknown, context?: Context): unknown {
  const { source } = context ?? {}
  const isInexact = typeof value === 'number' && !Number.isSafeInteger(value)
  return isInexact && source && /^-?\d+$/.test(source) ? EXACT.rawJSON(source) : value
}

function withHarmlessKeys(record: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(record)
  if (keys.every((key) => harmlessText(key) === key)) return record
  return Object.fromEntries(keys.map((key) => [harmlessText(key), record[key]]))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && !EXACT.isRawJSON(value)
}

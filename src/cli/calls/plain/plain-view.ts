import { type JsonSchema, typesOf } from '../../../core/schema/json-schema.ts'
import type { Calling } from '../../connect/run-call.ts'
import type { Colour } from '../../terminal/colours.ts'
import { digitsOf } from '../../terminal/exact-json.ts'
import { agoText, bytesText, numberText, spanText, timeText } from '../../terminal/formats.ts'
import type { Column } from '../../terminal/table-lines.ts'
import { memberOf } from './call-inputs.ts'

/** A list shows none of them unless its columns name them. */
const SECRETS: readonly string[] = ['key', 'signing_key', 'next_signing_key', 'token']

/** States that are as they should be, and those that are not; others are in between. */
const GOOD: readonly string[] = ['yes', 'active', 'used', 'done', 'delivered', 'canonical']
const BAD: readonly string[] = ['failed', 'excluded']

/** Columns that a narrow terminal shows, too. */
const FIELDS_NEEDED = 4

export function sayPlain(
  calling: Calling,
  data: unknown,
  schema: JsonSchema,
  fields?: readonly string[],
): void {
  const { terminal } = calling
  if (!Array.isArray(data)) terminal.facts(plainFacts(data, fields))
  else if (data.length === 0) terminal.say('There are none yet.')
  else sayTable(calling, fields ?? plainFields(schema.items ?? {}), data)
}

/** Shows a table with a column for each of these fields; `head.number` is a field of a field. */
export function sayTable(
  { terminal, clock }: Calling,
  fields: readonly string[],
  rows: readonly unknown[],
): void {
  terminal.table(plainColumns(fields, rows, clock.nowMs()), rows)
}

/** The fields of a schema that fit a cell. */
export function plainFields({ properties = {} }: JsonSchema): string[] {
  return Object.entries(properties)
    .filter(([name, schema]) => !SECRETS.includes(name) && isPlain(schema))
    .map(([name]) => name)
}

/** The columns of these fields. The first ones stay where a terminal is narrow. */
export function plainColumns(
  fields: readonly string[],
  rows: readonly unknown[],
  nowMs: number,
): Column<unknown>[] {
  return fields.map((field, at): Column<unknown> => {
    const isNumber = rows.some((row) => digitsOf(memberOf(row, field)) !== null)
    return {
      title: labelOf(field),
      of(row) {
        const text = plainText(field, memberOf(row, field), (time) => agoText(time, nowMs))
        const isState = /(^|_)(state|status|active)$/.test(field) && !isNumber
        return isState && text !== null ? { text, colour: stateColour(text) } : text
      },
      ...(isNumber && { align: 'right' }),
      // Ids are there to be copied.
      ...(!/(^|_)id$/.test(field) && { mayCut: true }),
      isExtra: at >= FIELDS_NEEDED,
    }
  })
}

export function plainFacts(data: unknown, fields?: readonly string[]): [string, string | null][] {
  const values = fields?.map((field) => [field, memberOf(data, field)] as const) ?? valuesIn(data)
  return values.map(([path, value]) => {
    const text = plainText(path, value, (time) => `${timeText(time)} UTC`)
    return [labelOf(path), text === '' ? null : text]
  })
}

export function stateColour(state: string): Colour {
  if (GOOD.includes(state)) return 'green'
  return BAD.includes(state) ? 'red' : 'yellow'
}

function isPlain(schema: JsonSchema): boolean {
  const [first, ...others] = typesOf(schema).filter((type) => type !== 'null')
  return first !== undefined && others.length === 0 && first !== 'object' && first !== 'array'
}

/** Every value in it, by its path; lists count as values. */
function valuesIn(data: unknown, before = ''): [path: string, value: unknown][] {
  if (typeof data !== 'object' || data === null) return []
  return Object.entries(data).flatMap(([name, value]) => {
    const path = `${before}${name}`
    const isObject = typeof value === 'object' && value !== null && digitsOf(value) === null
    return isObject && !Array.isArray(value) ? valuesIn(value, `${path}.`) : [[path, value]]
  })
}

/** `limits.monthly_cu` is `limits monthly cu`, `time_created` is `created`; ids stay. */
function labelOf(path: string): string {
  return path
    .replaceAll(/(^|\.)(is|time)_/g, '$1')
    .replace(/_ms$/, '')
    .replaceAll(/\.|(?<=[a-z\d])_/g, ' ')
}

/** A value as people read it, by its type and the name of its field; null where it says nothing. */
function plainText(path: string, value: unknown, timeOf: (ms: number) => string): string | null {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) {
    const isFlat = value.every((item) => typeof item !== 'object')
    return isFlat ? value.join(' ') : null
  }
  const digits = digitsOf(value)
  if (digits === null) return typeof value === 'string' ? value : null
  if (/(^|\.)time_\w+$/.test(path)) return timeOf(Number(digits))
  if (/(_|^|\.)ms(\.|$)/.test(path)) return spanText(Number(digits))
  if (/(^|[._])chain_id$/.test(path)) return digits
  return /(^|[._])bytes$/.test(path) ? bytesText(Number(digits)) : numberText(digits)
}

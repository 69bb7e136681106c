import type { JsonSchema } from '../../src/core/schema/json-schema.ts'
import { typesOf } from '../../src/core/schema/json-schema.ts'

const REFERENCE = '#/components/schemas/'

const COLUMNS_MAX = 100

const INDENT = '  '

/** A member of an object type; `type` may have several lines. */
type Member = { name: string; isOptional: boolean; type: string; description: string }

/** Values that are sent may leave out what has a default; in answers it is always there. */
export type Side = { isSent: boolean; nameOf(name: string): string }

export const ANSWERED: Side = { isSent: false, nameOf: (name) => name }

/** The TypeScript type of the values that pass a schema, as its lines would stand at a depth. */
export function typeText(schema: JsonSchema, depth: number, side: Side): string {
  if (schema.$ref) return side.nameOf(schema.$ref.slice(REFERENCE.length))
  if (schema.anyOf) return unionText(schema.anyOf.map((one) => typeText(one, depth, side)))
  if ('const' in schema) return literal(schema.const)
  if (schema.enum) return choiceText(schema.enum.map(literal), depth)
  const types = typesOf(schema)
  return types.length === 0
    ? 'unknown'
    : unionText(types.map((type) => plain(type, schema, depth, side)))
}

/** An object type over several lines, each member with its description above it. */
export function objectText(members: readonly Member[], depth: number): string {
  const inside = INDENT.repeat(depth + 1)
  const lines = members.map(({ name, isOptional, type, description }) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`
    return `${commentText(description, depth + 1)}${inside}${key}${isOptional ? '?' : ''}: ${type}\n`
  })
  return `{\n${lines.join('')}${INDENT.repeat(depth)}}`
}

/** A doc comment with the line break behind it; nothing where there is nothing to say. */
export function commentText(description: string, depth: number): string {
  const text = description.replaceAll('*/', '*\\/').trim()
  if (text === '') return ''
  const indent = INDENT.repeat(depth)
  const short = `${indent}/** ${text} */`
  if (short.length <= COLUMNS_MAX && !text.includes('\n')) return `${short}\n`
  const lines = text.split('\n').flatMap((line) => wrapped(line, COLUMNS_MAX - indent.length - 3))
  const body = lines.map((line) => `${indent} *${line && ` ${line}`}\n`)
  return `${indent}/**\n${body.join('')}${indent} */\n`
}

function plain(type: string, schema: JsonSchema, depth: number, side: Side): string {
  if (type === 'integer') return 'number'
  if (type === 'array') return listText(typeText(schema.items ?? {}, depth, side))
  return type === 'object' ? recordText(schema, depth, side) : type
}

function recordText(schema: JsonSchema, depth: number, side: Side): string {
  const { properties, required, additionalProperties } = schema
  const names = Object.keys(properties ?? {})
  if (names.length > 0) {
    const members = names.map((name): Member => {
      const member = properties?.[name] ?? {}
      const isFilledIn = !side.isSent && member.default !== undefined
      const isOptional = !required?.includes(name) && !isFilledIn
      const { description = '' } = member
      return { name, isOptional, type: typeText(member, depth + 1, side), description }
    })
    return objectText(members, depth)
  }
  if (additionalProperties === false) return 'Record<string, never>'
  const values = typeof additionalProperties === 'object' ? additionalProperties : {}
  return `Readonly<Record<string, ${typeText(values, depth, side)}>>`
}

function listText(item: string): string {
  return /^[\w]+$/.test(item) ? `readonly ${item}[]` : `ReadonlyArray<${item}>`
}

function unionText(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

/** Choices that do not fit into one line stand one below the other. */
function choiceText(literals: readonly string[], depth: number): string {
  const line = unionText(literals)
  if (line.length <= COLUMNS_MAX / 2) return line
  const indent = INDENT.repeat(depth + 1)
  return literals.map((one) => `\n${indent}| ${one}`).join('')
}

function literal(value: unknown): string {
  if (typeof value !== 'string') return String(value)
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function wrapped(line: string, columns: number): string[] {
  const lines = ['']
  for (const word of line.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + word.length + 1 > columns) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}

import { type Token, tokensOf } from './graphql-tokens.ts'

/** A field, an argument, or a member of an input. */
export type SchemaField = {
  name: string
  /** As the schema writes it, such as `[Log!]!`. */
  type: string
  /** The name in it, such as `Log`. */
  of: string
  doc: string
  args: ReadonlyMap<string, SchemaField>
}

type SchemaType = {
  name: string
  kind: 'scalar' | 'type' | 'input'
  doc: string
  fields: ReadonlyMap<string, SchemaField>
}

export type QuerySchema = ReadonlyMap<string, SchemaType>

type Reader = { tokens: readonly Token[]; at: number }

const NO_FIELDS: ReadonlyMap<string, SchemaField> = new Map()

export function readSchema(text: string): QuerySchema {
  const reader = { tokens: tokensOf(text).filter(({ kind }) => kind !== 'comment'), at: 0 }
  const types = new Map<string, SchemaType>()
  while (reader.at < reader.tokens.length) {
    const doc = readDoc(reader)
    const kind = next(reader)
    if (kind !== 'scalar' && kind !== 'type' && kind !== 'input') continue
    const name = next(reader)
    const fields = peek(reader) === '{' ? readFields(reader, '}') : NO_FIELDS
    types.set(name, { name, kind, doc, fields })
  }
  return types
}

function readFields(reader: Reader, close: string): Map<string, SchemaField> {
  const fields = new Map<string, SchemaField>()
  next(reader)
  while (reader.at < reader.tokens.length && peek(reader) !== close) {
    const doc = readDoc(reader)
    const name = next(reader)
    const args = peek(reader) === '(' ? readFields(reader, ')') : NO_FIELDS
    if (next(reader) !== ':') continue
    const type = readType(reader)
    fields.set(name, { name, type, of: type.replace(/[[\]!]/g, ''), doc, args })
  }
  next(reader)
  return fields
}

function readType(reader: Reader): string {
  let type = ''
  while (peek(reader) === '[') type += next(reader)
  type += next(reader)
  while (peek(reader) === '!' || peek(reader) === ']') type += next(reader)
  return type
}

function readDoc(reader: Reader): string {
  if (reader.tokens[reader.at]?.kind !== 'string') return ''
  const text = next(reader).replace(/^"+|"+$/g, '')
  return text.replace(/\s+/g, ' ').trim()
}

function peek({ tokens, at }: Reader): string {
  return tokens[at]?.text ?? ''
}

function next(reader: Reader): string {
  return reader.tokens[reader.at++]?.text ?? ''
}

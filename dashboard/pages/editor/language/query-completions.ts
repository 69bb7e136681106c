import { type Token, tokensOf } from './graphql-tokens.ts'
import { type Frame, placeAfter } from './query-place.ts'
import type { QuerySchema, SchemaField } from './read-schema.ts'

/** A word that could stand at a place, and what is put there; `|` marks the cursor in it. */
export type Completion = { label: string; detail: string; doc: string; insert: string }

export type Completions = { from: number; options: readonly Completion[] }

const KEYWORDS: readonly Completion[] = [
  word('query', '', 'A query that names variables of the team.', 'query (|) {\n  block {\n  }\n}'),
  word('fragment', '', 'Fields that several places share.', 'fragment | on Log {\n}'),
]

const VARIABLE_TYPES: readonly Completion[] = [
  word('[Address!]', '', 'A list of addresses that the team keeps.', '[Address!]'),
  word('[Bytes32!]', '', 'A list of 32-byte values that the team keeps.', '[Bytes32!]'),
]

/** What may be written at a place of a query; null where nothing of the schema may. */
export function queryCompletions(
  text: string,
  offset: number,
  schema: QuerySchema,
): Completions | null {
  const tokens = tokensOf(text)
  const inside = tokens.find(({ from, to }) => from < offset && offset <= to)
  if (inside?.kind === 'comment' || inside?.kind === 'string') return null
  const isWord = inside?.kind === 'name' || inside?.kind === 'variable'
  const from = isWord ? inside.from : offset
  const place = placeAfter(tokens, tokens.filter((token) => token.to <= from).length, schema)
  const options = optionsOf(place, tokens, schema)
  return options.length > 0 ? { from, options } : null
}

function optionsOf(
  place: Frame | null,
  tokens: readonly Token[],
  schema: QuerySchema,
): readonly Completion[] {
  if (!place) return KEYWORDS
  if (place.kind === 'definitions') return place.isType ? VARIABLE_TYPES : []
  if (place.kind === 'list') return variableOptions(place.type, tokens)
  if (place.kind === 'members') {
    const { current, members } = place
    return current ? variableOptions(current.type, tokens) : [...members.values()].map(memberOption)
  }
  if (place.isCondition) {
    return [...schema.values()]
      .filter(({ kind, name }) => kind === 'type' && name !== 'Query')
      .map(({ name, doc }) => word(name, 'type', doc, name))
  }
  const fields = [...(schema.get(place.type)?.fields.values() ?? [])]
  return fields.map((field) => fieldOption(field, schema))
}

function fieldOption(field: SchemaField, schema: QuerySchema): Completion {
  const isObject = (schema.get(field.of)?.fields.size ?? 0) > 0
  return word(
    field.name,
    field.type,
    field.doc || (schema.get(field.of)?.doc ?? ''),
    isObject ? `${field.name} { | }` : field.name,
  )
}

function memberOption({ name, type, doc }: SchemaField): Completion {
  const isList = type.startsWith('[')
  const isScalar = /^(Address|Bytes32|Long)/.test(type)
  return word(name, type, doc, `${name}: ${isList ? '[|]' : isScalar ? '|' : '{|}'}`)
}

function variableOptions(type: string, tokens: readonly Token[]): Completion[] {
  const declared = tokens.flatMap((token, at) => {
    if (token.kind !== 'variable' || tokens[at + 1]?.text !== ':') return []
    const of = tokens.slice(at + 2, at + 5).find(({ kind }) => kind === 'name')?.text ?? ''
    return [{ name: token.text, of }]
  })
  return declared
    .filter(({ of }) => type.includes(of))
    .map(({ name, of }) => word(name, `[${of}!]`, 'A list that the team keeps.', name))
}

function word(label: string, detail: string, doc: string, insert: string): Completion {
  return { label, detail, doc, insert }
}

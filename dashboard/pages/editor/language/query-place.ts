import type { Token } from './graphql-tokens.ts'
import type { QuerySchema, SchemaField } from './read-schema.ts'

/** A bracket that is open, and how far the words inside of it have come. */
export type Frame = Definitions | Selection | Values
type Definitions = { kind: 'definitions'; isType: boolean }
type Selection = {
  kind: 'selection'
  type: string
  last: SchemaField | null
  isCondition: boolean
  of: string
}
type Values =
  /** Arguments, or the members of an object; `current` is the one whose value is written. */
  | { kind: 'members'; members: ReadonlyMap<string, SchemaField>; current: SchemaField | null }
  | { kind: 'list'; type: string }

type Walk = { schema: QuerySchema; frames: Frame[]; definition: string; condition: string }

/** The type of a field that the schema does not have. */
const UNKNOWN = '?'

const NO_MEMBERS: ReadonlyMap<string, SchemaField> = new Map()

/** Where the word after the first `count` of a query stands; null outside of all brackets. */
export function placeAfter(
  tokens: readonly Token[],
  count: number,
  schema: QuerySchema,
): Frame | null {
  const walk: Walk = { schema, frames: [], definition: '', condition: '' }
  for (const token of tokens.slice(0, count)) {
    if (token.kind !== 'comment') step(walk, token)
  }
  return walk.frames.at(-1) ?? null
}

export function fieldAt(
  tokens: readonly Token[],
  at: number,
  schema: QuerySchema,
): SchemaField | null {
  const token = tokens[at]
  if (token?.kind !== 'name') return null
  const place = placeAfter(tokens, at, schema)
  if (place?.kind === 'members' && !place.current) return place.members.get(token.text) ?? null
  if (place?.kind !== 'selection' || place.isCondition) return null
  // An alias is a word of the author's own.
  if (tokens[at + 1]?.text === ':') return null
  return schema.get(place.type)?.fields.get(token.text) ?? null
}

function step(walk: Walk, token: Token): void {
  const frame = walk.frames.at(-1)
  if (!frame) stepDocument(walk, token)
  else if (frame.kind === 'definitions') stepDefinitions(walk, frame, token)
  else if (frame.kind === 'selection') stepSelection(walk, frame, token)
  else stepValues(walk, frame, token)
}

function stepDocument(walk: Walk, { kind, text }: Token): void {
  if (text === '(') walk.frames.push({ kind: 'definitions', isType: false })
  else if (text === '{') openSelection(walk, walk.condition || 'Query')
  else if (kind === 'name') {
    if (walk.definition === 'on') walk.condition = text
    walk.definition = text
  }
}

function stepDefinitions(walk: Walk, frame: Definitions, { kind, text }: Token): void {
  if (text === ')') walk.frames.pop()
  else if (text === ':') frame.isType = true
  else if (kind === 'variable') frame.isType = false
}

function stepSelection(walk: Walk, frame: Selection, { kind, text }: Token): void {
  if (text === '}') close(walk)
  else if (text === '{') openSelection(walk, frame.of || frame.type)
  else if (text === '(') {
    const members = frame.last?.args ?? NO_MEMBERS
    walk.frames.push({ kind: 'members', members, current: null })
  } else if (text === '...') Object.assign(frame, { last: null, of: '' })
  else if (kind === 'directive') frame.last = null
  else if (kind === 'name') nameInSelection(walk, frame, text)
}

function nameInSelection(walk: Walk, frame: Selection, name: string): void {
  if (frame.isCondition) {
    Object.assign(frame, { isCondition: false, of: name, last: null })
  } else if (name === 'on') {
    frame.isCondition = true
  } else {
    const field = walk.schema.get(frame.type)?.fields.get(name) ?? null
    Object.assign(frame, { last: field, of: field?.of ?? UNKNOWN })
  }
}

function stepValues(walk: Walk, frame: Values, { kind, text }: Token): void {
  const type = frame.kind === 'list' ? frame.type : (frame.current?.type ?? '')
  if (text === ')' || text === '}' || text === ']') close(walk)
  else if (text === '[') walk.frames.push({ kind: 'list', type: type.replace(/^\[|\]!?$/g, '') })
  else if (text === '{') {
    const members = walk.schema.get(type.replace(/[[\]!]/g, ''))?.fields ?? NO_MEMBERS
    walk.frames.push({ kind: 'members', members, current: null })
  } else if (frame.kind === 'members' && text !== ':') {
    if (frame.current) frame.current = null
    else if (kind === 'name') frame.current = frame.members.get(text) ?? unknownMember(text)
  }
}

/** A value ends with the bracket that opened it, so the member it belonged to is done. */
function close(walk: Walk): void {
  walk.frames.pop()
  const frame = walk.frames.at(-1)
  if (frame?.kind === 'members') frame.current = null
  if (walk.frames.length === 0) Object.assign(walk, { condition: '', definition: '' })
}

function openSelection(walk: Walk, type: string): void {
  walk.frames.push({ kind: 'selection', type, last: null, isCondition: false, of: '' })
}

function unknownMember(name: string): SchemaField {
  return { name, type: '', of: '', doc: '', args: NO_MEMBERS }
}

import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
} from 'graphql'
import { Rejection } from '../../errors.ts'
import { refuseQuery } from './refuse-query.ts'

/** A query that is grammatical: one operation and its fragments. */
export type ReadQuery = {
  document: DocumentNode
  operation: OperationDefinitionNode
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

const QUERY_BYTES_MAX = 64 * 1024

/** The deepest query that the nesting rule allows takes about a dozen. */
const BRACKETS_DEEP_MAX = 40

/** Allows two a field, and three times as many again for fragments, filters and variables. */
const WORDS_MAX = 4_000

/** A list of `{to: "0x…"}` as long as the byte limit allows takes 7,000. */
const TOKENS_MAX = 8_000

/** The meaning of a character outside of strings, by its code; GraphQL uses ASCII alone. */
const MEANINGS = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/\w/.test(character)) return 'word'
  if ('{[('.includes(character)) return 'open'
  if (')]}'.includes(character)) return 'close'
  if (character === '"') return 'quote'
  return character === '#' ? 'comment' : 'other'
})

/** Validation takes a time that grows with their square when they form a chain. */
const FRAGMENTS_MAX = 100

/** Parses the text as GraphQL, cheapest checks first: nonsense must not cost us work. */
export function readQuery(text: string): ReadQuery | Rejection {
  // A UTF-8 text has at least as many bytes as UTF-16 units.
  if (text.length > QUERY_BYTES_MAX || Buffer.byteLength(text) > QUERY_BYTES_MAX) {
    return refuseQuery(`the query is longer than ${QUERY_BYTES_MAX} bytes`)
  }

  const tooMuch = scanText(text)
  if (tooMuch) return tooMuch

  const document = parseText(text)
  return document instanceof Rejection ? document : readDocument(document)
}

/**
 * Looks how deep brackets of any kind nest, and how many names and numbers there are, outside
 * of strings and comments. The parser calls itself for each bracket and makes an object of each
 * word, so it must not be the one to find out.
 */
function scanText(text: string): Rejection | null {
  let deep = 0
  let words = 0
  let inWord = false
  for (let at = 0; at < text.length; at++) {
    const meaning = MEANINGS[text.charCodeAt(at)]
    if (meaning === 'word' && !inWord) words += 1
    inWord = meaning === 'word'
    if (meaning === 'open') deep += 1
    else if (meaning === 'close') deep -= 1
    else if (meaning === 'quote') at = stringEnd(text, at)
    else if (meaning === 'comment') at = lineEnd(text, at)

    if (deep > BRACKETS_DEEP_MAX) {
      return refuseQuery(`brackets are nested more than ${BRACKETS_DEEP_MAX} deep`)
    }
    if (words > WORDS_MAX) {
      return refuseQuery(`there are more than ${WORDS_MAX} names and numbers`)
    }
  }
  return null
}

/** Where the string that starts at `start` ends; an unclosed one ends with the line or the text. */
function stringEnd(text: string, start: number): number {
  if (text.startsWith('"""', start)) return blockStringEnd(text, start + 3)
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at]
    if (character === '"' || character === '\n' || character === '\r') return at
    if (character === '\\') at += 1
  }
  return text.length
}

function blockStringEnd(text: string, start: number): number {
  let at = text.indexOf('"""', start)
  while (at !== -1 && text[at - 1] === '\\') at = text.indexOf('"""', at + 3)
  return at === -1 ? text.length : at + 2
}

function lineEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\n' || text[at] === '\r') return at
  }
  return text.length
}

function parseText(text: string): DocumentNode | Rejection {
  try {
    // Version 17 lets `{}` pass, which no other server does.
    return parse(text, { maxTokens: TOKENS_MAX, allowEmptySelectionSets: false })
  } catch (error) {
    if (error instanceof GraphQLError) return refuseQuery(error.message, error.locations?.[0])
    throw error
  }
}

function readDocument(document: DocumentNode): ReadQuery | Rejection {
  const operations: OperationDefinitionNode[] = []
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      operations.push(definition)
    } else if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      const name = definition.name.value
      if (fragments.has(name)) {
        return refuseQuery(`the fragment ${name} is defined twice`, definition)
      }
      fragments.set(name, definition)
      if (fragments.size > FRAGMENTS_MAX) {
        return refuseQuery(`there are more than ${FRAGMENTS_MAX} fragments`, definition)
      }
    } else {
      return refuseQuery('only a query and its fragments may be defined', definition)
    }
  }

  const [operation, second] = operations
  if (!operation) return refuseQuery('there is no query in it, only fragments')
  if (second) return refuseQuery('there must be exactly one query', second)
  if (operation.operation !== OperationTypeNode.QUERY) {
    return refuseQuery(`a ${operation.operation} is not possible, only a query is`, operation)
  }
  return { document, operation, fragments }
}

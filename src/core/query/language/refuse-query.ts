import type { ASTNode, SourceLocation } from 'graphql'
import { type QueryError, Rejection, type RejectionCode, type TextPlace } from '../../errors.ts'

/** A message may quote the query, which may be one name of 64 KiB. */
const MESSAGE_CHARACTERS_MAX = 400

type Place = ASTNode | SourceLocation | undefined

export function refuseQuery(
  message: string,
  place?: Place,
  code: RejectionCode = 'validation',
): Rejection {
  const queryError = queryErrorOf(message, place)
  const { line, column } = queryError.place ?? {}
  const told = line === undefined ? '' : ` (line ${line}, column ${column})`
  return new Rejection(code, `graphql_query: ${queryError.message}${told}`, { queryError })
}

export function queryErrorOf(message: string, place: Place): QueryError {
  const short =
    message.length > MESSAGE_CHARACTERS_MAX
      ? `${message.slice(0, MESSAGE_CHARACTERS_MAX)}…`
      : message
  // graphql-js quotes values over several lines.
  return { message: short.toWellFormed().replace(/\s+/g, ' '), place: textPlace(place) }
}

/** The first word of a part stands for it: the rest may go on over many lines. */
function textPlace(place: Place): TextPlace | null {
  if (!place) return null
  if (!('kind' in place)) return { line: place.line, column: place.column, length: null }
  const word = place.loc?.startToken
  return word ? { line: word.line, column: word.column, length: word.end - word.start } : null
}

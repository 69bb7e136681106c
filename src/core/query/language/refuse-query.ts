import type { ASTNode, SourceLocation } from 'graphql'
import { Rejection, type RejectionCode } from '../../errors.ts'

/** A message may quote the query, which may be one name of 64 KiB. */
const MESSAGE_CHARACTERS_MAX = 400

type Place = ASTNode | SourceLocation | undefined

/** A refusal that names the request's field and the place in the query. */
export function refuseQuery(
  message: string,
  place?: Place,
  code: RejectionCode = 'validation',
): Rejection {
  const short =
    message.length > MESSAGE_CHARACTERS_MAX
      ? `${message.slice(0, MESSAGE_CHARACTERS_MAX)}…`
      : message
  // graphql-js quotes values over several lines.
  const line = short.toWellFormed().replace(/\s+/g, ' ')
  return new Rejection(code, `graphql_query: ${line}${placeText(place)}`)
}

function placeText(place: Place): string {
  const found = place && 'kind' in place ? place.loc?.startToken : place
  return found ? ` (line ${found.line}, column ${found.column})` : ''
}

import { type FieldNode, type Token, TokenKind, visit } from 'graphql'
import { Rejection } from '../../errors.ts'
import { readQuery } from './read-query.ts'
import { ROOT_NAME } from './survey-query.ts'

/**
 * The text of a query that compiles, without what `block(hash:)` or `block(number:)` asks for
 * and otherwise byte for byte as it was: whoever reads it back from a webhook and tries it out
 * sees what the webhook does.
 */
export function stripBlockArguments(text: string): string {
  const query = readQuery(text)
  if (query instanceof Rejection) return text

  const gaps: { start: number; end: number }[] = []
  const note = (field: FieldNode) => {
    const last = field.arguments?.at(-1)
    // Of all fields of that name only the root has arguments.
    if (field.name.value !== ROOT_NAME || !last) return
    const open = tokenAfter(field.name.loc?.endToken)
    const close = tokenAfter(last.loc?.endToken)
    if (open && close) gaps.push({ start: open.start, end: close.end })
  }
  visit(query.document, { Field: { enter: note } })

  let stripped = ''
  let at = 0
  for (const { start, end } of gaps) {
    stripped += text.slice(at, start)
    at = end
  }
  return stripped + text.slice(at)
}

function tokenAfter(token: Token | undefined): Token | null {
  let next = token?.next ?? null
  while (next?.kind === TokenKind.COMMENT) next = next.next
  return next
}

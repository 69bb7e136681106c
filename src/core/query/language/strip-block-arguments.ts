import { type FieldNode, type Token, TokenKind, visit } from 'graphql'
import { Rejection } from '../../errors.ts'
import { ROOT_NAME } from './check-query-limits.ts'
import { readQuery } from './read-query.ts'

/**
 * The text of a query that compiles, without the arguments of `block` and otherwise byte for
 * byte as it was: a customer who reads it back from a webhook and tries it out sees what the
 * webhook does.
 */
export function stripBlockArguments(text: string): string {
  const query = readQuery(text)
  if (query instanceof Rejection) return text

  const gaps: { start: number; end: number }[] = []
  const note = (field: FieldNode) => {
    const last = field.arguments?.at(-1)
    // Only the root has arguments among the fields of that name.
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

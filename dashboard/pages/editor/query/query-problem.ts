import type { QueryCheck } from '@headgate/client'

export type QueryProblem = QueryCheck['errors'][number]

const NAMES_MAX = 3

/** The names that the compiler thinks were meant: `Did you mean "hash" or "data"?` */
export function suggestedNames(message: string): readonly string[] {
  const at = message.indexOf('Did you mean ')
  if (at === -1) return []
  const names = [...message.slice(at).matchAll(/"([_A-Za-z]\w*)"/g)].map(([, name = '']) => name)
  return names.slice(0, NAMES_MAX)
}

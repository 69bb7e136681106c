import type { HttpMethod, Operation } from '../contract/operation.ts'

export type ApiRoute<Id> =
  | { kind: 'found'; id: Id; operation: Operation; pathValues: ReadonlyMap<string, string> }
  | { kind: 'wrong_method'; allow: string }
  | { kind: 'unknown_path' }

type Pattern<Id> = { segments: readonly string[]; ids: Map<HttpMethod, Id> }

/**
 * Answers which operation a request means. Operations of local development have no route
 * elsewhere, so that they answer as any unknown path does.
 */
export function routeTable<Id extends string>(
  operations: Readonly<Record<Id, Operation>>,
  isLocal: boolean,
): (method: string, path: string) => ApiRoute<Id> {
  const patterns = new Map<string, Pattern<Id>>()
  for (const id of Object.keys(operations) as Id[]) {
    const { method, path, localOnly } = operations[id]
    if (localOnly && !isLocal) continue
    const pattern = patterns.get(path) ?? { segments: path.split('/'), ids: new Map() }
    patterns.set(path, pattern)
    pattern.ids.set(method, id)
  }

  return (method, path) => {
    const segments = path.split('/')
    for (const pattern of patterns.values()) {
      const pathValues = match(pattern.segments, segments)
      if (!pathValues) continue

      const id = pattern.ids.get(method.toLowerCase() as HttpMethod)
      if (id !== undefined) return { kind: 'found', id, operation: operations[id], pathValues }
      const allow = [...pattern.ids.keys()].map((it) => it.toUpperCase())
      return { kind: 'wrong_method', allow: allow.join(', ') }
    }
    return { kind: 'unknown_path' }
  }
}

function match(pattern: readonly string[], segments: readonly string[]) {
  if (pattern.length !== segments.length) return null
  const values = new Map<string, string>()
  for (const [at, part] of pattern.entries()) {
    const segment = decoded(segments[at] ?? '')
    if (part.startsWith('{')) {
      if (!segment) return null
      values.set(part.slice(1, -1), segment)
    } else if (segment !== part) {
      return null
    }
  }
  return values
}

/** A broken escape names nothing, so it matches nothing. */
function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}

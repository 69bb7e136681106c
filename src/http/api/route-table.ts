import type { HttpMethod, Operation, Paths } from '../contract/openapi.ts'

export type Route =
  | { kind: 'found'; operation: Operation; pathValues: ReadonlyMap<string, string> }
  | { kind: 'wrong_method'; allow: string }
  | { kind: 'unknown_path' }

type Pattern = {
  segments: readonly string[]
  methods: Readonly<Partial<Record<HttpMethod, Operation>>>
}

/** Answers which documented operation a request means. */
export function routeTable(paths: Paths): (method: string, path: string) => Route {
  const patterns = Object.entries(paths).map(([path, methods]): Pattern => {
    return { segments: path.split('/'), methods }
  })

  return (method, path) => {
    const segments = path.split('/')
    for (const pattern of patterns) {
      const pathValues = match(pattern.segments, segments)
      if (!pathValues) continue

      const operation = operationOf(pattern, method)
      if (operation) return { kind: 'found', operation, pathValues }
      const allow = Object.keys(pattern.methods).map((it) => it.toUpperCase())
      return { kind: 'wrong_method', allow: allow.join(', ') }
    }
    return { kind: 'unknown_path' }
  }
}

function operationOf(pattern: Pattern, method: string): Operation | undefined {
  const name = method.toLowerCase() as HttpMethod
  return Object.hasOwn(pattern.methods, name) ? pattern.methods[name] : undefined
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

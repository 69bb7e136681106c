import { parseSync, Visitor } from 'oxc-parser'

/** A file as the laws see it; the path is seen from the repository, with forward slashes. */
export type SourceFile = { path: string; text: string }

export type Import = {
  specifier: string
  /** `static` loads with the file, `lazy` when it is reached, `type` never. */
  kind: 'static' | 'lazy' | 'type'
}

type Span = { start: number; end: number }

type Parsed = { comments: Span[]; literals: Span[]; imports: (Import | null)[] }

/** Each law looks at each file, which is parsed for the first of them. */
const parsedTexts = new Map<string, Parsed>()

/** The code alone: comments and the insides of literals are blank, every place stays the same. */
export function codeOf(text: string): string {
  const { comments, literals } = parse(text)
  return without(text, [...comments, ...literals], ' ')
}

/** Columns of each line without the insides of literals, which no formatter can break. */
export function columnsOf(text: string): number[] {
  const lines = without(text, parse(text).literals, '').split('\n')
  return lines.map((line) => line.length)
}

/** Everything a file imports, types and lazy imports too; null stands for what cannot be read. */
export function importsOf(text: string): (Import | null)[] {
  return parse(text).imports
}

/** The comments of a file, each from its first word on. */
export function commentsOf(text: string): string[] {
  const { comments } = parse(text)
  return comments.map(({ start, end }) => text.slice(start, end).replace(/^[/*\s]+/, ''))
}

function without(text: string, spans: readonly Span[], filling: string): string {
  let kept = ''
  let at = 0
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    kept += text.slice(at, start) + text.slice(start, end).replace(/[^\n]/g, filling)
    at = end
  }
  return kept + text.slice(at)
}

function parse(text: string): Parsed {
  const known = parsedTexts.get(text)
  if (known) return known
  // A component of the dashboard is no plain TypeScript, and the other way round.
  const plain = parseSync('file.ts', text)
  const result = plain.errors.length > 0 ? parseSync('file.tsx', text) : plain
  const { program, comments, errors } = result
  if (errors.length > 0) throw new Error(`this cannot be parsed: ${plain.errors[0]?.codeframe}`)
  const parsed: Parsed = { comments, literals: [], imports: [] }
  collect(parsed).visit(program)
  parsedTexts.set(text, parsed)
  return parsed
}

function collect({ literals, imports }: Parsed): Visitor {
  const load = (kind: Import['kind'], source: { value?: unknown } | null | undefined) => {
    const specifier = source?.value
    imports.push(typeof specifier === 'string' ? { specifier, kind } : null)
  }
  return new Visitor({
    Literal(node) {
      const isText = typeof node.value === 'string' || 'regex' in node
      if (isText) literals.push({ start: node.start + 1, end: node.end - 1 })
    },
    JSXText: ({ start, end }) => void literals.push({ start, end }),
    // Its span has the quote or brace before it, and the quote or `${` behind it.
    TemplateElement: ({ start, end, tail }) =>
      void literals.push({ start: start + 1, end: end - (tail ? 1 : 2) }),
    ImportDeclaration: ({ importKind, source }) =>
      load(importKind === 'type' ? 'type' : 'static', source),
    ExportAllDeclaration: ({ exportKind, source }) =>
      load(exportKind === 'type' ? 'type' : 'static', source),
    ExportNamedDeclaration({ exportKind, source }) {
      if (source) load(exportKind === 'type' ? 'type' : 'static', source)
    },
    ImportExpression: ({ source }) => load('lazy', source as object),
    TSImportType: ({ source }) => load('lazy', source),
    TSExternalModuleReference: ({ expression }) => load('lazy', expression),
    CallExpression({ callee, arguments: given }) {
      const isRequire = callee.type === 'Identifier' && callee.name === 'require'
      if (isRequire) load('lazy', given[0] as object | undefined)
    },
  })
}

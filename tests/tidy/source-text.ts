/** A file as the laws see it; the path is seen from the repository, with forward slashes. */
export type SourceFile = { path: string; text: string }

export type Import = {
  specifier: string
  /** `static` loads with the file, `lazy` when it is reached, `type` never. */
  kind: 'static' | 'lazy' | 'type'
}

const CODE = 0
const COMMENT = 1
const LITERAL = 2

/** After these a slash begins a regular expression, after other words it divides. */
const WORDS_BEFORE_REGEX =
  /\b(?:return|typeof|case|in|of|delete|void|instanceof|new|throw|else|do|await|yield)$/

/** The code alone: comments and the insides of literals are blank, every place stays the same. */
export function codeOf(text: string): string {
  const kinds = classify(text)
  let code = ''
  for (let at = 0; at < text.length; at++) {
    code += kinds[at] === CODE || text[at] === '\n' ? text[at] : ' '
  }
  return code
}

/** Columns of each line without the insides of literals, which no formatter can break. */
export function columnsOf(text: string): number[] {
  const kinds = classify(text)
  const columns = [0]
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\n') columns.push(0)
    else if (kinds[at] !== LITERAL) columns[columns.length - 1]! += 1
  }
  return columns
}

/** Everything a file imports, types and lazy imports too; null stands for what cannot be read. */
export function importsOf(text: string): (Import | null)[] {
  const code = codeOf(text)
  const found: (Import | null)[] = []
  let statement = ''
  for (const match of code.matchAll(/\b(?:import|export)\b(?:\s+type\b)?|\bfrom\s*(?=['"])/g)) {
    if (!match[0].startsWith('from')) {
      statement = match[0]
      continue
    }
    const kind = statement.endsWith('type') ? 'type' : 'static'
    found.push({ specifier: literalAt(text, match.index + match[0].length), kind })
  }
  for (const match of code.matchAll(/\bimport\s*(?=['"])/g)) {
    const specifier = literalAt(text, match.index + match[0].length)
    found.push({ specifier, kind: 'static' })
  }
  for (const match of code.matchAll(/\b(?:import|require)\s*\(\s*/g)) {
    const specifier = literalAt(text, match.index + match[0].length)
    found.push(specifier === '' ? null : { specifier, kind: 'lazy' })
  }
  return found
}

function literalAt(text: string, at: number): string {
  const literal = text.slice(at).match(/^(['"])((?:(?!\1)[^\\\n])*)\1/)
  return literal?.[2] ?? ''
}

/**
 * Says of each character what it is part of. Knows strings, templates with code inside,
 * comments and regular expressions; it is no parser, but it errs only on code that nobody
 * should write (a regular expression right behind a closing parenthesis).
 */
function classify(text: string): Uint8Array {
  const kinds = new Uint8Array(text.length)
  /** Open braces of each template expression we are inside of, the innermost last. */
  const templates: number[] = []
  let at = 0
  while (at < text.length) {
    const start = at
    const char = text[at]
    if (text.startsWith('//', at)) mark(endOf(text, at, '\n'), COMMENT)
    else if (text.startsWith('/*', at)) mark(endOf(text, at + 2, '*/') + 2, COMMENT)
    else if (char === "'" || char === '"') inside(stringEnd(text, at + 1, char))
    else if (char === '`') inside(templateEnd(text, at + 1))
    else if (char === '/' && regexMayStart(text, at, kinds)) inside(regexEnd(text, at + 1))
    else if (char === '}' && templates.at(-1) === 0) {
      templates.pop()
      inside(templateEnd(text, at + 1))
    } else {
      if (templates.length > 0 && char === '{') templates[templates.length - 1]! += 1
      if (templates.length > 0 && char === '}') templates[templates.length - 1]! -= 1
      at += 1
    }

    function mark(end: number, kind: number): void {
      kinds.fill(kind, start, end)
      at = end
    }

    function inside(end: number): void {
      kinds.fill(LITERAL, start + 1, end)
      // A template stops at its end or where code begins in it.
      const opensCode = text.startsWith('${', end)
      if (opensCode) templates.push(0)
      at = end + (opensCode ? 2 : 1)
    }
  }
  return kinds
}

function endOf(text: string, from: number, end: string): number {
  const found = text.indexOf(end, from)
  return found === -1 ? text.length : found
}

function stringEnd(text: string, from: number, quote: string): number {
  let at = from
  while (at < text.length && text[at] !== quote && text[at] !== '\n')
    at += text[at] === '\\' ? 2 : 1
  return at
}

function templateEnd(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '`' && !text.startsWith('${', at)) {
    at += text[at] === '\\' ? 2 : 1
  }
  return at
}

function regexEnd(text: string, from: number): number {
  let inClass = false
  let at = from
  while (at < text.length && text[at] !== '\n' && (inClass || text[at] !== '/')) {
    if (text[at] === '[') inClass = true
    if (text[at] === ']') inClass = false
    at += text[at] === '\\' ? 2 : 1
  }
  return at
}

function regexMayStart(text: string, at: number, kinds: Uint8Array): boolean {
  let before = at - 1
  while (before >= 0 && (kinds[before] === COMMENT || /\s/.test(text[before] ?? ''))) before -= 1
  if (before < 0) return true
  if (/[)\]'"`]/.test(text[before] ?? '')) return false
  if (!/[\w$]/.test(text[before] ?? '')) return true
  return WORDS_BEFORE_REGEX.test(text.slice(Math.max(0, before - 11), before + 1))
}

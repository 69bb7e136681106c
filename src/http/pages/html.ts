/** Nobody outside has this symbol, so no text and no JSON can pass for markup. */
const MARKUP = Symbol('markup')

/** Markup that is safe to send as it stands. */
export type Html = { readonly [MARKUP]: string }

type Part = string | number | null | Html | readonly Html[]

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Builds markup; whatever is put in and is not markup itself is escaped. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const text = literals.reduce((sum, literal, at) => {
    return sum + markup(parts[at - 1] ?? null) + literal
  })
  return trusted(text)
}

/** Markup as it stands: for what we wrote ourselves, never for what came in. */
export function trusted(text: string): Html {
  return { [MARKUP]: text }
}

export function textOf(markup: Html): string {
  return markup[MARKUP]
}

/** Paragraphs, with code between backticks. */
export function prose(text: string): Html[] {
  return text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`)
}

/** One line of prose, with code between backticks. */
export function inline(text: string): Html[] {
  return text
    .split('`')
    .map((piece, at) => (at % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`))
}

function isList(part: Html | readonly Html[]): part is readonly Html[] {
  return Array.isArray(part)
}

function markup(part: Part): string {
  if (part === null) return ''
  if (typeof part === 'object') return isList(part) ? part.map(textOf).join('') : textOf(part)
  return String(part).replace(/[&<>"']/g, (char) => ENTITIES[char] ?? '')
}

import { Marked, type Token, type Tokens } from 'marked'
import { escapeHtml, highlightCode } from './highlight-code.ts'

export type Heading = { depth: number; text: string; id: string }

/** The words under one heading, for the search. */
type Section = { heading: string; id: string; text: string }

export type Rendered = {
  title: string
  html: string
  headings: readonly Heading[]
  sections: readonly Section[]
}

/** Where a link or an image of the Markdown leads to on the site. */
export type Resolve = (target: string) => string

/** A link that leads away from the site. */
const OUTSIDE = /^[a-z]+:/

/** Renders a Markdown file; headings have the anchors that GitHub gives them. */
export function renderMarkdown(text: string, resolve: Resolve): Rendered {
  const headings: Heading[] = []
  const marked = new Marked()
  marked.use({ renderer: rendererFor(headings, resolve) })
  const tokens = marked.lexer(text)
  const html = marked.parser(tokens)
  const [first] = headings
  return {
    title: first?.text ?? '',
    html,
    headings,
    sections: sectionsOf(tokens, headings),
  }
}

function rendererFor(headings: Heading[], resolve: Resolve) {
  const used = new Map<string, number>()
  return {
    heading(this: { parser: InlineParser }, { depth, tokens }: Tokens.Heading): string {
      const heading = { depth, text: plain(tokens), id: anchorOf(plain(tokens), used) }
      headings.push(heading)
      const inside = this.parser.parseInline(tokens)
      const link = `<a class="anchor" href="#${heading.id}" aria-label="Link to this section">#</a>`
      return `<h${depth} id="${heading.id}">${inside}${depth > 1 ? link : ''}</h${depth}>\n`
    },
    code({ text, lang = '' }: Tokens.Code): string {
      const [language = ''] = lang.split(' ')
      const code = highlightCode(text, language)
      const copy = '<button class="copy-code" type="button">Copy</button>'
      return `<div class="code">${copy}<pre tabindex="0"><code>${code}\n</code></pre></div>\n`
    },
    link(this: { parser: InlineParser }, { href, tokens }: Tokens.Link): string {
      const inside = this.parser.parseInline(tokens)
      if (OUTSIDE.test(href)) return `<a href="${escapeHtml(href)}" rel="noreferrer">${inside}</a>`
      return `<a href="${escapeHtml(resolve(href))}">${inside}</a>`
    },
    image({ href, text }: Tokens.Image): string {
      return `<img src="${escapeHtml(resolve(href))}" alt="${escapeHtml(text)}" loading="lazy">`
    },
    table(this: { parser: InlineParser }, { header, align, rows }: Tokens.Table): string {
      const cell = (wanted: string) => (one: Tokens.TableCell, at: number) => {
        // A heading without words is none.
        const tag = one.text === '' ? 'td' : wanted
        const side = align[at] === 'right' ? ' class="num"' : ''
        return `<${tag}${side}>${this.parser.parseInline(one.tokens)}</${tag}>`
      }
      const body = rows.map((row) => `<tr>${row.map(cell('td')).join('')}</tr>`)
      const head = `<thead><tr>${header.map(cell('th')).join('')}</tr></thead>`
      return `<div class="tw" tabindex="0"><table>${head}<tbody>${body.join('')}</tbody></table></div>`
    },
    // Comments mark places for tests, and are of no use to a reader.
    html: ({ text }: { text: string }) => (text.startsWith('<!--') ? '' : text),
  }
}

type InlineParser = { parseInline(tokens: Token[]): string }

/** As GitHub does it; a second heading with the same words gets a number. */
function anchorOf(text: string, used: Map<string, number>): string {
  const id = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
  const times = used.get(id) ?? 0
  used.set(id, times + 1)
  return times === 0 ? id : `${id}-${times}`
}

/** The words of tokens without their marks. */
function plain(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      const inside = 'tokens' in token && token.tokens ? plain(token.tokens) : null
      return inside ?? unescaped('text' in token ? String(token.text) : '')
    })
    .join('')
}

/** A code span comes with its quotes already written for HTML. */
function unescaped(text: string): string {
  const marks: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name) => marks[name] ?? '')
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const sections: { heading: string; id: string; text: string }[] = []
  for (const token of tokens) {
    const heading = token.type === 'heading' ? headings[sections.length] : undefined
    if (heading) sections.push({ heading: heading.text, id: heading.id, text: '' })
    else if (token.type !== 'html') {
      const last = sections.at(-1)
      if (last) last.text = `${last.text} ${wordsOf(token)}`.trim()
    }
  }
  return sections
}

/** All words of a block, those of tables, lists and programs too. */
function wordsOf(token: Token): string {
  const words = token.raw
    .replace(/^```.*$/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/\]\([^)]*\)/g, ' ')
    .replace(/[|[\]*`]+|-{3,}/g, ' ')
  return words.replace(/\s+/g, ' ').trim()
}

import { describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { type DocsSection, findSections } from '../../dashboard/docs-site/find-sections.ts'
import { buildSite } from '../../scripts/docs-site/build-site.ts'
import { highlightCode } from '../../scripts/docs-site/highlight-code.ts'
import { renderMarkdown } from '../../scripts/docs-site/render-markdown.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Addresses that Headgate serves besides the documentation. */
const ELSEWHERE = new Set(['/', '/docs/reference'])

describe('the site', () => {
  const site = buildSite(ROOT, (name) => `/assets/${name}`)
  const pages = [...site].filter(([, { type }]) => type.startsWith('text/html'))

  test('has every page of the manual', () => {
    for (const file of new Bun.Glob('docs/**/*.md').scanSync({ cwd: ROOT })) {
      const path = `/${file.replace(/\.md$/, '')}`
      expect([...site.keys()]).toContain(path)
    }
  })

  test('has no link and no picture that leads nowhere, and none to another server', () => {
    const anchors = new Map(pages.map(([path, { text }]) => [path, idsIn(text)]))
    for (const [path, { text }] of pages) {
      for (const [, kind = '', target = ''] of text.matchAll(/<[^>]* (href|src)="([^"]*)"/g)) {
        if (/^https?:/.test(target)) expect([path, target, kind]).toEqual([path, target, 'href'])
        else if (!target.startsWith('/assets/')) expect(wrongIn(target, path)).toBe('')
      }
    }

    function wrongIn(target: string, from: string): string {
      const [page = '', anchor] = target.split('#')
      const to = page === '' ? from : page
      if (ELSEWHERE.has(to) || (site.has(to) && anchor === undefined)) return ''
      return anchors.get(to)?.has(anchor ?? '') ? '' : `${from} links to ${target}`
    }
  })

  test('loads nothing from another server', () => {
    for (const [, { text }] of pages) {
      expect(text).not.toMatch(/<(?:script|link|img|iframe)[^>]*(?:src|href)="(?:https?:)?\/\//)
      expect(text).not.toMatch(/<style|<script>| style="/)
    }
  })

  test('finds a section by its words', () => {
    const index = [...site].find(([path]) => path.startsWith('/docs/assets/search-'))?.[1]
    const sections: DocsSection[] = JSON.parse(index?.text ?? '[]')
    const found = (asked: string) =>
      findSections(sections, asked).map(({ section: [path] }) => path)
    expect(found('rotating signing key')[0]).toBe(
      '/docs/receiving-webhooks#rotating-the-signing-key',
    )
    expect(found('eth_getLogs')).toContain('/docs/api#eth_getlogs')
    expect(found('no-such-word-anywhere')).toEqual([])
  })
})

describe('a search', () => {
  const SECTIONS: DocsSection[] = [
    ['/a', 'Limits', 'Throughput', 'A token bucket has so many units.'],
    ['/b', 'Deliveries', 'Retries', 'After a failure throughput falls; a <b>mark</b> & a token.'],
  ]

  test('has headings before texts, and wants every word', () => {
    expect(findSections(SECTIONS, 'throughput').map(({ section: [path] }) => path)).toEqual([
      '/a',
      '/b',
    ])
    expect(findSections(SECTIONS, 'throughput RETRIES')).toHaveLength(1)
    expect(findSections(SECTIONS, 'throughput missing')).toEqual([])
  })

  test.each(['', '   ', '.*', '(', '\\', '[a-', '\u0000', 'x'.repeat(100_000), '<script>', '💧'])(
    'for %p ends without a fault',
    (asked) => {
      expect(findSections(SECTIONS, asked)).toBeArray()
    },
  )
})

test('a comment is left out, an angle bracket is none, and anchors are those of GitHub', () => {
  const text = '# A `b` & c\n\n<!-- run -->\n## Twice\n## Twice\n\n| a |\n|---|\n| `x<y` |\n'
  const { html, headings } = renderMarkdown(text, (target) => target)
  expect(html).not.toContain('run')
  expect(html).toContain('x&lt;y')
  expect(headings.map(({ id }) => id)).toEqual(['a-b--c', 'twice', 'twice-1'])
})

test('a program keeps each of its characters', () => {
  const program = `curl "$URL" -d '{"a":"<b>&"}' # a comment --from\nconst x = \`y\`\n`
  const html = highlightCode(program, 'sh')
  const text = html
    .replace(/<[^>]*>/g, '')
    .replace(
      /&(lt|gt|quot|amp);/g,
      (_, name) => ({ lt: '<', gt: '>', quot: '"' })[name as 'lt'] ?? '&',
    )
  expect(text).toBe(program)
})

function idsIn(html: string): Set<string> {
  return new Set([...html.matchAll(/ id="([^"]*)"/g)].map((found) => found[1] ?? ''))
}

import { existsSync, readFileSync, statSync } from 'node:fs'
import { extname, join, posix } from 'node:path'
import { escapeHtml, highlightCode } from './highlight-code.ts'
import { type AssetAddress, pageShell } from './page-shell.ts'
import { type Rendered, renderMarkdown } from './render-markdown.ts'
import { type SitePage, siteMap } from './site-map.ts'

/** A file of the site; an image is written in base64. */
export type SiteFile = { type: string; text: string; base64?: true }

type Site = {
  root: string
  pathOf: ReadonlyMap<string, string>
  files: Map<string, SiteFile>
  /** Files of the project that a page links to, which get a page each. */
  sources: Set<string>
}

/** Titles for the list of pages, where the heading says less to whoever has not read the page. */
const TITLES: Readonly<Record<string, string>> = {
  '/docs': 'Quick start',
  '/docs/api': 'The API',
  '/docs/benchmarks': 'Benchmarks',
}

const HTML = 'text/html; charset=utf-8'

const IMAGES: Readonly<Record<string, string>> = { '.png': 'image/png', '.svg': 'image/svg+xml' }

/** A paragraph that is only a link to a query: the page shows the query in its place. */
const QUERY_LINK = /^\[[^\]]+\]\(([^)]+\.graphql)\)$/gm

/** What the dashboard's editor says about a query of the cookbook; the page says it in words. */
const FIRST_COMMENTS = /^(?:#.*\n)+\n/

/** Every page and image of the documentation by its address. */
export function buildSite(root: string, assets: AssetAddress): ReadonlyMap<string, SiteFile> {
  const groups = siteMap(root)
  const pages = groups.flatMap((group) => group.pages)
  const pathOf = new Map(pages.map(({ file, path }) => [file, path]))
  const site: Site = { root, pathOf, files: new Map(), sources: new Set() }
  const rendered = new Map(pages.map((page) => [page.path, render(site, page)]))
  const titleOf = ({ path }: SitePage) => {
    return TITLES[path] ?? rendered.get(path)?.title ?? ''
  }

  const index = JSON.stringify(searchIndex(rendered, titleOf))
  const searchPath = `/docs/assets/search-${shortHash(index)}.json`
  site.files.set(searchPath, { type: 'application/json', text: index })
  const frame = { groups, titleOf, addressOf: assets, searchIndex: searchPath }
  for (const [path, page] of rendered) {
    site.files.set(path, { type: HTML, text: pageShell(frame, { path, ...page }) })
  }
  for (const file of site.sources) {
    const page = sourcePage(root, file)
    site.files.set(page.path, { type: HTML, text: pageShell(frame, page) })
  }
  return site.files
}

function render(site: Site, { file }: SitePage): Rendered {
  const text = readFileSync(join(site.root, file), 'utf8')
  const shown = text.replace(QUERY_LINK, (_, target) => {
    const query = readFileSync(join(site.root, posix.dirname(file), target), 'utf8')
    return `\`\`\`graphql\n${query.replace(FIRST_COMMENTS, '')}\`\`\``
  })
  return renderMarkdown(shown, (target) => addressOf(site, file, target))
}

/** The address of a link: a page, a picture, or the source of a file. */
function addressOf(site: Site, from: string, target: string): string {
  const [file = '', anchor] = target.split('#')
  const hash = anchor === undefined ? '' : `#${anchor}`
  if (file === '') return hash
  const path = posix.join(posix.dirname(from), file)
  const page = site.pathOf.get(path)
  if (page !== undefined) return `${page}${hash}`
  const place = join(site.root, path)
  if (path.startsWith('..') || !existsSync(place) || !statSync(place).isFile()) {
    throw new Error(`${from} links to ${target}, which is not there`)
  }
  const image = IMAGES[extname(path)]
  if (image === undefined) {
    site.sources.add(path)
    return `/docs/files/${path}`
  }
  const bytes = readFileSync(place)
  const address = `/docs/assets/${shortHash(bytes)}-${posix.basename(path)}`
  site.files.set(address, { type: image, text: bytes.toString('base64'), base64: true })
  return address
}

function sourcePage(root: string, file: string) {
  const text = readFileSync(join(root, file), 'utf8')
  const code = highlightCode(text, extname(file).slice(1))
  const html = `<h1><code>${escapeHtml(file)}</code></h1>
<div class="code"><button class="copy-code" type="button">Copy</button>
<pre tabindex="0"><code>${code}</code></pre></div>`
  return { path: `/docs/files/${file}`, title: file, html, headings: [] }
}

/** One entry for each heading: path, page, heading, text. */
function searchIndex(
  rendered: ReadonlyMap<string, Rendered>,
  titleOf: (page: SitePage) => string,
): readonly string[][] {
  return [...rendered].flatMap(([path, { sections }]) => {
    const title = titleOf({ path, file: '' })
    return sections.map(({ id, heading, text }, at) => {
      return [at === 0 ? path : `${path}#${id}`, title, heading, text]
    })
  })
}

function shortHash(content: string | Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(content).digest('hex').slice(0, 8)
}

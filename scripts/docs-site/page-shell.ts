import { escapeHtml } from './highlight-code.ts'
import type { Heading } from './render-markdown.ts'
import type { SiteGroup, SitePage } from './site-map.ts'

/** The address of a file that all pages load, by its name. */
export type AssetAddress = (name: string) => string

export type ShownPage = {
  path: string
  title: string
  html: string
  headings: readonly Heading[]
}

type Site = {
  groups: readonly SiteGroup[]
  titleOf(page: SitePage): string
  addressOf: AssetAddress
  searchIndex: string
}

const LOGO = `<svg width="24" height="24" viewBox="0 0 26 26" fill="none" stroke="currentColor"
stroke-width="2.2" stroke-linecap="round" aria-hidden="true"><path d="M4 22V6.5M22 22V6.5M2 6.5h22M10
6.5v8M16 6.5v8M7.5 20.5c1.8-1.6 3.6-1.6 5.5 0s3.7 1.6 5.5 0"/></svg>`

const MOON = `<svg class="i" viewBox="0 0 16 16" aria-hidden="true"><path d="M13.5 9.5A6 6 0 0 1 6.5
2.5a5.5 5.5 0 1 0 7 7Z"/></svg>`

/** One page of the site around the HTML of its Markdown. */
export function pageShell(site: Site, page: ShownPage): string {
  const { addressOf, searchIndex } = site
  const title = page.path === '/docs' ? 'Headgate docs' : `${page.title} · Headgate docs`
  return `<!doctype html>
<html lang="en" data-search="${searchIndex}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${addressOf('icon')}">
<script src="${addressOf('theme-before-paint')}"></script>
<link rel="stylesheet" href="${addressOf('style')}">
<link rel="stylesheet" href="${addressOf('docs-style')}">
<script type="module" src="${addressOf('docs')}"></script>
</head>
<body class="docs">
<a class="skip" href="#content">To the text</a>
<header class="docs-head">
<a class="brand" href="/docs">${LOGO}Headgate docs</a>
<div class="docs-find" role="search">
<input class="in" type="search" id="find" placeholder="Search" autocomplete="off"
 aria-label="Search the documentation" aria-controls="found" aria-expanded="false" role="combobox">
<kbd aria-hidden="true">/</kbd>
<div id="found" role="listbox" aria-label="Found" hidden></div>
</div>
<nav class="docs-links" aria-label="Elsewhere">
<a href="/docs/reference">API reference</a>
<a href="/">Dashboard</a>
</nav>
<button class="ib" type="button" id="theme" aria-label="Switch between light and dark">${MOON}</button>
</header>
<div class="docs-body">
${navigation(site, page)}
<main id="content" class="docs-text">
${page.html}
${neighbours(site, page)}
</main>
${contents(page)}
</div>
</body>
</html>
`
}

function navigation({ groups, titleOf }: Site, { path }: ShownPage): string {
  const lists = groups.map(({ name, pages }) => {
    const links = pages.map((one) => {
      const current = one.path === path ? ' aria-current="page"' : ''
      return `<li><a href="${one.path}"${current}>${escapeHtml(titleOf(one))}</a></li>`
    })
    return `<p class="nav-label">${name}</p><ul>${links.join('')}</ul>`
  })
  return `<details class="docs-nav"><summary>Contents</summary>
<nav class="nav" aria-label="Documentation">${lists.join('')}</nav></details>`
}

/** The headings of a page; one of less than three has none to choose from. */
function contents({ headings }: ShownPage): string {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (shown.length < 3) return ''
  const links = shown.map(({ depth, id, text }) => {
    return `<li class="d${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`
  })
  return `<nav class="docs-toc" aria-label="On this page"><p>On this page</p>
<ul>${links.join('')}</ul></nav>`
}

function neighbours({ groups, titleOf }: Site, { path }: ShownPage): string {
  const pages = groups.flatMap((group) => group.pages)
  const at = pages.findIndex((page) => page.path === path)
  if (at === -1) return ''
  const link = (page: SitePage | undefined, rel: 'prev' | 'next') => {
    if (!page) return '<span></span>'
    const word = rel === 'prev' ? 'Before' : 'Next'
    return `<a rel="${rel}" href="${page.path}"><small>${word}</small>${escapeHtml(titleOf(page))}</a>`
  }
  return `<nav class="docs-turn" aria-label="Pages before and after">
${link(pages[at - 1], 'prev')}${link(pages[at + 1], 'next')}</nav>`
}

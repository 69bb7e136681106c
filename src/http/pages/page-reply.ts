import { type Html, html, textOf, trusted } from './html.ts'
import { PAGE_STYLE } from './page-style.ts'

type Page = { title: string; path: '/' | '/docs'; mainClass: string; main: Html }

const LINKS = [
  { path: '/', text: 'Start' },
  { path: '/docs', text: 'API reference' },
  { path: '/api/openapi.json', text: 'OpenAPI' },
  { path: '/readyz', text: 'Status' },
] as const

/** A sluice: two posts, a beam, the raised gate, and the water below. */
const GATE =
  'M4 22V6.5M22 22V6.5M2 6.5h22M10 6.5v8M16 6.5v8M7.5 20.5c1.8-1.6 3.6-1.6 5.5 0s3.7 1.6 5.5 0'

const LOGO = html`<svg width="26" height="26" viewBox="0 0 26 26" fill="none" aria-hidden="true"
stroke="currentColor" stroke-width="2.4" stroke-linecap="round"><path d="${GATE}"/></svg>`

const ICON_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 26 26" fill="none"
stroke="#0a8a70" stroke-width="2.6" stroke-linecap="round"><path d="${GATE}"/></svg>`

const ICON = `data:image/svg+xml,${encodeURIComponent(ICON_SVG)}`

// The sheet is named by its hash, so no other style and no script at all can run.
const STYLE_HASH = new Bun.CryptoHasher('sha256').update(PAGE_STYLE).digest('base64')

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** A whole page around its main part. */
export function pageReply(page: Page): Response {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title}</title>
<link rel="icon" href="${ICON}">
<style>${trusted(PAGE_STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div class="bar">
<a class="brand" href="/">${LOGO}Headgate</a>
<nav aria-label="Main">${LINKS.map((link) => navLink(link, page.path))}</nav>
</div></header>
<main id="main" class="${page.mainClass}">${page.main}</main>
<footer class="foot"><div class="bar">Headgate is open source: Apache License 2.0.</div></footer>
</body>
</html>
`
  return new Response(textOf(document), { headers: HEADERS })
}

function navLink(link: (typeof LINKS)[number], current: string): Html {
  if (link.path === current)
    return html`<a href="${link.path}" aria-current="page">${link.text}</a>`
  return html`<a href="${link.path}">${link.text}</a>`
}

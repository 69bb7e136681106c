import { cacheReply } from '../edge/cached-reply.ts'
import type { Page } from '../server.ts'

type BundledFile = { type: string; text: string }

/** Every place of the dashboard is the same page, which then shows what its address names. */
const PLACES = [
  '/',
  '/sign-in',
  '/apps',
  '/apps/*',
  '/webhooks',
  '/webhooks/*',
  '/edit/*',
  '/usage',
  '/networks',
  '/devnet',
  '/settings',
  '/settings/*',
  '/docs',
] as const

const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** The name of a file changes with its content. */
const FOR_EVER = 'public, max-age=31536000, immutable'

/** The dashboard's pages and files by path; `bundle` is null where they were not built. */
export function dashboardPages(bundle: string | null): ReadonlyMap<string, Page> {
  const files: Readonly<Record<string, BundledFile>> = JSON.parse(bundle ?? NOT_BUILT)
  const reply = ({ type, text }: BundledFile, caching: string) =>
    cacheReply(
      () =>
        new Response(text, {
          headers: { ...HEADERS, 'content-type': type, 'cache-control': caching },
        }),
    ).reply
  const pages = new Map<string, Page>()
  for (const [path, file] of Object.entries(files)) {
    if (path !== '/') pages.set(path, reply(file, FOR_EVER))
  }
  const main = files['/']
  if (main) {
    const page = reply(main, 'no-cache')
    for (const place of PLACES) pages.set(place, page)
  }
  return pages
}

const NOT_BUILT = JSON.stringify({
  '/': {
    type: 'text/plain; charset=utf-8',
    text: 'The dashboard is not built: run `npm run build:dashboard` and start again.\n',
  },
})

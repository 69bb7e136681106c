import type { Page } from '../server.ts'
import { type Bundle, bundledReply } from './bundled-reply.ts'

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
  '/docs/reference',
] as const

/** The dashboard's pages and files by path; `bundle` is null where they were not built. */
export function dashboardPages(bundle: string | null): ReadonlyMap<string, Page> {
  const files: Bundle = JSON.parse(bundle ?? NOT_BUILT)
  const pages = new Map<string, Page>()
  for (const [path, file] of Object.entries(files)) {
    if (path !== '/') pages.set(path, bundledReply(file, 'asset'))
  }
  const main = files['/']
  if (main) {
    const page = bundledReply(main, 'page')
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

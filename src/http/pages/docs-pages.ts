import type { Page } from '../server.ts'
import { type Bundle, bundledReply } from './bundled-reply.ts'

const HOME = '/docs'
const ASSETS = '/docs/assets/'

/**
 * The pages of the documentation by path. The first line of their bundle has the paths; the rest
 * is only read when somebody asks for a page. It is null where it was not built.
 */
export function docsPages(readBundle: () => string | null): ReadonlyMap<string, Page> {
  const [firstLine = ''] = (readBundle() ?? NOT_BUILT).split('\n', 1)
  const paths: string[] = JSON.parse(firstLine)
  let pages: ReadonlyMap<string, Page> | null = null
  const pageAt = (path: string) => {
    pages ??= pagesIn(readBundle() ?? NOT_BUILT)
    return pages.get(path) ?? notFound
  }
  return new Map(paths.map((path) => [path, (headers) => pageAt(path)(headers)]))
}

function pagesIn(text: string): ReadonlyMap<string, Page> {
  const bundle: Bundle = JSON.parse(text.slice(text.indexOf('\n')))
  return new Map(
    Object.entries(bundle).map(([path, file]) => {
      return [path, bundledReply(file, path.startsWith(ASSETS) ? 'asset' : 'page')]
    }),
  )
}

/** The bundle was built anew while the service ran, and the page is gone. */
function notFound(): Response {
  const headers = { 'content-type': 'text/plain; charset=utf-8' }
  return new Response('not found\n', { status: 404, headers })
}

const NOT_BUILT = `["${HOME}"]\n${JSON.stringify({
  [HOME]: {
    type: 'text/plain; charset=utf-8',
    text: 'The documentation is not built: run `npm run build:dashboard` and start again.\n',
  },
})}`

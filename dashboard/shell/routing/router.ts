import { useEffect } from 'preact/hooks'
import { change, useWatched, watched } from '../../api/watched.ts'

/** The place in view; everything that a page shows is in its address. */
export type Place = { path: string; query: URLSearchParams; hash: string }

type Blocker = () => boolean

const place = watched<Place>({ path: '', query: new URLSearchParams(), hash: '' })

/** Asks before changes are lost; null while there are none. */
let blocker: Blocker | null = null
let shownAddress = ''

export function navigate(to: string, how: { replace?: boolean } = {}): void {
  const url = new URL(to, location.href)
  if (url.pathname !== location.pathname && blocker && !blocker()) return
  if (how.replace) history.replaceState(null, '', url)
  else history.pushState(null, '', url)
  showPlace()
}

/** Changes members of the query string; null takes one away. */
export function changeQuery(
  members: Readonly<Record<string, string | null>>,
  how: { replace?: boolean } = { replace: true },
): void {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(members)) {
    if (value === null || value === '') url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  navigate(`${url.pathname}${url.search}${url.hash}`, how)
}

export function usePlace(): Place {
  return useWatched(place)
}

/** Has leaving the page ask `mayLeave` first, for as long as a part is in view. */
export function useLeaveGuard(mayLeave: Blocker | null): void {
  useEffect(() => {
    blocker = mayLeave
    return () => {
      blocker = null
    }
  }, [mayLeave])
}

/** Follows links of our own without loading the page again, and the browser's way back. */
export function startRouter(): void {
  showPlace()
  document.addEventListener('click', onClick)
  addEventListener('popstate', () => {
    const isElsewhere = new URL(shownAddress).pathname !== location.pathname
    if (isElsewhere && blocker && !blocker()) {
      history.pushState(null, '', shownAddress)
      return
    }
    showPlace()
  })
  addEventListener('beforeunload', (event) => {
    if (blocker) event.preventDefault()
  })
}

function onClick(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const link = (event.target as Element | null)?.closest?.('a')
  if (!link || link.target || link.hasAttribute('download')) return
  const url = new URL(link.href, location.href)
  if (url.origin !== location.origin || isServed(url.pathname)) return
  const isAnchor = url.hash && url.pathname === location.pathname && url.search === location.search
  if (isAnchor) return
  event.preventDefault()
  navigate(`${url.pathname}${url.search}${url.hash}`)
  if (!url.hash) scrollTo(0, 0)
}

/** True for what the service answers itself and no page shows. */
function isServed(path: string): boolean {
  if (path === '/docs' || path.startsWith('/docs/')) return path !== '/docs/reference'
  return path.startsWith('/api/') || ['/healthz', '/readyz', '/metrics'].includes(path)
}

function showPlace(): void {
  const { pathname, search, hash, href } = location
  shownAddress = href
  change(place, { path: pathname, query: new URLSearchParams(search), hash })
}

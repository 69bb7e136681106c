import type { ComponentType } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { findVisitor, useVisitor } from '../api/session.ts'
import { openPalette, Palette } from './keys/palette.tsx'
import { ShortcutList } from './keys/shortcut-list.tsx'
import { type Shortcut, useShortcuts } from './keys/shortcuts.ts'
import { NoSuchPage, Unreachable } from './no-such-page.tsx'
import { DEVNET_PLACE, isPublic, MAIN_PLACES, OTHER_PLACES } from './routing/places.ts'
import { navigate, usePlace } from './routing/router.ts'
import { type PageProps, routeOf } from './routing/routes.ts'
import { PointerTip } from './tip.tsx'
import { Toasts, undoLast } from './toasts.tsx'

type Shown = { path: string; page: ComponentType<PageProps>; params: PageProps['params'] }

/** The whole dashboard: the page of the address, and what all pages share. */
export function Shell() {
  const visitor = useVisitor()
  const { path, query } = usePlace()
  useEffect(() => {
    void findVisitor()
    // The code of the page comes while it is found out who looks at it.
    void routeOf(path)
      ?.load()
      .catch(() => {})
  }, [])
  const isDoor = path === '/sign-in'
  const isOpen = isPublic(path)
  useEffect(() => {
    // The place may have changed since this was drawn: whoever signs out has gone to the door.
    if (visitor.kind !== 'nobody' || location.pathname === '/sign-in') return
    if (isPublic(location.pathname)) return
    const from = location.pathname + location.search
    navigate(`/sign-in?then=${encodeURIComponent(from)}`, { replace: true })
  }, [visitor.kind, isDoor, isOpen])
  return (
    <>
      <CurrentPage key={String(isDoor)} isDoor={isDoor} query={query} />
      <Palette />
      <ShortcutList />
      <Toasts />
      <PointerTip />
    </>
  )
}

function CurrentPage({ isDoor }: { isDoor: boolean; query: URLSearchParams }) {
  const visitor = useVisitor()
  const { path } = usePlace()
  const isKnown = visitor.kind === 'nobody' && isPublic(path)
  const shown = useShownPage(visitor.kind === 'signed-in' || isDoor || isKnown ? path : null)
  const shortcuts = useMemo(globalShortcuts, [])
  useShortcuts(shortcuts)
  if (visitor.kind === 'unreachable' && !isDoor) return <Unreachable />
  if (shown === 'none') return <NoSuchPage />
  if (!shown) return null
  const Page = shown.page
  return <Page params={shown.params} />
}

/** The page whose code is there; the last one stays in view while another's is loaded. */
function useShownPage(path: string | null): Shown | 'none' | null {
  const [shown, show] = useState<Shown | 'none' | null>(null)
  useEffect(() => {
    if (path === null) return
    let isWanted = true
    const route = path === '/sign-in' ? DOOR : routeOf(path)
    if (!route) {
      show('none')
      return
    }
    const { params } = route
    void route.load().then(({ default: page }) => isWanted && show({ path, page, params }))
    return () => {
      isWanted = false
    }
  }, [path])
  return shown
}

const DOOR = { params: {}, load: () => import('../pages/sign-in/sign-in-page.tsx') }

function globalShortcuts(): Shortcut[] {
  const places = [...MAIN_PLACES, DEVNET_PLACE, ...OTHER_PLACES]
  return [
    { keys: 'mod+k', does: 'Search or jump to anything', run: openPalette },
    ...places.map(({ path, name, key }) => ({
      keys: `g ${key}`,
      does: `Go to ${name}`,
      run: () => navigate(path),
    })),
    { keys: 'c', does: 'New webhook', run: () => navigate('/webhooks/new') },
    { keys: 'z', does: 'Undo', run: undoLast },
  ]
}

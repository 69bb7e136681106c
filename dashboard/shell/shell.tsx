import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { findVisitor, useVisitor } from '../api/session.ts'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { openPalette, Palette } from './keys/palette.tsx'
import { ShortcutList } from './keys/shortcut-list.tsx'
import { type Shortcut, useShortcuts } from './keys/shortcuts.ts'
import { PageFrame } from './page-frame.tsx'
import { DEVNET_PLACE, isPublic, MAIN_PLACES, OTHER_PLACES } from './routing/places.ts'
import { navigate, usePlace } from './routing/router.ts'
import { type PageProps, routeOf } from './routing/routes.ts'
import { Toasts, undoLast } from './toasts.tsx'

type Shown = PageProps & { page: ComponentType<PageProps> }

export function Shell() {
  const visitor = useVisitor()
  const { path } = usePlace()
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
      <CurrentPage key={String(isDoor)} isDoor={isDoor} />
      <Palette />
      <ShortcutList />
      <Toasts />
      <PointerTip />
    </>
  )
}

function CurrentPage({ isDoor }: { isDoor: boolean }) {
  const visitor = useVisitor()
  const { path } = usePlace()
  const isKnown = visitor.kind === 'nobody' && isPublic(path)
  const shown = useShownPage(visitor.kind === 'signed-in' || isDoor || isKnown ? path : null)
  useShortcuts(GLOBAL_SHORTCUTS)
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
    const route = routeOf(path)
    if (!route) {
      show('none')
      return
    }
    const { params } = route
    void route.load().then(({ default: page }) => isWanted && show({ page, params }))
    return () => {
      isWanted = false
    }
  }, [path])
  return shown
}

const GLOBAL_SHORTCUTS: readonly Shortcut[] = [
  { keys: 'mod+k', does: 'Search or jump to anything', run: openPalette },
  ...[...MAIN_PLACES, DEVNET_PLACE, ...OTHER_PLACES].map(({ path, name, key }) => ({
    keys: `g ${key}`,
    does: `Go to ${name}`,
    run: () => navigate(path),
  })),
  { keys: 'c', does: 'New webhook', run: () => navigate('/webhooks/new') },
  { keys: 'z', does: 'Undo', run: undoLast },
]

function NoSuchPage() {
  return (
    <PageFrame title="No such page">
      <Empty isCard isPage icon="find" title="There is no such page">
        The address may be mistyped, or what it named is gone.
      </Empty>
    </PageFrame>
  )
}

function Unreachable() {
  return (
    <main class="door">
      <Empty
        isPage
        icon="warn"
        title="Headgate does not answer"
        acts={
          <Button class="primary" onClick={() => void findVisitor()}>
            Try again
          </Button>
        }
      >
        The page is here, but the service behind it is not. Start it again, or look at its log.
      </Empty>
    </main>
  )
}

type Tip = { text: string; x: number; y: number }

const MARGIN = 14
const WIDTH_MAX = 260

/** The text of whatever is under the pointer and has a `data-tip`. */
function PointerTip() {
  const [tip, setTip] = useState<Tip | null>(null)
  useEffect(() => {
    const move = (event: PointerEvent) => {
      const at = (event.target as Element | null)?.closest?.('[data-tip]')
      const text = at?.getAttribute('data-tip')
      setTip(text ? { text, x: event.clientX, y: event.clientY } : null)
    }
    document.addEventListener('pointermove', move, { passive: true })
    return () => document.removeEventListener('pointermove', move)
  }, [])
  if (!tip) return null
  const left = Math.min(tip.x + MARGIN, innerWidth - WIDTH_MAX)
  return (
    <div id="tip" aria-hidden="true" style={{ left: `${left}px`, top: `${tip.y + MARGIN}px` }}>
      {tip.text}
    </div>
  )
}

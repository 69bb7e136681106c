import '../api/recent-heads.ts'
import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { useLive, useLiveState } from '../api/live.ts'
import { useVisitor } from '../api/session.ts'
import { invalidate, patchAnswers } from '../api/use-call.ts'
import { useLiveRefresh } from '../api/use-refresh.ts'
import type { WireEvents } from '../api/wire.ts'
import { Icon } from '../parts/icon.tsx'
import { openPalette } from './keys/palette.tsx'
import { GuestRail, Rail, TabBar } from './rail.tsx'
import { usePlace } from './routing/router.ts'
import { type Crumb, TopBar } from './top-bar.tsx'
import { UsedUpMonth } from './used-up-month.tsx'

/** A short interruption is nobody's business. */
const SAID_AFTER_MS = 5000

/** A page in its frame: the rail, the bar above, and the way here. */
export function PageFrame(props: {
  title: string
  crumbs?: readonly Crumb[]
  children: ComponentChildren
}) {
  const { path } = usePlace()
  const visitor = useVisitor()
  useFreshAnswers()
  const isGuest = visitor.kind !== 'signed-in'
  const isLocal = visitor.kind === 'signed-in' && visitor.session.local_development
  useEffect(() => {
    document.title = `${props.title} · Headgate`
  }, [props.title])
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="shell">
        {isGuest ? <GuestRail path={path} /> : <Rail path={path} isLocal={isLocal} />}
        <div class="stage">
          <TopBar
            crumbs={props.crumbs ?? [{ text: props.title }]}
            onFind={isGuest ? null : openPalette}
          />
          <main id="main" tabIndex={-1}>
            {!isGuest && <LostStream />}
            {!isGuest && <UsedUpMonth />}
            {props.children}
          </main>
        </div>
      </div>
      <TabBar path={path} isLocal={isLocal} isGuest={isGuest} />
    </>
  )
}

/** Keeps the answers that every page shows as they are now, by the events that tell of them. */
function useFreshAnswers(): void {
  const onUsage = useCallback((summary: WireEvents['usage']) => {
    patchAnswers('getUsageSummary', () => ({ data: summary }))
  }, [])
  useLive('usage', onUsage)
  const onGap = useCallback(() => invalidate('getUsageSummary'), [])
  useLive('gap', onGap)
  useLiveRefresh(['webhook', 'gap'], 'listWebhooks')
}

/** Says that what is shown may be old, once the stream has been lost for a while. */
function LostStream() {
  const state = useLiveState()
  const [isSaid, setSaid] = useState(false)
  useEffect(() => {
    if (state !== 'lost') {
      setSaid(false)
      return
    }
    const timer = setTimeout(() => setSaid(true), SAID_AFTER_MS)
    return () => clearTimeout(timer)
  }, [state])
  if (!isSaid) return null
  return (
    <div class="banner gap" role="alert">
      <Icon name="warn" />
      <div class="t">
        <b>Live updates are lost</b>
        <p>
          What you see was true a moment ago. The stream is tried again and catches up by itself;
          webhooks and calls go on without it.
        </p>
      </div>
    </div>
  )
}

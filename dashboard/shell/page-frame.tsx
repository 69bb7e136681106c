import '../api/recent-heads.ts'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useLive, useLiveState } from '../api/live.ts'
import { useVisitor } from '../api/session.ts'
import { invalidate, patchAnswers, useCall } from '../api/use-call.ts'
import { useLiveRefresh } from '../api/use-refresh.ts'
import { Button } from '../parts/button.tsx'
import { Banner } from '../parts/note.tsx'
import { plural, short } from '../parts/text/format.ts'
import { monthName, utcDay } from '../parts/text/utc-dates.ts'
import { openPalette } from './keys/palette.tsx'
import { GuestRail, Rail, TabBar } from './rail.tsx'
import { usePlace } from './routing/router.ts'
import { type Crumb, TopBar } from './top-bar.tsx'

const BILLING = '/settings/billing'

/** A short interruption is nobody's business. */
const SAID_AFTER_MS = 5000

export function PageFrame(props: {
  title: string
  crumbs?: readonly Crumb[]
  children: ComponentChildren
}) {
  const { path } = usePlace()
  const visitor = useVisitor()
  useLive('usage', (summary) => patchAnswers('getUsageSummary', () => ({ data: summary })))
  useLive('gap', () => invalidate('getUsageSummary'))
  useLiveRefresh(['webhook', 'gap'], 'listWebhooks')
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
    <Banner class="gap" icon="warn" role="alert" title="Live updates are lost">
      What you see was true a moment ago. The stream is tried again and catches up by itself;
      webhooks and calls go on without it.
    </Banner>
  )
}

/** Says on every page that the month is used up, for as long as that stops anything. */
function UsedUpMonth() {
  const { path } = usePlace()
  const summary = useCall('getUsageSummary').data?.data
  const webhooks = useCall('listWebhooks').data?.data ?? []
  if (!summary || summary.autoscaling || (summary.percent_used ?? 0) < 100) return null
  const paused = webhooks.filter(
    ({ deactivation_reason: reason }) => reason === 'MONTHLY_CAPACITY_EXCEEDED',
  ).length
  const reset = utcDay(summary.time_reset)
  const stopped = paused > 0 && `, so ${plural(paused, 'webhook is', 'webhooks are')} paused`
  return (
    <Banner
      class="bad gap"
      icon="pause"
      role="status"
      title={[`${monthName(summary.month)} is used up`, stopped]}
      acts={path !== BILLING && <Button href={BILLING}>See what to do</Button>}
    >
      {short(summary.month_cu)} of {short(summary.limit_cu ?? 0)} CU are used. Calls get 429 until{' '}
      {reset}, 00:00 UTC. With autoscaling on, calls work again at once
      {paused > 0 && '; webhooks stay paused until you unpause them'}.
    </Banner>
  )
}

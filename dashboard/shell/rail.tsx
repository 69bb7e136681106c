import type { ComponentChildren } from 'preact'
import { signOut } from '../api/session.ts'
import { useCall } from '../api/use-call.ts'
import { Button } from '../parts/button.tsx'
import { Bar } from '../parts/charts/bar.tsx'
import { Icon, Logo } from '../parts/icon.tsx'
import { percent, short } from '../parts/text/format.ts'
import { monthName, utcDay } from '../parts/text/utc-dates.ts'
import {
  DEVNET_PLACE,
  isWithin,
  MAIN_PLACES,
  type MainPlace,
  REFERENCE_PLACE,
} from './routing/places.ts'
import { navigate } from './routing/router.ts'
import { TeamMenu } from './team-menu.tsx'
import { sayRefused } from './toasts.tsx'

type Props = { path: string; isLocal: boolean }

export function Rail({ path, isLocal }: Props) {
  return (
    <RailFrame>
      <TeamMenu />
      <nav class="nav" aria-label="Main">
        <ul>
          {MAIN_PLACES.map((place) => (
            <RailLink key={place.path} place={place} path={path} />
          ))}
        </ul>
        {isLocal && (
          <>
            <p class="nav-label">Local development</p>
            <ul>
              <RailLink place={DEVNET_PLACE} path={path} />
            </ul>
          </>
        )}
      </nav>
      <div class="rail-foot">
        <MonthsUse />
        <div class="rail-links">
          <a href="/settings">Settings</a>
          <a href="/docs">Docs</a>
          <a href="/docs/reference">API reference</a>
          <button class="link" type="button" onClick={leave}>
            Sign out
          </button>
        </div>
      </div>
    </RailFrame>
  )
}

/** The rail of somebody who is not signed in: it asks the service for nothing. */
export function GuestRail({ path }: { path: string }) {
  return (
    <RailFrame>
      <div class="guest">
        <p>You read this without being signed in.</p>
        <Button class="primary" href={doorOf(path)}>
          Sign in
        </Button>
      </div>
      <nav class="nav" aria-label="Main">
        <ul>
          <RailItem {...REFERENCE_PLACE} isCurrent />
          <RailItem path="/docs" name="Documentation" icon="book" />
        </ul>
      </nav>
    </RailFrame>
  )
}

function RailFrame({ children }: { children: ComponentChildren }) {
  return (
    <aside class="rail">
      <a class="brand" href="/" aria-label="Headgate, overview">
        <Logo />
        Headgate
      </a>
      {children}
    </aside>
  )
}

export function TabBar({ path, isLocal, isGuest }: Props & { isGuest: boolean }) {
  const own = isLocal ? [...MAIN_PLACES, DEVNET_PLACE] : MAIN_PLACES
  return (
    <nav class="tabbar" aria-label="Main, small screens">
      {(isGuest ? [REFERENCE_PLACE] : own).map((place) => (
        <a
          key={place.path}
          href={place.path}
          aria-current={isWithin(path, place) ? 'page' : undefined}
        >
          <Icon name={place.icon} />
          {place.name}
        </a>
      ))}
      {isGuest && (
        <a href={doorOf(path)}>
          <Icon name="key" />
          Sign in
        </a>
      )}
    </nav>
  )
}

function doorOf(path: string): string {
  return `/sign-in?then=${encodeURIComponent(path)}`
}

async function leave(): Promise<void> {
  await signOut().catch(sayRefused)
  navigate('/sign-in')
}

function RailLink({ place, path }: { place: MainPlace; path: string }) {
  const { data } = useCall('listWebhooks', place.path === '/webhooks' ? {} : null)
  // Webhooks that stopped for a reason of their own.
  const stopped = data?.data.filter(
    ({ deactivation_reason: reason }) => reason !== null && reason !== 'MANUAL',
  )
  const attention = stopped?.length ?? 0
  return (
    <RailItem {...place} isCurrent={isWithin(path, place)}>
      {attention > 0 ? (
        <span class="count bad" title={`${attention} paused by Headgate`}>
          {attention}
        </span>
      ) : (
        <kbd>G {place.key.toUpperCase()}</kbd>
      )}
    </RailItem>
  )
}

type ItemProps = Pick<MainPlace, 'path' | 'name' | 'icon'> & {
  isCurrent?: boolean
  children?: ComponentChildren
}

function RailItem({ path, name, icon, isCurrent = false, children }: ItemProps) {
  return (
    <li>
      <a href={path} aria-current={isCurrent ? 'page' : undefined} title={name}>
        <Icon name={icon} />
        <span>{name}</span>
        {children}
      </a>
    </li>
  )
}

function MonthsUse() {
  const summary = useCall('getUsageSummary').data?.data
  const { percent_used: used = null, limit_cu: limit = null } = summary ?? {}
  return (
    <a class="allow" href="/usage">
      <span class="row">
        <span>{summary ? monthName(summary.month) : 'This month'}</span>
        {!summary && <span>…</span>}
        {summary && (used === null || limit === null) && <b>{short(summary.month_cu)} CU</b>}
        {used !== null && limit !== null && (
          <span>
            <b>{percent(used)}</b> of {short(limit)} CU
          </span>
        )}
      </span>
      {used !== null && (
        <Bar
          thin
          percent={used}
          tone={used >= 100 ? 'fbad' : 'fa'}
          label={`${percent(used)} of the month’s capacity used`}
        />
      )}
      {summary?.time_limit_reached != null && (
        <span class="warn">Limit reached about {utcDay(summary.time_limit_reached)}</span>
      )}
    </a>
  )
}

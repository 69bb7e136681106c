import { signOut } from '../api/session.ts'
import { useCall } from '../api/use-call.ts'
import { Bar } from '../parts/charts/bar.tsx'
import { Icon, Logo } from '../parts/icon.tsx'
import { percent, short } from '../parts/text/format.ts'
import { monthName, utcDay } from '../parts/text/utc-dates.ts'
import { DEVNET_PLACE, isWithin, MAIN_PLACES, type MainPlace } from './routing/places.ts'
import { navigate } from './routing/router.ts'
import { TeamMenu } from './team-menu.tsx'
import { sayRefused } from './toasts.tsx'

type Props = { path: string; isLocal: boolean }

/** The way to every page, the team, and the month's use. */
export function Rail({ path, isLocal }: Props) {
  return (
    <aside class="rail">
      <a class="brand" href="/" aria-label="Headgate, overview">
        <Logo />
        Headgate
      </a>
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
    </aside>
  )
}

/** The same places in a bar at the bottom of a small screen. */
export function TabBar({ path, isLocal }: Props) {
  const places = isLocal ? [...MAIN_PLACES, DEVNET_PLACE] : MAIN_PLACES
  return (
    <nav class="tabbar" aria-label="Main, small screens">
      {places.map((place) => (
        <a
          key={place.path}
          href={place.path}
          aria-current={isWithin(path, place) ? 'page' : undefined}
        >
          <Icon name={place.icon} />
          {place.name}
        </a>
      ))}
    </nav>
  )
}

async function leave(): Promise<void> {
  await signOut().catch(sayRefused)
  navigate('/sign-in')
}

function RailLink({ place, path }: { place: MainPlace; path: string }) {
  const attention = useAttention(place)
  return (
    <li>
      <a
        href={place.path}
        aria-current={isWithin(path, place) ? 'page' : undefined}
        title={place.name}
      >
        <Icon name={place.icon} />
        <span>{place.name}</span>
        {attention > 0 ? (
          <span class="count bad" title={`${attention} paused by Headgate`}>
            {attention}
          </span>
        ) : (
          <kbd>G {place.key.toUpperCase()}</kbd>
        )}
      </a>
    </li>
  )
}

/** Webhooks that stopped for a reason of their own. */
function useAttention(place: MainPlace): number {
  const { data } = useCall('listWebhooks', place.path === '/webhooks' ? {} : null)
  const stopped = data?.data.filter(
    ({ deactivation_reason: reason }) => reason !== null && reason !== 'MANUAL',
  )
  return stopped?.length ?? 0
}

function MonthsUse() {
  const { data } = useCall('getUsageSummary')
  const summary = data?.data
  return (
    <a class="allow" href="/usage">
      <span class="row">
        <span>{summary ? monthName(summary.month) : 'This month'}</span>
        <UsedPart used={summary?.percent_used} limit={summary?.limit_cu} cu={summary?.month_cu} />
      </span>
      {summary?.percent_used != null && (
        <Bar
          thin
          percent={summary.percent_used}
          tone={summary.percent_used >= 100 ? 'fbad' : 'fa'}
          label={`${percent(summary.percent_used)} of the month’s capacity used`}
        />
      )}
      {summary?.time_limit_reached != null && (
        <span class="warn">Limit reached about {utcDay(summary.time_limit_reached)}</span>
      )}
    </a>
  )
}

type Used = { used: number | null | undefined; limit: number | null | undefined }

function UsedPart({ used, limit, cu }: Used & { cu: number | undefined }) {
  if (cu === undefined) return <span>…</span>
  if (used == null || limit == null) return <b>{short(cu)} CU</b>
  return (
    <span>
      <b>{percent(used)}</b> of {short(limit)} CU
    </span>
  )
}

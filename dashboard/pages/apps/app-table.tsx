import type { AnswerOf, App } from '@headgate/client'
import { useCall } from '../../api/use-call.ts'
import { useRefresh } from '../../api/use-refresh.ts'
import { Spark } from '../../parts/charts/spark.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { SearchField } from '../../parts/forms/search-field.tsx'
import { useRowFocus } from '../../parts/lists/use-row-focus.ts'
import { NetworkName, Tag } from '../../parts/state.tsx'
import { CopyButton } from '../../parts/text/copy-button.tsx'
import { plural, short, succeededPercent, whole } from '../../parts/text/format.ts'
import { lastFour } from '../../parts/text/secret-row.tsx'
import { lengthText } from '../../parts/text/time-ago.tsx'
import { lastHours, shortMonthName, startOfMonth, utcDay } from '../../parts/text/utc-dates.ts'
import { changeQuery, navigate } from '../../shell/routing/router.ts'

/** A team may have a thousand apps; more than this are found by their names. */
const SHOWN_MAX = 200

/** A list this short needs no filter. */
const FILTER_FROM = 9

const NETWORKS_SHOWN = 4

export function AppTable({ apps, filter }: { apps: readonly App[]; filter: string }) {
  const figuresOf = useAppFigures()
  const { list } = useRowFocus()
  const wanted = filter.toLowerCase()
  const found = apps.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  )
  return (
    <>
      {apps.length >= FILTER_FROM && (
        <div class="row filters">
          <SearchField
            label="Filter by name"
            value={filter}
            onChange={(value) => changeQuery({ q: value })}
          />
        </div>
      )}
      <section class="card tw" aria-label="Apps">
        <DataTable
          class="rows applist"
          columns={[...COLUMNS, ...figureColumns(({ id }) => figuresOf?.(id))]}
          rows={found.slice(0, SHOWN_MAX)}
          keyOf={({ id }) => id}
          onOpen={({ id }) => navigate(`/apps/${id}`)}
          tableRef={list}
        />
        {found.length === 0 && <p class="empty slim quiet">No app is called that.</p>}
      </section>
      {found.length > SHOWN_MAX && (
        <p class="hint foot-note">
          {plural(found.length - SHOWN_MAX, 'more app')}: narrow them down by name.
        </p>
      )}
    </>
  )
}

const COLUMNS: readonly Column<App>[] = [
  {
    head: 'App',
    cellClass: 'full',
    cell: (app) => (
      <span class="whname">
        <span class="row">
          <a class="t" href={`/apps/${app.id}`} data-row={app.id}>
            {app.name}
          </a>
          {!app.is_active && <Tag>Inactive</Tag>}
        </span>
        <span class="faint tiny clip">{app.description || 'No description'}</span>
      </span>
    ),
  },
  {
    head: 'Networks',
    cellClass: 'full',
    cell: ({ networks }) => (
      <span class="row wrap">
        {networks.slice(0, NETWORKS_SHOWN).map((id) => (
          <NetworkName key={id} id={id} />
        ))}
        {networks.length > NETWORKS_SHOWN && (
          <span class="faint tiny">{networks.length - NETWORKS_SHOWN} more</span>
        )}
      </span>
    ),
  },
  {
    head: 'Key',
    class: 'c-wide',
    cellClass: 'c-narrow',
    cell: ({ key, name }) => (
      <span class="hash">
        <code>{lastFour(key)}</code>
        <CopyButton text={key} what={`the key of ${name}`} />
      </span>
    ),
  },
]

/** Columns of what an app did; until that is known, a dash stands for each figure. */
function figureColumns(figuresOf: (app: App) => AppFigures | undefined): readonly Column<App>[] {
  const shown =
    (none: string, text: (figures: AppFigures) => preact.ComponentChildren) => (app: App) => {
      const figures = figuresOf(app)
      return (figures && text(figures)) || <span class="faint">{figures ? none : '–'}</span>
    }
  const month = shortMonthName(new Date().toISOString().slice(0, 7))
  return [
    {
      head: 'Requests, 24 h',
      class: 'num c-mid',
      cell: shown('none', ({ calls }) => calls > 0 && whole(calls)),
    },
    {
      head: 'Compute units by the hour',
      isHeadHidden: true,
      class: 'c-mid',
      cellClass: 'c-narrow',
      cell: (app) => {
        const { hours = [] } = figuresOf(app) ?? {}
        return hours.some((cu) => cu > 0) && <Spark values={hours} label="By the hour" />
      },
    },
    {
      head: 'Succeeded',
      class: 'num c-mid',
      cell: shown('n/a', ({ calls, errors }) => calls > 0 && succeededPercent(calls, errors)),
    },
    { head: `CU, ${month}`, class: 'num', cell: shown('', ({ monthCu }) => short(monthCu)) },
    {
      head: 'Last used',
      class: 'num',
      cellClass: 'quiet',
      cell: shown('not this month', ({ lastUse }) => lastUse && <LastUse {...lastUse} />),
    },
  ]
}

/** The ledger counts in hours, so that is as exact as it gets. */
function LastUse({ at, unit }: { at: number; unit: 'hour' | 'day' }) {
  if (unit === 'day') return <span title="By the day, UTC">{utcDay(at)}</span>
  const agoMs = Date.now() - at
  const text = agoMs < 3_600_000 ? 'this hour' : `${lengthText(agoMs)} ago`
  return <span title="By the hour">{text}</span>
}

type AppFigures = {
  calls: number
  errors: number
  monthCu: number
  /** Compute units by the hour, the last 24, oldest first, as parts of the most. */
  hours: readonly number[]
  /** When the bucket of its last use began, and whether that is an hour or a day. */
  lastUse: { at: number; unit: 'hour' | 'day' } | null
}

type Point = AnswerOf<'getUsageSeries'>['data'][number]

const REFRESH_MS = 15_000

/** The figures of all apps, in three calls however many there are; null until they are known. */
function useAppFigures(): ((appId: string) => AppFigures) | null {
  const month = new Date().toISOString().slice(0, 7)
  const from = String(startOfMonth(month))
  const calls = useCall('getCallStats', { group_by: 'app' })
  const hours = useCall('getUsageSeries', { bucket: 'hour', group_by: 'app' })
  const days = useCall('getUsageSeries', { bucket: 'day', group_by: 'app', from })
  useRefresh(REFRESH_MS, 'getCallStats', 'getUsageSeries')
  if (!calls.data || !hours.data || !days.data) return null
  const callsOf = new Map(calls.data.data.map((one) => [one.group, one]))
  const hoursOf = Map.groupBy(hours.data.data, ({ group }) => group)
  const daysOf = Map.groupBy(days.data.data, ({ group }) => group)
  return (id) => {
    const ownHours = hoursOf.get(id) ?? []
    const ownDays = daysOf.get(id) ?? []
    return {
      calls: callsOf.get(id)?.calls ?? 0,
      errors: callsOf.get(id)?.errors ?? 0,
      monthCu: ownDays.reduce((sum, { cu }) => sum + cu, 0),
      hours: byHour(ownHours),
      lastUse: lastUseOf(ownHours, ownDays),
    }
  }
}

function byHour(points: readonly Point[]): number[] {
  const known = new Map(points.map(({ start, cu }) => [start, cu]))
  const most = Math.max(1, ...known.values())
  return lastHours().map((start) => (known.get(start) ?? 0) / most)
}

function lastUseOf(hours: readonly Point[], days: readonly Point[]): AppFigures['lastUse'] {
  const hour = hours.findLast(({ calls }) => calls > 0)
  if (hour) return { at: hour.start, unit: 'hour' }
  const day = days.findLast(({ calls }) => calls > 0)
  return day ? { at: day.start, unit: 'day' } : null
}

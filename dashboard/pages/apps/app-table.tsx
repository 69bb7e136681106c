import type { WireApp } from '../../api/wire.ts'
import { Spark } from '../../parts/charts/spark.tsx'
import { NameFilter } from '../../parts/forms/name-filter.tsx'
import { useRowFocus } from '../../parts/lists/use-row-focus.ts'
import { NetworkName, Tag } from '../../parts/state.tsx'
import { CopyButton } from '../../parts/text/copy-button.tsx'
import { percent, plural, short, whole } from '../../parts/text/format.ts'
import { lastFour } from '../../parts/text/secret-row.tsx'
import { lengthText } from '../../parts/text/time-ago.tsx'
import { shortMonthName, utcDay } from '../../parts/text/utc-dates.ts'
import { changeQuery, navigate } from '../../shell/routing/router.ts'
import { type AppFigures, useAppFigures } from './use-app-figures.ts'

/** A team may have a thousand apps; more than this are found by their names. */
const SHOWN_MAX = 200

/** A list this short needs no filter. */
const FILTER_FROM = 9

const NETWORKS_SHOWN = 4

export function AppTable({ apps, filter }: { apps: readonly WireApp[]; filter: string }) {
  const figuresOf = useAppFigures()
  const { list } = useRowFocus<HTMLTableElement>()
  const wanted = filter.toLowerCase()
  const found = apps.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  )
  const month = shortMonthName(new Date().toISOString().slice(0, 7))
  return (
    <>
      {apps.length >= FILTER_FROM && (
        <div class="row filters">
          <NameFilter
            label="Filter by name"
            value={filter}
            onChange={(value) => changeQuery({ q: value })}
          />
        </div>
      )}
      <section class="card tw" aria-label="Apps">
        <table class="rows applist" ref={list}>
          <thead>
            <tr>
              <th scope="col">App</th>
              <th scope="col">Networks</th>
              <th scope="col" class="c-wide">
                Key
              </th>
              <th scope="col" class="num c-mid">
                Requests, 24 h
              </th>
              <th scope="col" class="c-mid">
                <span class="vh">Compute units by the hour</span>
              </th>
              <th scope="col" class="num c-mid">
                Succeeded
              </th>
              <th scope="col" class="num">
                CU, {month}
              </th>
              <th scope="col" class="num">
                Last used
              </th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, SHOWN_MAX).map((app) => (
              <AppRow key={app.id} app={app} figures={figuresOf?.(app.id)} />
            ))}
          </tbody>
        </table>
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

type RowProps = { app: WireApp; figures: AppFigures | undefined }

function AppRow({ app, figures }: RowProps) {
  const open = (event: MouseEvent) => {
    if (!(event.target as Element).closest('a, button')) navigate(`/apps/${app.id}`)
  }
  return (
    <tr class="go" onClick={open}>
      <td class="full">
        <span class="whname">
          <span class="row">
            <a class="t" href={`/apps/${app.id}`} data-row={app.id}>
              {app.name}
            </a>
            {!app.is_active && <Tag>Inactive</Tag>}
          </span>
          <span class="faint tiny clip">{app.description || 'No description'}</span>
        </span>
      </td>
      <td class="full">
        <span class="row wrap">
          {app.networks.slice(0, NETWORKS_SHOWN).map((id) => (
            <NetworkName key={id} id={id} />
          ))}
          {app.networks.length > NETWORKS_SHOWN && (
            <span class="faint tiny">{app.networks.length - NETWORKS_SHOWN} more</span>
          )}
        </span>
      </td>
      <td class="c-wide c-narrow">
        <span class="hash">
          <code>{lastFour(app.key)}</code>
          <CopyButton text={app.key} what={`the key of ${app.name}`} />
        </span>
      </td>
      <FigureCells figures={figures} />
    </tr>
  )
}

function FigureCells({ figures }: { figures: AppFigures | undefined }) {
  const { calls = 0, errors = 0, monthCu = 0, hours = [], lastUse = null } = figures ?? {}
  const none = (word: string) => <span class="faint">{figures ? word : '–'}</span>
  return (
    <>
      <td class="num c-mid">{calls > 0 ? whole(calls) : none('none')}</td>
      <td class="c-mid c-narrow">{hours.some((cu) => cu > 0) && <Spark values={hours} />}</td>
      <td class="num c-mid">{calls > 0 ? percent(succeeded(calls, errors)) : none('n/a')}</td>
      <td class="num">{figures ? short(monthCu) : none('')}</td>
      <td class="num quiet">{lastUse ? <LastUse {...lastUse} /> : none('not this month')}</td>
    </>
  )
}

/** The ledger counts in hours, so that is as exact as it gets. */
function LastUse({ at, unit }: { at: number; unit: 'hour' | 'day' }) {
  if (unit === 'day') return <span title="By the day, UTC">{utcDay(at)}</span>
  const agoMs = Date.now() - at
  const text = agoMs < 3_600_000 ? 'this hour' : `${lengthText(agoMs)} ago`
  return <span title="By the hour">{text}</span>
}

/** In hundredths of a percent, never rounded up. */
function succeeded(calls: number, errors: number): number {
  return Math.floor((1 - errors / calls) * 10_000) / 100
}

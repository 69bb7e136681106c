import type { ComponentChildren } from 'preact'
import { Bar } from '../../parts/charts/bar.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { bytes, percent, short, whole } from '../../parts/text/format.ts'
import { changeQuery, usePlace } from '../../shell/routing/router.ts'
import { groupName, ownColours, sumOf, type UsageGroup } from './usage-groups.ts'
import { GROUPINGS, type UsageGrouping, type UsageView } from './usage-view.ts'

type Props = {
  view: UsageView
  groups: readonly UsageGroup[]
  apps: ReadonlyMap<string, string>
}

/** A row: a group, or all that have no colour of their own. */
type Row = { group: UsageGroup; colour: number; name: ComponentChildren }

export function UsageTable({ view, groups, apps }: Props) {
  const isAll = usePlace().query.get('all') === '1'
  const own = ownColours(groups.length)
  const others = groups.slice(own)
  const head = GROUPINGS.find(({ value }) => value === view.by)?.text ?? ''
  const total = sumOf('', groups)
  const rows: Row[] = (isAll ? groups : groups.slice(0, own)).map((group, colour) => ({
    group,
    colour,
    name: <GroupName id={group.id} by={view.by} apps={apps} />,
  }))
  if (!isAll && others.length > 0) {
    const name = <OthersButton isAll={false}>{others.length} others</OthersButton>
    rows.push({ group: sumOf('', others), colour: own, name })
  }
  return (
    <>
      <div class="tw lines-top">
        <DataTable
          class="usaget"
          columns={columnsOf(head, total, groups[0]?.cu ?? 0)}
          rows={rows}
          keyOf={({ group, colour }) => `${colour} ${group.id}`}
        />
      </div>
      <div class="cf tiny">
        {isAll && others.length > 0 && <OthersButton isAll>Fold the small ones</OthersButton>}
        <span class="grow" />
        <span>
          {short(total.cu)} CU in all. Calls are billed by method, deliveries by the byte.
        </span>
      </div>
    </>
  )
}

function columnsOf(head: string, total: UsageGroup, mostCu: number): readonly Column<Row>[] {
  const share = ({ group }: Row) => (total.cu > 0 ? (group.cu / total.cu) * 100 : 0)
  const toneOf = ({ colour }: Row) => Math.min(colour, 5) + 1
  return [
    {
      head,
      cell: (row) => (
        <span class="row">
          <i class={`key k${toneOf(row)}`} />
          {row.name}
        </span>
      ),
    },
    {
      head: 'Beside the largest',
      isHeadHidden: true,
      class: 'c-narrow',
      cellClass: 'wbar',
      cell: (row) => (
        <Bar
          thin
          percent={mostCu > 0 ? (row.group.cu / mostCu) * 100 : 0}
          tone={`f${toneOf(row)}`}
          label={percent(share(row))}
        />
      ),
    },
    {
      head: 'Share',
      class: 'num',
      cellClass: 'quiet',
      cell: (row) => percent(Math.round(share(row) * 10) / 10),
    },
    { head: 'CU', class: 'num', cell: ({ group }) => short(group.cu) },
    {
      head: 'Calls',
      class: 'num c-narrow',
      cellClass: 'quiet',
      cell: ({ group }) => whole(group.calls),
    },
    {
      head: 'Bytes',
      class: 'num c-narrow',
      cellClass: 'quiet',
      cell: ({ group }) => (group.bytes > 0 ? bytes(group.bytes) : '–'),
    },
  ]
}

function OthersButton({ isAll, children }: { isAll: boolean; children: ComponentChildren }) {
  return (
    <button
      class="linkish"
      type="button"
      aria-expanded={isAll}
      onClick={() => changeQuery({ all: isAll ? null : '1' })}
    >
      {children}
    </button>
  )
}

function GroupName({ id, by, apps }: { id: string; by: UsageGrouping; apps: Props['apps'] }) {
  const { text, isCode } = groupName(id, by, apps)
  if (isCode) return <code class="wraps">{text}</code>
  return by === 'app' && id !== '' ? <a href={`/apps/${id}`}>{text}</a> : <span>{text}</span>
}

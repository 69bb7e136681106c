import { Bar } from '../../parts/charts/bar.tsx'
import { bytes, percent, short, whole } from '../../parts/text/format.ts'
import { changeQuery, usePlace } from '../../shell/routing/router.ts'
import { groupName, ownColours, type UsageGroup } from './usage-groups.ts'
import type { UsageGrouping, UsageView } from './usage-view.ts'

const HEADS: Readonly<Record<UsageGrouping, string>> = {
  method: 'Method',
  app: 'App',
  network: 'Network',
}

type Props = {
  view: UsageView
  groups: readonly UsageGroup[]
  apps: ReadonlyMap<string, string>
}

/** The sums of the groups in view; those without a colour of their own in one row, until opened. */
export function UsageTable({ view, groups, apps }: Props) {
  const isAll = usePlace().query.get('all') === '1'
  const own = ownColours(groups.length)
  const others = groups.slice(own)
  const total = sumOf(groups)
  const mostCu = groups[0]?.cu ?? 0
  const shown = isAll ? groups : groups.slice(0, own)
  return (
    <>
      <div class="tw lines-top">
        <table class="usaget">
          <thead>
            <tr>
              <th scope="col">{HEADS[view.by]}</th>
              <th scope="col" class="c-narrow">
                <span class="vh">Beside the largest</span>
              </th>
              <th scope="col" class="num">
                Share
              </th>
              <th scope="col" class="num">
                CU
              </th>
              <th scope="col" class="num c-narrow">
                Calls
              </th>
              <th scope="col" class="num c-narrow">
                Bytes
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((group, at) => (
              <Row key={group.id} group={group} total={total} mostCu={mostCu} colour={at}>
                <GroupName id={group.id} by={view.by} apps={apps} />
              </Row>
            ))}
            {!isAll && others.length > 0 && (
              <Row group={sumOf(others)} total={total} mostCu={mostCu} colour={own}>
                <OthersButton isAll={false}>{others.length} others</OthersButton>
              </Row>
            )}
          </tbody>
        </table>
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

function OthersButton({
  isAll,
  children,
}: {
  isAll: boolean
  children: string | (string | number)[]
}) {
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

type RowProps = {
  group: UsageGroup
  total: UsageGroup
  mostCu: number
  colour: number
  children: preact.ComponentChildren
}

function Row({ group, total, mostCu, colour, children }: RowProps) {
  const tone = Math.min(colour, 5) + 1
  const share = total.cu > 0 ? (group.cu / total.cu) * 100 : 0
  return (
    <tr>
      <td>
        <span class="row">
          <i class={`key k${tone}`} />
          {children}
        </span>
      </td>
      <td class="c-narrow wbar">
        <Bar
          thin
          percent={mostCu > 0 ? (group.cu / mostCu) * 100 : 0}
          tone={`f${tone}`}
          label={percent(share)}
        />
      </td>
      <td class="num quiet">{percent(Math.round(share * 10) / 10)}</td>
      <td class="num">{short(group.cu)}</td>
      <td class="num quiet c-narrow">{whole(group.calls)}</td>
      <td class="num quiet c-narrow">{group.bytes > 0 ? bytes(group.bytes) : '–'}</td>
    </tr>
  )
}

function sumOf(groups: readonly UsageGroup[]): UsageGroup {
  const total = { id: '', cu: 0, calls: 0, bytes: 0 }
  for (const { cu, calls, bytes: sent } of groups) {
    total.cu += cu
    total.calls += calls
    total.bytes += sent
  }
  return total
}

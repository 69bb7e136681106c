import type { Webhook, WebhookStats } from '@headgate/client'
import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { useRowFocus } from '../../parts/lists/use-row-focus.ts'
import { NetworkName } from '../../parts/state.tsx'
import { DeleteWebhook } from '../../parts/webhooks/delete-webhook.tsx'
import { switchWebhook } from '../../parts/webhooks/switch-webhook.ts'
import { useShortcuts } from '../../shell/keys/shortcuts.ts'
import { changeQuery, navigate } from '../../shell/routing/router.ts'
import { DayCell, LastCell, NameCell, RecentStrip, RowActs, StateCell } from './webhook-cells.tsx'

type ListProps = {
  webhooks: readonly Webhook[]
  stats: readonly WebhookStats[] | undefined
}

const LEGEND = [
  ['calm', 'accepted on the first try'],
  ['warn', 'retried'],
  ['bad', 'failing'],
  ['fork', 're-run after a reorganisation'],
  ['idle', 'waiting or paused'],
] as const

export function WebhookList({ webhooks, stats }: ListProps) {
  const [deleting, setDeleting] = useState<Webhook | null>(null)
  const byId = new Map(stats?.map((one) => [one.webhook_id, one]))
  const { list, reached } = useRowFocus()
  const flipRow = () => {
    const webhook = webhooks.find(({ id }) => id === reached())
    if (webhook) void switchWebhook(webhook, !webhook.is_active)
  }
  useShortcuts([{ keys: 'p', does: 'Pause or unpause the row', run: flipRow }])
  if (webhooks.length === 0) return <NothingLeft />
  return (
    <>
      <section class="card tw" aria-label="Webhooks">
        <DataTable
          class="rows whlist"
          columns={columnsOf(byId, setDeleting)}
          rows={webhooks}
          keyOf={({ id }) => id}
          onOpen={({ id }) => navigate(`/webhooks/${id}`)}
          tableRef={list}
        />
      </section>
      <div class="legend foot-note">
        {LEGEND.map(([key, text]) => (
          <span key={key}>
            <i class={`key ${key}`} />
            {text}
          </span>
        ))}
      </div>
      {deleting && (
        <DeleteWebhook webhook={deleting} onGone={() => {}} onClose={() => setDeleting(null)} />
      )}
    </>
  )
}

function columnsOf(
  stats: ReadonlyMap<string, WebhookStats>,
  onDelete: (webhook: Webhook) => void,
): readonly Column<Webhook>[] {
  return [
    { head: 'Webhook', cell: (webhook) => <NameCell webhook={webhook} /> },
    {
      head: 'State',
      cell: (webhook) => <StateCell webhook={webhook} stats={stats.get(webhook.id)} />,
    },
    {
      head: 'Network',
      class: 'c-mid',
      cellClass: 'c-narrow',
      cell: ({ network }) => <NetworkName id={network} />,
    },
    {
      head: 'Deliveries',
      cellClass: 'full',
      cell: (webhook) => (
        <span class="okbar">
          <RecentStrip webhook={webhook} stats={stats.get(webhook.id)} />
        </span>
      ),
    },
    {
      head: '24 h',
      class: 'num c-wide',
      cellClass: 'c-narrow',
      cell: ({ id }) => <DayCell stats={stats.get(id)} />,
    },
    { head: 'Last delivery', class: 'num', cell: ({ id }) => <LastCell stats={stats.get(id)} /> },
    {
      head: 'Actions',
      isHeadHidden: true,
      cellClass: 'num c-narrow',
      cell: (webhook) => <RowActs webhook={webhook} onDelete={() => onDelete(webhook)} />,
    },
  ]
}

function NothingLeft() {
  const clear = { q: null, state: null, network: null }
  const act = <Button onClick={() => changeQuery(clear)}>Clear filters</Button>
  return <Empty isCard isTop title="Nothing matches these filters" acts={act} />
}

import { useState } from 'preact/hooks'
import type { WireWebhook, WireWebhookStats } from '../../api/wire.ts'
import { Empty } from '../../parts/empty.tsx'
import { useRowFocus } from '../../parts/lists/use-row-focus.ts'
import { DeleteWebhook } from '../../parts/webhooks/delete-webhook.tsx'
import { switchWebhook } from '../../parts/webhooks/switch-webhook.ts'
import { useShortcuts } from '../../shell/keys/shortcuts.ts'
import { changeQuery } from '../../shell/routing/router.ts'
import { WebhookRow } from './webhook-row.tsx'

type ListProps = {
  webhooks: readonly WireWebhook[]
  stats: readonly WireWebhookStats[] | undefined
}

const LEGEND = [
  ['calm', 'accepted on the first try'],
  ['warn', 'retried'],
  ['bad', 'failing'],
  ['fork', 're-run after a reorganisation'],
  ['idle', 'waiting or paused'],
] as const

/** The webhooks that the filters leave, one row each. */
export function WebhookList({ webhooks, stats }: ListProps) {
  const [deleting, setDeleting] = useState<WireWebhook | null>(null)
  const byId = new Map(stats?.map((one) => [one.webhook_id, one]))
  const { list, reached } = useRowFocus<HTMLTableElement>()
  const flipRow = () => flip(webhooks.find(({ id }) => id === reached()))
  useShortcuts([{ keys: 'p', does: 'Pause or unpause the row', run: flipRow }])
  if (webhooks.length === 0) return <NothingLeft />
  return (
    <>
      <section class="card tw" aria-label="Webhooks">
        <table class="rows whlist" ref={list}>
          <ListHead />
          <tbody>
            {webhooks.map((webhook) => (
              <WebhookRow
                key={webhook.id}
                webhook={webhook}
                stats={byId.get(webhook.id)}
                onDelete={() => setDeleting(webhook)}
              />
            ))}
          </tbody>
        </table>
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

function flip(webhook: WireWebhook | undefined): void {
  if (webhook) void switchWebhook(webhook, !webhook.is_active)
}

function ListHead() {
  return (
    <thead>
      <tr>
        <th scope="col">Webhook</th>
        <th scope="col">State</th>
        <th scope="col" class="c-mid">
          Network
        </th>
        <th scope="col">Deliveries</th>
        <th scope="col" class="num c-wide">
          24 h
        </th>
        <th scope="col" class="num">
          Last delivery
        </th>
        <th scope="col">
          <span class="vh">Actions</span>
        </th>
      </tr>
    </thead>
  )
}

function NothingLeft() {
  const clear = { q: null, state: null, network: null }
  const act = (
    <button type="button" class="btn" onClick={() => changeQuery(clear)}>
      Clear filters
    </button>
  )
  return (
    <section class="card">
      <Empty isTop title="Nothing matches these filters" acts={act} />
    </section>
  )
}

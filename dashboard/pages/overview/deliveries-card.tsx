import type { Webhook, WebhookStats } from '@headgate/client'
import { useCall } from '../../api/use-call.ts'
import { useLiveRefresh } from '../../api/use-refresh.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { NoWebhooks } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { NetworkName } from '../../parts/state.tsx'
import { Strip, type StripMark } from '../../parts/strip.tsx'
import { percent, plural } from '../../parts/text/format.ts'
import { deliveryMark } from '../../parts/webhooks/delivery-mark.ts'

const SHOWN_MAX = 6
const MARKS = 40

const PERCENT_WARN = 99

export function DeliveriesCard() {
  const webhooks = useCall('listWebhooks')
  const stats = useCall('getWebhookStats')
  useLiveRefresh(['delivery', 'webhook', 'gap'], 'getWebhookStats')
  const call = {
    data: stats.data && webhooks.data,
    error: webhooks.error ?? stats.error,
    reload: () => {
      webhooks.reload()
      stats.reload()
    },
  }
  return (
    <Card
      isLined
      title="Webhook deliveries"
      about={`last ${MARKS} of each`}
      beside={
        <span class="acts legend c-narrow">
          <Legend tone="calm">first try</Legend>
          <Legend tone="warn">retried</Legend>
          <Legend tone="bad">failing</Legend>
          <Legend tone="fork">re-run</Legend>
        </span>
      }
    >
      <Loaded call={call} around="cb pad" empty={<NoWebhooks acts={NEW} />}>
        {(known) => <Webhooks webhooks={known} stats={stats.data?.data ?? []} />}
      </Loaded>
    </Card>
  )
}

const NEW = (
  <Button class="primary" href="/webhooks/new">
    New webhook
  </Button>
)

function Legend({ tone, children }: { tone: string; children: string }) {
  return (
    <span>
      <i class={`key ${tone}`} />
      {children}
    </span>
  )
}

type Lists = { webhooks: readonly Webhook[]; stats: readonly WebhookStats[] }

function Webhooks({ webhooks, stats }: Lists) {
  const byId = new Map(stats.map((one) => [one.webhook_id, one]))
  const sorted = webhooks.toSorted((a, b) => rankOf(b, byId.get(b.id)) - rankOf(a, byId.get(a.id)))
  return (
    <>
      <ul class="lines">
        {sorted.slice(0, SHOWN_MAX).map((webhook) => (
          <li key={webhook.id}>
            <WebhookRow webhook={webhook} stats={byId.get(webhook.id)} />
          </li>
        ))}
      </ul>
      {webhooks.length > SHOWN_MAX && (
        <div class="cf">
          <a href="/webhooks">All {plural(webhooks.length, 'webhook')}</a>
        </div>
      )}
    </>
  )
}

/** Trouble first, then the one that delivered last. */
function rankOf(webhook: Webhook, stats: WebhookStats | undefined): number {
  const { deactivation_reason: reason } = webhook
  const last = stats?.recent.at(-1)
  const isFailing = last !== undefined && deliveryMark(last) === 'bad'
  const isTroubled = isFailing || (reason !== null && reason !== 'MANUAL')
  return (isTroubled ? 1e15 : 0) + (stats?.last_delivery?.time_created ?? 0)
}

function WebhookRow(props: { webhook: Webhook; stats: WebhookStats | undefined }) {
  const { webhook, stats } = props
  const name = webhook.name || webhook.id
  const marks = (stats?.recent ?? []).slice(-MARKS).map(markOf)
  return (
    <a class="stackable inh" href={`/webhooks/${webhook.id}`}>
      <span class="col g0">
        <span class="strong500 clip">{name}</span>
        <NetworkName id={webhook.network} />
      </span>
      {marks.length > 0 ? (
        <Strip marks={marks} height={16} step={7} label={`Last deliveries of ${name}`} />
      ) : (
        <span class="strip">
          <span class="faint small">nothing yet</span>
        </span>
      )}
      <Success webhook={webhook} percentOk={stats?.success_percent ?? null} />
    </a>
  )
}

function Success({ webhook, percentOk }: { webhook: Webhook; percentOk: number | null }) {
  if (!webhook.is_active) return <span class="right nowrap faint">paused</span>
  if (percentOk === null) return <span class="right nowrap faint">n/a</span>
  const tone = percentOk < PERCENT_WARN ? ' warn' : ''
  return <span class={`right nowrap${tone}`}>{percent(percentOk)}</span>
}

function markOf(delivery: WebhookStats['recent'][number]): StripMark {
  const { status, attempts_made: attempts, status_code: code } = delivery
  const tip = [status, attempts > 1 ? `${attempts} attempts` : '', code ?? ''].filter(Boolean)
  return { kind: deliveryMark(delivery), tip: tip.join(', ') }
}

import type { Webhook, WebhookStats } from '@headgate/client'
import { Button } from '../../parts/button.tsx'
import { State } from '../../parts/state.tsx'
import { Strip, type StripMark } from '../../parts/strip.tsx'
import { percent, whole } from '../../parts/text/format.ts'
import { TimeAgo } from '../../parts/text/time-ago.tsx'
import { deliveryMark } from '../../parts/webhooks/delivery-mark.ts'
import { switchWebhook } from '../../parts/webhooks/switch-webhook.ts'
import { WebhookMenu } from '../../parts/webhooks/webhook-menu.tsx'
import { nameOf, webhookState } from '../../parts/webhooks/webhook-state.ts'

type Stats = WebhookStats | undefined
type RowProps = { webhook: Webhook; stats: Stats }

const MARKS = 30

/** The last marks of a paused webhook's strip say so. */
const PAUSED_MARKS = 6

const GOOD_PERCENT = 99

export function NameCell({ webhook }: { webhook: Webhook }) {
  return (
    <span class="whname">
      <a class="t clip" href={`/webhooks/${webhook.id}`} data-row={webhook.id}>
        {nameOf(webhook)}
      </a>
      <span class="u clip" title={webhook.webhook_url}>
        {webhook.webhook_url.replace(/^https?:\/\//, '')}
      </span>
    </span>
  )
}

export function StateCell({ webhook, stats }: RowProps) {
  const { tone, word, reason } = webhookState(webhook, stats)
  return (
    <span class="whname">
      <State tone={tone}>{word}</State>
      {reason && <span class={tone === 'ring' ? 'reason' : `reason ${tone}`}>{reason}</span>}
    </span>
  )
}

export function RecentStrip({ webhook, stats }: RowProps) {
  const paused = webhook.is_active ? 0 : PAUSED_MARKS
  const recent = (stats?.recent ?? []).slice(-(MARKS - paused))
  const marks: StripMark[] = [
    ...recent.map((one) => ({ kind: deliveryMark(one) })),
    ...Array.from({ length: paused }, () => ({ kind: 'idle' as const, tip: 'paused' })),
  ]
  const success = stats?.success_percent
  const rate = success == null ? '' : `: ${percent(success)} delivered`
  const label = `Last ${recent.length} deliveries of ${nameOf(webhook)}${rate}`
  return <Strip isLeft marks={marks} height={14} step={5.6} mark={4} label={label} />
}

export function DayCell({ stats }: { stats: Stats }) {
  if (!stats) return <span class="faint">…</span>
  const { delivered, failed } = stats.last_24_hours
  const success = stats.success_percent
  const sent = delivered + failed
  return (
    <>
      <span class={success !== null && success < GOOD_PERCENT ? 'warn' : ''}>
        {success === null ? 'n/a' : percent(success)}
      </span>
      <span class="reason">{sent === 0 ? 'none' : `${whole(sent)} sent`}</span>
    </>
  )
}

export function LastCell({ stats }: { stats: Stats }) {
  if (!stats) return <span class="faint">…</span>
  const last = stats.last_delivery
  if (!last) return <span class="faint">none yet</span>
  const isBad = last.status === 'failed' || (last.status_code ?? 0) >= 300
  return (
    <>
      <span class="nowrap">
        <TimeAgo at={last.time_created} />
      </span>
      <span class={isBad ? 'reason bad' : 'reason'}>{last.status_code ?? last.status}</span>
    </>
  )
}

export function RowActs({ webhook, onDelete }: { webhook: Webhook; onDelete(): void }) {
  return (
    <span class="row rowacts">
      {!webhook.is_active && (
        <Button class="sm" icon="play" onClick={() => void switchWebhook(webhook, true)}>
          Unpause
        </Button>
      )}
      <WebhookMenu class="ib sm" webhook={webhook} onDelete={onDelete} />
    </span>
  )
}

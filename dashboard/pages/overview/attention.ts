import type { Network, Webhook, WebhookStats } from '@headgate/client'
import { percent, plural, whole } from '../../parts/text/format.ts'

export type Attention = {
  id: string
  tone: 'bad' | 'warn'
  title: string
  reason: string
  href: string
}

type Upstream = Network['upstreams'][number]

const PAUSED_REASONS: Readonly<Record<string, string>> = {
  MONTHLY_CAPACITY_EXCEEDED: 'The month’s capacity is used up.',
  DESTINATION_GONE: 'Its destination answered 410 Gone.',
  BACKLOG_FULL: 'More waits undelivered than the tier allows.',
}

/** So many that none was attempted of are not just on their way. */
const STUCK_FROM = 10

/** Everything that needs attention, what is broken first. */
export function findAttention(
  networks: readonly Network[],
  webhooks: readonly Webhook[],
  stats: readonly WebhookStats[],
): Attention[] {
  const byId = new Map(stats.map((one) => [one.webhook_id, one]))
  const found = [
    ...networks.flatMap(networkTrouble),
    ...webhooks.flatMap((webhook) => webhookTrouble(webhook, byId.get(webhook.id))),
  ]
  return found.toSorted((a, b) => Number(a.tone === 'warn') - Number(b.tone === 'warn'))
}

function networkTrouble(network: Network): Attention[] {
  const { id, upstreams, head } = network
  const used = upstreams.filter(({ state }) => state === 'used')
  const href = `/networks#${id}`
  if (used.length === 0) {
    const at = head ? `Webhooks wait at block ${whole(head.number)} and lose nothing. ` : ''
    const why = upstreams.map(({ name, reason }) => `${name}: ${reason ?? 'no answer'}`).join('; ')
    return [{ id, tone: 'bad', href, title: `No node of ${id} answers`, reason: `${at}${why}.` }]
  }
  const others =
    used.length === 1
      ? 'One other carries the traffic.'
      : `${used.length} others carry the traffic.`
  return upstreams
    .filter(({ state }) => state === 'excluded')
    .map((upstream) => ({
      id: `${id} ${upstream.name}`,
      tone: 'warn' as const,
      href,
      title: `${upstream.name} on ${id} isn’t used`,
      reason: `${upstreamReason(upstream)} ${others}`,
    }))
}

function upstreamReason({ reason, next_probe_ms: probeMs }: Upstream): string {
  const why = reason
    ? `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.`
    : 'It never answered.'
  if (probeMs === null) return why
  return `${why} It rests; next probe in ${Math.max(1, Math.round(probeMs / 1000))} s.`
}

function webhookTrouble(webhook: Webhook, stats: WebhookStats | undefined): Attention[] {
  const name = webhook.name || webhook.id
  const href = `/webhooks/${webhook.id}`
  const why = PAUSED_REASONS[webhook.deactivation_reason ?? '']
  if (why) {
    const reason = `${why} Nothing is sent until you unpause it.`
    return [{ id: webhook.id, tone: 'bad', href, title: `${name} is paused`, reason }]
  }
  return stats ? deliveryTrouble(webhook, stats) : []
}

function deliveryTrouble(webhook: Webhook, stats: WebhookStats): Attention[] {
  const name = webhook.name || webhook.id
  const found = { id: webhook.id, tone: 'warn', href: `/webhooks/${webhook.id}` } as const
  const { waiting, failed } = stats.last_24_hours
  const refusal = refusalWords(stats)
  if (refusal && waiting > 0) {
    const title = `${name}: ${plural(waiting, 'delivery waits', 'deliveries wait')}`
    const host = URL.parse(webhook.webhook_url)?.host ?? webhook.webhook_url
    return [{ ...found, title, reason: `${host} ${refusal}.` }]
  }
  if (failed === 0) return []
  const title = `${name}: ${plural(failed, 'delivery was', 'deliveries were')} given up`
  const part = stats.success_percent === null ? '' : ` ${percent(stats.success_percent)} arrived.`
  const reason = `In the last 24 hours, after all attempts.${part} They can be resent.`
  return [{ ...found, title, reason }]
}

/** How a destination fails; null where the newest attempt was accepted. */
function refusalWords({ recent, last_24_hours: { waiting } }: WebhookStats): string | null {
  const last = recent.findLast(({ attempts_made }) => attempts_made > 0)
  if (last?.status === 'delivered' || last?.status === 'cancelled') return null
  if (!last) return waiting >= STUCK_FROM ? 'rests after failures; it is tried again' : null
  const answer = last.status_code === null ? 'does not answer' : `answers ${last.status_code}`
  return `${answer}; it is tried again`
}

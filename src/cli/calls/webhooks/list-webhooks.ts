import type { WireWebhook, WireWebhookStats } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { agoText, countText, numberText, timeText } from '../../terminal/formats.ts'
import type { Cell, Column } from '../../terminal/table-lines.ts'
import { findNamed } from '../plain/find-named.ts'

type Listed = { webhook: WireWebhook; stats: WireWebhookStats | undefined }

/** Lists the team's webhooks, and how each does. */
export async function listWebhooks({ client, terminal, clock }: Calling): Promise<void> {
  const { data } = await client.call('listWebhooks')
  if (terminal.isJson) return terminal.show(data, () => {})
  if (data.length === 0) {
    return terminal.say(
      'The team has no webhooks yet.',
      '`headgate webhook create --help` shows how to make one.',
    )
  }
  const { data: stats } = await client.call('getWebhookStats')
  const byId = new Map(stats.map((one) => [one.webhook_id, one]))
  const listed = data.map((webhook) => ({ webhook, stats: byId.get(webhook.id) }))
  terminal.table(columns(clock.nowMs()), listed)
}

/** Shows one webhook with its query and how it does. */
export async function showWebhook(
  calling: Calling,
  idOrName: string,
  { showKey = false }: { showKey?: boolean },
): Promise<void> {
  const { client, terminal, clock } = calling
  const webhook = await findNamed(calling, 'listWebhooks', idOrName)
  if (terminal.isJson) return terminal.show(webhook, () => {})
  const { data } = await client.call('getWebhookStats')
  const stats = data.find(({ webhook_id }) => webhook_id === webhook.id)
  const nowMs = clock.nowMs()
  terminal.facts([
    ['id', webhook.id],
    ['name', webhook.name || null],
    ['network', webhook.network],
    ['destination', webhook.webhook_url],
    ['state', stateText(webhook)],
    ['created', `${timeText(webhook.time_created)} UTC (${agoText(webhook.time_created, nowMs)})`],
    [
      'signing key',
      showKey ? webhook.signing_key : `${webhook.signing_key.slice(0, 10)}… (--show-key shows it)`,
    ],
    ['next key', showKey ? webhook.next_signing_key : null],
    ['app', webhook.app_id],
    ['empty results', webhook.graphql_query.skip_empty_messages ? 'skipped' : 'delivered too'],
    ['order', webhook.ordered ? 'strictly one after the other' : null],
    ['last 24 hours', stats ? dayText(stats) : null],
  ])
  terminal.say('', terminal.colours.dim('query'), webhook.graphql_query.query.trimEnd())
}

function columns(nowMs: number): Column<Listed>[] {
  return [
    { title: 'id', of: ({ webhook }) => webhook.id },
    { title: 'name', of: ({ webhook }) => webhook.name, cut: 'end' },
    { title: 'network', of: ({ webhook }) => webhook.network },
    { title: 'state', of: ({ webhook }) => stateCell(webhook), cut: 'end' },
    { title: 'last', of: ({ stats }) => lastText(stats, nowMs) },
    {
      title: 'delivered',
      of: ({ stats }) => dayCount(stats, 'delivered'),
      align: 'right',
      isExtra: true,
    },
    {
      title: 'failed',
      of: ({ stats }) => dayCount(stats, 'failed'),
      align: 'right',
      isExtra: true,
    },
    {
      title: 'waiting',
      of: ({ stats }) => dayCount(stats, 'waiting'),
      align: 'right',
      isExtra: true,
    },
    {
      title: 'destination',
      of: ({ webhook }) => webhook.webhook_url,
      cut: 'middle',
      isExtra: true,
    },
  ]
}

function stateCell(webhook: WireWebhook): Cell {
  const isActive = webhook.state === 'active'
  return { text: stateText(webhook), colour: isActive ? 'green' : 'yellow' }
}

function stateText({ state, deactivation_reason }: WireWebhook): string {
  if (state === 'active' || deactivation_reason === null) return state
  return deactivation_reason === 'MANUAL' ? state : `${state}: ${deactivation_reason}`
}

function lastText(stats: WireWebhookStats | undefined, nowMs: number): string | null {
  return stats?.last_delivery ? agoText(stats.last_delivery.time_created, nowMs) : null
}

function dayCount(
  stats: WireWebhookStats | undefined,
  what: 'delivered' | 'failed' | 'waiting',
): string | null {
  return stats ? numberText(stats.last_24_hours[what]) : null
}

function dayText({ last_24_hours: day }: WireWebhookStats): string {
  const retried = day.retried === 0 ? '' : `, ${numberText(day.retried)} of them retried`
  const rest = `${numberText(day.failed)} failed, ${numberText(day.waiting)} waiting`
  return `${countText(day.delivered, 'delivery', 'deliveries')}${retried}, ${rest}`
}

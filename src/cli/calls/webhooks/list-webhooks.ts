import type { WireWebhook, WireWebhookStats } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { countText, numberText } from '../../terminal/formats.ts'
import { findNamed } from '../plain/find-named.ts'
import { plainFacts, sayTable } from '../plain/plain-view.ts'

const FIELDS = [
  'id',
  'name',
  'network',
  'state',
  'time_last',
  'delivered',
  'failed',
  'waiting',
  'destination',
]

export async function listWebhooks(calling: Calling): Promise<void> {
  const { client, terminal } = calling
  const { data } = await client.call('listWebhooks')
  if (terminal.isJson) return terminal.show(data, () => {})
  if (data.length === 0) {
    return terminal.say(
      'The team has no webhooks yet.',
      '`headgate webhook create --help` shows how to create one.',
    )
  }
  const { data: stats } = await client.call('getWebhookStats')
  const byId = new Map(stats.map((one) => [one.webhook_id, one]))
  const rows = data.map((webhook) => {
    const of = byId.get(webhook.id)
    return {
      ...webhook,
      state: stateText(webhook),
      time_last: of?.last_delivery?.time_created,
      ...of?.last_24_hours,
      destination: webhook.webhook_url,
    }
  })
  sayTable(calling, FIELDS, rows)
}

export async function showWebhook(
  calling: Calling,
  idOrName: string,
  { showKey = false }: { showKey?: boolean },
): Promise<void> {
  const { client, terminal } = calling
  const webhook = await findNamed(calling, 'listWebhooks', idOrName)
  if (terminal.isJson) return terminal.show(webhook, () => {})
  const { data } = await client.call('getWebhookStats')
  const stats = data.find(({ webhook_id }) => webhook_id === webhook.id)
  const { id, name, network, webhook_url, time_created, app_id, graphql_query } = webhook
  const hidden = `${webhook.signing_key.slice(0, 10)}… (--show-key shows it)`
  const shown = {
    id,
    name,
    network,
    destination: webhook_url,
    state: stateText(webhook),
    time_created,
    signing_key: showKey ? webhook.signing_key : hidden,
    next_signing_key: showKey ? webhook.next_signing_key : null,
    app: app_id,
    empty_results: graphql_query.skip_empty_messages ? 'skipped' : 'delivered too',
    order: webhook.ordered ? 'strictly one after the other' : null,
    last_24_hours: stats ? dayText(stats) : null,
  }
  terminal.facts(plainFacts(shown))
  terminal.say('', terminal.colours.dim('query'), graphql_query.query.trimEnd())
}

function stateText({ state, deactivation_reason }: WireWebhook): string {
  if (state === 'active' || deactivation_reason === null) return state
  return deactivation_reason === 'MANUAL' ? state : `${state}: ${deactivation_reason}`
}

function dayText({ last_24_hours: day }: WireWebhookStats): string {
  const retried = day.retried === 0 ? '' : `, ${numberText(day.retried)} of them retried`
  const rest = `${numberText(day.failed)} failed, ${numberText(day.waiting)} waiting`
  return `${countText(day.delivered, 'delivery', 'deliveries')}${retried}, ${rest}`
}

import type { WireWebhook, WireWebhookChange } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { complain } from '../../terminal/complain.ts'
import { findNamed } from '../plain/find-named.ts'
import { NOTHING_TO_CHANGE } from '../plain/plain-command.ts'
import { withQueryFaults } from '../queries/query-faults.ts'
import { networkFor, type QuerySource, readQuery } from '../queries/query-source.ts'

export type WebhookFields = QuerySource & {
  network?: string
  to?: string
  /** An inbox of local development, instead of an address. */
  inbox?: string
  name?: string
  app?: string
  skipEmpty?: boolean
  ordered?: boolean
  notifyRemoved?: boolean
}

export async function createWebhook(calling: Calling, fields: WebhookFields): Promise<void> {
  const { client, terminal } = calling
  const query = await readQuery(fields)
  if (query === null) return complain(NO_QUERY, 'badInput')
  const webhook_url = await destinationOf(calling, fields)
  if (webhook_url === null) return complain(NO_DESTINATION, 'badInput')
  const network = await networkFor(calling, fields.network)
  const { name, app, skipEmpty = false, ordered, notifyRemoved } = fields
  const { data } = await withQueryFaults(calling, { text: query, network }, () =>
    client.call('createWebhook', {
      body: {
        network,
        webhook_type: 'GRAPHQL',
        webhook_url,
        graphql_query: { query, skip_empty_messages: skipEmpty },
        ...(name !== undefined && { name }),
        ...(app !== undefined && { app_id: app }),
        ...(ordered !== undefined && { ordered }),
        ...(notifyRemoved !== undefined && { notify_removed: notifyRemoved }),
      },
    }),
  )
  terminal.show(data, () => sayCreated(calling, data, fields.inbox))
}

export async function changeWebhook(
  calling: Calling,
  idOrName: string,
  fields: WebhookFields,
): Promise<void> {
  const { client, terminal } = calling
  const { id, network } = await findNamed(calling, 'listWebhooks', idOrName)
  const query = await readQuery(fields)
  const { name, skipEmpty, ordered, notifyRemoved } = fields
  const webhook_url = await destinationOf(calling, fields)
  const body: WireWebhookChange = {
    webhook_id: id,
    ...(name !== undefined && { name }),
    ...(webhook_url !== null && { webhook_url }),
    ...((query !== null || skipEmpty !== undefined) && {
      graphql_query: {
        ...(query !== null && { query }),
        ...(skipEmpty !== undefined && { skip_empty_messages: skipEmpty }),
      },
    }),
    ...(ordered !== undefined && { ordered }),
    ...(notifyRemoved !== undefined && { notify_removed: notifyRemoved }),
  }
  if (Object.keys(body).length === 1) {
    return complain(NOTHING_TO_CHANGE, 'badInput')
  }
  const { data } = await withQueryFaults(calling, { text: query ?? '', network }, () =>
    client.call('updateWebhook', { body }),
  )
  terminal.show(data, () => terminal.say(`Changed ${id}.`))
}

/** The address that deliveries go to; null where none is given. */
export async function destinationOf(
  { client }: Calling,
  { to, inbox }: WebhookFields,
): Promise<string | null> {
  if (to !== undefined && inbox !== undefined) {
    return complain('Give one of --to and --inbox.', 'badInput')
  }
  if (inbox === undefined) return to ?? null
  const page = await client.call('listInboxArrivals', { parameters: { name: inbox, limit: 1 } })
  return page.inbox.url
}

const NO_QUERY =
  'Which query? Give --query with a file, --query - for standard input, or --graphql with its text.'

const NO_DESTINATION =
  'Where to? Give --to with an address, or --inbox with a name in local development.'

function sayCreated({ terminal }: Calling, webhook: WireWebhook, inbox: string | undefined): void {
  const { bold, yellow } = terminal.colours
  terminal.say(`Created the webhook ${bold(webhook.id)} on ${webhook.network}.`, '')
  terminal.facts([
    ['name', webhook.name || null],
    ['destination', webhook.webhook_url],
    ['signing key', webhook.signing_key],
    ['app', webhook.app_id],
    ['empty results', webhook.graphql_query.skip_empty_messages ? 'skipped' : 'delivered too'],
    ['order', webhook.ordered ? 'strictly one after the other' : null],
  ])
  if (webhook.state === 'paused') {
    terminal.say('', yellow(`It is paused already: ${webhook.deactivation_reason}.`))
  }
  const watch =
    inbox === undefined
      ? `headgate webhook logs ${webhook.id} --follow`
      : `headgate devnet inbox ${inbox} --follow`
  terminal.say(
    '',
    'Receivers check deliveries with the signing key: keep it secret.',
    'It delivers from the next block on. Watch it:',
    '',
    `  ${watch}`,
  )
}

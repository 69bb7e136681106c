import type { WireWebhookChange } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { EXIT_CODES } from '../../exit-codes.ts'
import { complain } from '../../terminal/complain.ts'
import { confirm } from '../../terminal/confirm.ts'
import { withQueryFaults } from '../queries/query-faults.ts'
import { readQuery } from '../queries/query-source.ts'
import { destinationOf, type WebhookFields } from './create-webhook.ts'
import { findWebhook } from './find-webhook.ts'

/** Pauses a webhook, or lets it go on with the next block. */
export async function activateWebhook(
  calling: Calling,
  idOrName: string,
  is_active: boolean,
): Promise<void> {
  const { client, terminal } = calling
  const { id } = await findWebhook(calling, idOrName)
  const { data } = await client.call('updateWebhook', { body: { webhook_id: id, is_active } })
  terminal.show(data, () => {
    if (!is_active) return terminal.say(`Paused ${id}; \`headgate webhook resume ${id}\` goes on.`)
    if (data.is_active) return terminal.say(`Resumed ${id}: it delivers from the next block on.`)
    terminal.say(`${id} is paused again at once: ${data.deactivation_reason}.`)
  })
}

/** Changes the fields that are given, and leaves the rest. */
export async function changeWebhook(
  calling: Calling,
  idOrName: string,
  fields: WebhookFields,
): Promise<void> {
  const { client, terminal } = calling
  const { id, network } = await findWebhook(calling, idOrName)
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
    return complain('What shall change? --help shows the options.', EXIT_CODES.badInput)
  }
  const { data } = await withQueryFaults(calling, { text: query ?? '', network }, () =>
    client.call('updateWebhook', { body }),
  )
  terminal.show(data, () => terminal.say(`Changed ${id}.`))
}

/** Deletes a webhook. */
export async function deleteWebhook(
  calling: Calling,
  idOrName: string,
  options: { yes?: boolean },
): Promise<void> {
  const { client, terminal } = calling
  const webhook = await findWebhook(calling, idOrName)
  const { id, name, webhook_url } = webhook
  const called = name === '' ? id : `${id} (${name})`
  await confirm(`Delete the webhook ${called} to ${webhook_url}?`, options)
  await client.call('deleteWebhook', { parameters: { webhook_id: id } })
  terminal.show({ id, deleted: true }, () => {
    terminal.say(`Deleted ${id}. Its deliveries stay in the log.`)
  })
}

/** Replaces the signing key of a webhook, or shows the next one first. */
export async function rotateSigningKey(
  calling: Calling,
  idOrName: string,
  { prepare = false, yes = false }: { prepare?: boolean; yes?: boolean },
): Promise<void> {
  const { client, terminal } = calling
  const { id } = await findWebhook(calling, idOrName)
  if (!prepare) await confirm(`Replace the signing key of ${id}?`, { yes })
  const { data } = await client.call('rotateSigningKey', { body: { webhook_id: id, prepare } })
  terminal.show(data, () => {
    if (prepare) {
      terminal.facts([['next signing key', data.next_signing_key]])
      terminal.say(
        '',
        'Nothing is signed with it yet. Once receivers know it:',
        '',
        `  headgate webhook rotate-key ${id}`,
      )
      return
    }
    terminal.facts([['signing key', data.signing_key]])
    terminal.say('', 'Deliveries carry a signature of the old key too for 24 hours.')
  })
}

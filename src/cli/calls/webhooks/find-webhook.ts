import type { WireWebhook } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { EXIT_CODES } from '../../exit-codes.ts'
import { complain } from '../../terminal/complain.ts'

/** The webhook of an id, or of a name that one alone has. */
export async function findWebhook({ client }: Calling, idOrName: string): Promise<WireWebhook> {
  const { data } = await client.call('listWebhooks')
  const byId = data.find(({ id }) => id === idOrName)
  if (byId) return byId
  const [named, ...others] = data.filter(({ name }) => name !== '' && name === idOrName)
  if (!named) {
    const advice = '`headgate webhook list` shows those that there are.'
    return complain(`The team has no webhook ${idOrName}.\n${advice}`, EXIT_CODES.failed)
  }
  if (others.length === 0) return named
  const ids = [named, ...others].map(({ id }) => id).join(', ')
  return complain(`Several webhooks are named ${idOrName}: ${ids}. Give an id.`, EXIT_CODES.failed)
}

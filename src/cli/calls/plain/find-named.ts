import type { App, Webhook } from '@headgate/client'
import type { Calling } from '../../connect/run-call.ts'
import { complain } from '../../terminal/complain.ts'

type Lists = { listApps: App; listWebhooks: Webhook }

export type NamedList = keyof Lists

const NOUNS: Readonly<Record<NamedList, string>> = { listApps: 'app', listWebhooks: 'webhook' }

/** The one of an id, or of a name that no other has. */
export async function findNamed<List extends NamedList>(
  { client }: Calling,
  list: List,
  idOrName: string,
): Promise<Lists[List]> {
  const noun = NOUNS[list]
  const answer: unknown = await client.call(list as NamedList)
  const { data } = answer as { data: readonly Lists[List][] }
  const byId = data.find(({ id }) => id === idOrName)
  if (byId) return byId
  const [named, ...others] = data.filter(({ name }) => name !== '' && name === idOrName)
  if (!named) {
    const advice = `\`headgate ${noun} list\` shows those that there are.`
    return complain(`The team has no ${noun} ${idOrName}.\n${advice}`, 'failed')
  }
  if (others.length === 0) return named
  const ids = [named, ...others].map(({ id }) => id).join(', ')
  return complain(`Several ${noun}s are named ${idOrName}: ${ids}. Give an id.`, 'failed')
}

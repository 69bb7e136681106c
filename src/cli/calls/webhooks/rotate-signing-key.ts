import type { Calling } from '../../connect/run-call.ts'
import { confirm } from '../../terminal/confirm.ts'
import { findNamed } from '../plain/find-named.ts'
import { sayPlain } from '../plain/plain-view.ts'

export async function rotateSigningKey(
  calling: Calling,
  idOrName: string,
  { prepare = false, yes = false }: { prepare?: boolean; yes?: boolean },
): Promise<void> {
  const { client, terminal } = calling
  const { id } = await findNamed(calling, 'listWebhooks', idOrName)
  if (!prepare) await confirm(`Replace the signing key of ${id}?`, { yes })
  const { data } = await client.call('rotateSigningKey', { body: { webhook_id: id, prepare } })
  terminal.show(data, () => {
    sayPlain(calling, data, {}, [prepare ? 'next_signing_key' : 'signing_key'])
    const next = `Nothing is signed with it yet. Once receivers know it: headgate webhook rotate-key ${id}`
    terminal.say(
      '',
      prepare ? next : 'Deliveries carry a signature of the old key too for 24 hours.',
    )
  })
}

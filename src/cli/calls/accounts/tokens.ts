import type { Calling } from '../../connect/run-call.ts'
import { confirm } from '../../terminal/confirm.ts'
import { agoText } from '../../terminal/formats.ts'

/** Lists the team's tokens, without the tokens themselves: they are not kept. */
export async function listTokens({ client, terminal, clock }: Calling): Promise<void> {
  const { data } = await client.call('listTeamTokens')
  terminal.show(data, () => {
    const nowMs = clock.nowMs()
    terminal.table<(typeof data)[number]>(
      [
        { title: 'id', of: ({ id }) => id },
        { title: 'name', of: ({ name }) => name, cut: 'end' },
        { title: 'created', of: ({ time_created }) => agoText(time_created, nowMs) },
      ],
      data,
    )
  })
}

/** Gives the team another token, and shows it once. */
export async function createToken(
  { client, terminal }: Calling,
  { name }: { name: string },
): Promise<void> {
  const { data } = await client.call('createTeamToken', { body: { name } })
  terminal.show(data, () => {
    terminal.facts([
      ['id', data.id],
      ['token', data.token],
    ])
    terminal.say('', 'It is shown only now. `export HEADGATE_TOKEN=…` makes commands use it.')
  })
}

/** Revokes a token. */
export async function deleteToken(
  { client, terminal }: Calling,
  id: string,
  options: { yes?: boolean },
): Promise<void> {
  await confirm(`Revoke the token ${id}? Whoever uses it is refused at once.`, options)
  await client.call('deleteTeamToken', { parameters: { id } })
  terminal.show({ id, deleted: true }, () => terminal.say(`Revoked ${id}.`))
}

import type { WireTeam, WireTierLimits } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { EXIT_CODES } from '../../exit-codes.ts'
import { complain } from '../../terminal/complain.ts'
import { agoText, bytesText, numberText } from '../../terminal/formats.ts'
import type { Column } from '../../terminal/table-lines.ts'

type Limited = { limits: WireTierLimits | null }

/** Shows the team of the token, with what its tier allows. */
export async function showTeam(calling: Calling): Promise<void> {
  const { data } = await calling.client.call('getTeam')
  calling.terminal.show(data, () => sayTeam(calling, data))
}

/** Turns autoscaling on or off, or moves the team to another tier. */
export async function changeTeam(
  calling: Calling,
  { autoscaling, tier }: { autoscaling?: boolean; tier?: string },
): Promise<void> {
  if (autoscaling === undefined && tier === undefined) {
    return complain('What shall change? Give --autoscaling or --tier.', EXIT_CODES.badInput)
  }
  const { data } = await calling.client.call('changeTeam', {
    body: {
      ...(autoscaling !== undefined && { autoscaling }),
      ...(tier !== undefined && { tier }),
    },
  })
  calling.terminal.show(data, () => sayTeam(calling, data))
}

/** Lists all teams of the instance. */
export async function listTeams({ client, terminal, clock }: Calling): Promise<void> {
  const { data } = await client.call('listTeams')
  terminal.show(data, () => {
    const nowMs = clock.nowMs()
    terminal.table<WireTeam>(
      [
        { title: 'id', of: ({ id }) => id },
        { title: 'name', of: ({ name }) => name, cut: 'end' },
        { title: 'tier', of: ({ tier }) => tier },
        { title: 'autoscaling', of: ({ autoscaling }) => (autoscaling ? 'on' : 'off') },
        { title: 'created', of: ({ time_created }) => agoText(time_created, nowMs), isExtra: true },
      ],
      data,
    )
  })
}

/** Makes a team with its first token. */
export async function createTeam(
  { client, terminal }: Calling,
  { name, tier }: { name: string; tier: string },
): Promise<void> {
  const { data } = await client.call('createTeam', { body: { name, tier } })
  terminal.show(data, () => {
    terminal.facts([
      ['team', data.id],
      ['token', data.token],
      ['token id', data.token_id],
    ])
    terminal.say('', 'The token is shown only now.')
  })
}

/** Lists the tiers with what each allows. */
export async function listTiers({ client, terminal }: Calling): Promise<void> {
  const { data } = await client.call('listTiers')
  terminal.show(data, () => {
    terminal.table<(typeof data)[number]>(
      [{ title: 'tier', of: ({ name }) => name }, ...LIMIT_COLUMNS],
      data,
    )
  })
}

const LIMIT_COLUMNS: readonly Column<Limited>[] = [
  { title: 'CU a month', of: ({ limits }) => limitText(limits?.monthly_cu), align: 'right' },
  { title: 'CU a second', of: ({ limits }) => limitText(limits?.cu_per_second), align: 'right' },
  { title: 'webhooks', of: ({ limits }) => limitText(limits?.webhooks), align: 'right' },
  { title: 'items', of: ({ limits }) => limitText(limits?.variable_items), align: 'right' },
  {
    title: 'undelivered',
    of: ({ limits }) => limits && bytesText(limits.undelivered_bytes),
    align: 'right',
    isExtra: true,
  },
  { title: 'paid', of: ({ limits }) => (limits?.paid ? 'yes' : 'no'), isExtra: true },
]

function sayTeam({ terminal, clock }: Calling, team: WireTeam): void {
  terminal.facts([
    ['team', team.id],
    ['name', team.name],
    ['tier', team.tier],
    ['autoscaling', team.autoscaling ? 'on: it goes on past the monthly capacity' : 'off'],
    ['created', agoText(team.time_created, clock.nowMs())],
  ])
  if (team.limits === null) return
  terminal.say('')
  terminal.table(LIMIT_COLUMNS, [team])
}

function limitText(limit: number | null | undefined): string | null {
  if (limit === undefined) return null
  return limit === null ? 'no limit' : numberText(limit)
}

import type { Command } from 'commander'
import type { Calling } from '../../connect/run-call.ts'
import { told } from '../call-command.ts'
import { plainCommand } from '../plain/plain-command.ts'

const APP = { app: 'id' } as const

export function addAppCommands(group: Command): void {
  told(group, {
    more: 'Name an app by its id, or by its name if no other app has it.',
    examples: [
      ['app create --name Wallet --networks ETH_MAINNET', 'a key for one network'],
      ['app list', 'without keys; headgate key list has them'],
    ],
  })
  plainCommand(group, 'list', 'listApps', {
    fields: ['id', 'name', 'networks', 'is_active', 'time_created'],
  })
  plainCommand(group, 'get', 'getApp', {
    does: 'show one app with its key and URLs',
    arguments: APP,
    findIn: 'listApps',
  })
  plainCommand(group, 'create', 'createApp', {
    does: 'create an app; its key works within a second',
    found: ['networks'],
    complete: async (calling, body) => ({ networks: await allNetworks(calling), ...body }),
    note: 'Keep the key secret. It is also part of the URLs above.',
    examples: [
      ['app create --name Wallet', 'on all networks'],
      ['app create --name Shop --allow-origins https://shop.example', 'for a page'],
    ],
  })
  plainCommand(group, 'change', 'changeApp', {
    does: 'change an app; options that are not given stay as they are',
    arguments: APP,
    findIn: 'listApps',
    note: 'Calls see the change within a second.',
    examples: [
      ['app change Wallet --active off', 'refuse its key until it is on again'],
      ['app change Shop --allow-origins any', 'allow every origin again'],
    ],
  })
  plainCommand(group, 'delete', 'deleteApp', {
    does: 'delete an app; its key stops within a second',
    arguments: APP,
    findIn: 'listApps',
    asks: ({ id, name }) => `Delete the app ${id} (${name})? Its key stops within a second.`,
  })
}

export function addTokenCommands(group: Command): void {
  told(group, {
    more: 'A token can do everything its team can. These commands use the one in HEADGATE_TOKEN.',
    examples: [
      ['token create --name ci', 'one for a script'],
      ['token create --name ci --team team_7h3j5k9l2z4x6c8v', 'by the operator, for a team'],
    ],
  })
  plainCommand(group, 'list', 'listTeamTokens', {
    does: 'list the team’s tokens; the tokens themselves are not kept',
  })
  plainCommand(group, 'create', 'createTeamToken', {
    does: 'create a token; it is shown once',
    note: 'It is shown only now. Set HEADGATE_TOKEN to it to use it here.',
  })
  plainCommand(group, 'delete', 'deleteTeamToken', {
    does: 'revoke a token',
    arguments: { id: 'id' },
    asks: ({ id }) => `Revoke the token ${id}? It is refused at once wherever it is used.`,
  })
}

export function addTeamCommands(group: Command): void {
  told(group, {
    examples: [
      ['team get', 'the team of your token'],
      ['team create --name Payments --tier growth', 'with the operator’s token'],
    ],
  })
  plainCommand(group, 'get', 'getTeam', {
    does: 'show the token’s team and the limits of its tier',
  })
  plainCommand(group, 'change', 'changeTeam', {
    does: 'turn autoscaling on or off, or change the tier',
    operatorFor: 'tier',
    examples: [
      ['team change --autoscaling on', 'continue past the monthly capacity'],
      ['team change --tier scale --team team_7h3j5k9l2z4x6c8v', 'with the operator’s token'],
    ],
  })
  plainCommand(group, 'tiers', 'listTiers', {
    does: 'list the tiers and their limits',
    fields: [
      'name',
      'limits.monthly_cu',
      'limits.cu_per_second',
      'limits.webhooks',
      'limits.variable_items',
      'limits.undelivered_bytes',
      'limits.paid',
    ],
  })
  plainCommand(group, 'list', 'listTeams', { does: 'list all teams, with the operator’s token' })
  plainCommand(group, 'create', 'createTeam', {
    does: 'create a team, with the operator’s token',
    note: 'The token is shown only now.',
  })
}

async function allNetworks({ client }: Calling): Promise<string[]> {
  const { data } = await client.call('listNetworks')
  return data.map(({ id }) => id)
}

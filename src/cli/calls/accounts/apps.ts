import type { WireApp } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { EXIT_CODES } from '../../exit-codes.ts'
import { complain } from '../../terminal/complain.ts'
import { confirm } from '../../terminal/confirm.ts'
import { agoText, timeText } from '../../terminal/formats.ts'

export type AppFields = {
  name?: string
  description?: string
  networks?: string[]
  active?: boolean
  allowOrigins?: string[]
  allowIps?: string[]
  allowMethods?: string[]
  allowContracts?: string[]
}

/** Lists the team's apps. */
export async function listApps({ client, terminal, clock }: Calling): Promise<void> {
  const { data } = await client.call('listApps')
  terminal.show(data, () => {
    if (data.length === 0) {
      return terminal.say('The team has no apps yet.', '`headgate app create --help` shows how.')
    }
    const nowMs = clock.nowMs()
    terminal.table<WireApp>(
      [
        { title: 'id', of: ({ id }) => id },
        { title: 'name', of: ({ name }) => name, cut: 'end' },
        { title: 'networks', of: ({ networks }) => networks.join(' '), cut: 'end' },
        { title: 'state', of: stateCell },
        { title: 'created', of: ({ time_created }) => agoText(time_created, nowMs), isExtra: true },
      ],
      data,
    )
  })
}

/** Shows one app with its addresses, which hold its key. */
export async function showApp(calling: Calling, idOrName: string): Promise<void> {
  const app = await findApp(calling, idOrName)
  calling.terminal.show(app, () => sayApp(calling, app))
}

/** Makes an app, and shows its key. */
export async function createApp(calling: Calling, fields: AppFields): Promise<void> {
  const { client, terminal } = calling
  const { name = '', description } = fields
  const allow = allowOf(fields)
  const networks = fields.networks ?? (await allNetworks(calling))
  const { data } = await client.call('createApp', {
    body: {
      name,
      networks,
      ...(description !== undefined && { description }),
      ...(allow !== null && { allow }),
    },
  })
  terminal.show(data, () => {
    terminal.say(`Created the app ${terminal.colours.bold(data.id)}.`, '')
    sayApp(calling, data)
    terminal.say('', 'The key is secret, and stands in the addresses, too.')
  })
}

/** Changes the fields that are given, and leaves the rest. */
export async function changeApp(
  calling: Calling,
  idOrName: string,
  fields: AppFields,
): Promise<void> {
  const { client, terminal } = calling
  const { id } = await findApp(calling, idOrName)
  const { name, description, networks, active } = fields
  const allow = allowOf(fields)
  const body = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(networks !== undefined && { networks }),
    ...(active !== undefined && { is_active: active }),
    ...(allow !== null && { allow }),
  }
  if (Object.keys(body).length === 0) {
    return complain('What shall change? --help shows the options.', EXIT_CODES.badInput)
  }
  const { data } = await client.call('changeApp', { parameters: { id }, body })
  terminal.show(data, () => {
    terminal.say(`Changed ${id}. Calls see it within a second.`, '')
    sayApp(calling, data)
  })
}

/** Deletes an app. */
export async function deleteApp(
  calling: Calling,
  idOrName: string,
  options: { yes?: boolean },
): Promise<void> {
  const { client, terminal } = calling
  const { id, name } = await findApp(calling, idOrName)
  await confirm(`Delete the app ${id} (${name})? Its key stops within a second.`, options)
  await client.call('deleteApp', { parameters: { id } })
  terminal.show({ id, deleted: true }, () => terminal.say(`Deleted ${id}.`))
}

/** The app of an id, or of a name that one alone has. */
export async function findApp({ client }: Calling, idOrName: string): Promise<WireApp> {
  const { data } = await client.call('listApps')
  const byId = data.find(({ id }) => id === idOrName)
  if (byId) return byId
  const [named, ...others] = data.filter(({ name }) => name === idOrName)
  if (!named) {
    const advice = '`headgate app list` shows those that there are.'
    return complain(`The team has no app ${idOrName}.\n${advice}`, EXIT_CODES.failed)
  }
  if (others.length === 0) return named
  const ids = [named, ...others].map(({ id }) => id).join(', ')
  return complain(`Several apps are named ${idOrName}: ${ids}. Give an id.`, EXIT_CODES.failed)
}

/** An app in words, with its key. */
export function sayApp({ terminal }: Calling, app: WireApp): void {
  const { origins, ips, methods, contracts } = app.allow
  terminal.facts([
    ['id', app.id],
    ['name', app.name],
    ['description', app.description || null],
    ['state', app.is_active ? 'active' : 'inactive: its key is refused'],
    ['created', `${timeText(app.time_created)} UTC`],
    ['key', app.key],
    ['allowed origins', origins.join(' ') || null],
    ['allowed addresses', ips.join(' ') || null],
    ['allowed methods', methods.join(' ') || null],
    ['allowed contracts', contracts.join(' ') || null],
    ...Object.entries(app.urls).map(([network, url]) => [network, url] as const),
  ])
}

async function allNetworks({ client }: Calling): Promise<string[]> {
  const { data } = await client.call('listNetworks')
  return data.map(({ id }) => id)
}

function allowOf({ allowOrigins, allowIps, allowMethods, allowContracts }: AppFields) {
  const allow = {
    ...(allowOrigins && { origins: entriesOf(allowOrigins) }),
    ...(allowIps && { ips: entriesOf(allowIps) }),
    ...(allowMethods && { methods: entriesOf(allowMethods) }),
    ...(allowContracts && { contracts: entriesOf(allowContracts) }),
  }
  return Object.keys(allow).length === 0 ? null : allow
}

/** `any` empties a list, which allows everything. */
function entriesOf(list: readonly string[]): string[] {
  return list.filter((entry) => entry !== 'any')
}

function stateCell({ is_active }: WireApp) {
  return is_active
    ? ({ text: 'active', colour: 'green' } as const)
    : ({ text: 'inactive', colour: 'yellow' } as const)
}

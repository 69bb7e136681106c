import { readAllowChange } from '../../../core/access/read-allow-change.ts'
import type { App } from '../../../core/app.ts'
import { Rejection } from '../../../core/errors.ts'
import { unlessNamed } from '../../../tables/accounts/accounts-change.ts'
import * as apps from '../../../tables/accounts/apps.ts'
import * as newAccounts from '../../../tables/accounts/new-accounts.ts'
import type { WireApp } from '../../contract/contract.ts'
import { networkPathUrl } from '../../edge/network-path-url.ts'
import { noSuch } from '../acting-team.ts'
import type { ManagementApi } from '../management-api.ts'
import type { Handler } from './handler.ts'
import { refuseIfChanged } from './refuse-if-changed.ts'
import { sameNamed } from './same-named.ts'

export const listApps: Handler<'listApps'> = async (api, call) => {
  const found = await apps.listApps(api.database, call.team.id)
  return { data: found.map((stored) => appOf(api, stored)) }
}

export const getApp: Handler<'getApp'> = async (api, call) => {
  const found = await apps.findApp(api.database, call.team.id, call.parameters.id)
  if (!found) return noSuch(`app ${call.parameters.id}`)
  return { data: appOf(api, found) }
}

export const createApp: Handler<'createApp'> = async (api, call) => {
  const { name, description = '', networks } = call.body
  const unknown = unknownNetwork(api, networks)
  if (unknown) return unknown
  const allow = readAllowChange(call.body.allow ?? {})
  if (allow instanceof Rejection) return allow

  const fields = { name, description, networks, allow }
  const isByName = call.parameters.by_name === 'true'
  const outcome = await unlessNamed(
    api.database,
    async (tx) => (isByName ? apps.listApps(tx, call.team.id, name) : []),
    (tx) => newAccounts.addApp(tx, api, call.team.id, fields),
  )
  if ('named' in outcome) {
    const found = sameNamed(outcome.named, {
      id: ({ app }) => app.id,
      fields: ({ app }) => [
        ['networks', networks, app.networks],
        ['description', call.body.description, app.description],
        ['allow.origins', allow.origins, app.allow.origins],
        ['allow.ips', allow.ips, app.allow.ips],
        ['allow.methods', allow.methods, app.allow.methods],
        ['allow.contracts', allow.contracts, app.allow.contracts],
      ],
    })
    return found instanceof Rejection ? found : { data: appOf(api, found) }
  }
  const created = outcome.made
  if (created instanceof Rejection) return created

  api.accountsChanged()
  return { data: wireApp(api, created.app, created.key) }
}

export const changeApp: Handler<'changeApp'> = async (api, call) => {
  const { is_active, allow: given = {}, ...fields } = call.body
  const unknown = unknownNetwork(api, fields.networks ?? [])
  if (unknown) return unknown
  const allow = readAllowChange(given)
  if (allow instanceof Rejection) return allow

  const isActive = is_active === undefined ? {} : { isActive: is_active }
  const change = { ...fields, ...isActive, allow }
  const { id, 'If-Match': ifMatch } = call.parameters
  const guard = (found: apps.StoredApp) => refuseIfChanged(ifMatch, { data: appOf(api, found) })
  const changed = await apps.updateApp(api.database, call.team.id, id, change, guard)
  if (changed instanceof Rejection) return changed
  if (!changed) return noSuch(`app ${id}`)

  api.accountsChanged()
  return { data: appOf(api, changed) }
}

export const deleteApp: Handler<'deleteApp'> = async (api, call) => {
  const { id, 'If-Match': ifMatch } = call.parameters
  const guard = (found: apps.StoredApp) => refuseIfChanged(ifMatch, { data: appOf(api, found) })
  const deleted = await apps.removeApp(api.database, call.team.id, id, guard)
  if (deleted instanceof Rejection) return deleted
  if (!deleted) return noSuch(`app ${id}`)

  api.accountsChanged()
  api.webhooksChanged()
  return {}
}

export const rotateAppKey: Handler<'rotateAppKey'> = async (api, call) => {
  const key = await newAccounts.rotateAppKey(api.database, api, call.team.id, call.parameters.id)
  if (key === null) return noSuch(`app ${call.parameters.id}`)
  api.accountsChanged()

  // Somebody else may have deleted it in between, and then there is nothing to show.
  const found = await apps.findApp(api.database, call.team.id, call.parameters.id)
  if (!found) return noSuch(`app ${call.parameters.id}`)
  return { data: wireApp(api, found.app, key) }
}

function unknownNetwork(api: ManagementApi, networks: readonly string[]): Rejection | null {
  const known = api.networks().map(({ id }) => id)
  const unknown = networks.find((id) => !known.includes(id))
  if (unknown === undefined) return null
  const possible = known.length > 0 ? known.join(', ') : 'none'
  return new Rejection(
    'validation',
    `networks: ${unknown} is not configured here; possible are: ${possible}.`,
  )
}

function appOf(api: ManagementApi, { app, keySealed }: apps.StoredApp): WireApp {
  return wireApp(api, app, newAccounts.openAppKey(api, app.id, keySealed))
}

function wireApp(api: ManagementApi, app: App, key: string): WireApp {
  const served = api.networks().filter(({ id }) => app.networks.includes(id))
  return {
    id: app.id,
    name: app.name,
    description: app.description,
    networks: app.networks,
    is_active: app.isActive,
    allow: app.allow,
    key,
    urls: Object.fromEntries(served.map(({ id, slug }) => [id, networkPathUrl(api, slug, key)])),
    time_created: app.createdAtMs,
  }
}

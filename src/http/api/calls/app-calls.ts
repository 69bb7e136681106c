import { readAllowChange } from '../../../core/access/read-allow-change.ts'
import type { App } from '../../../core/app.ts'
import { Rejection } from '../../../core/errors.ts'
import type { Secrets } from '../../../ports/secrets.ts'
import * as apps from '../../../tables/accounts/apps.ts'
import * as newAccounts from '../../../tables/accounts/new-accounts.ts'
import { removeApp, updateApp } from '../../../tables/accounts/update-app.ts'
import type { WireApp } from '../../contract/contract.ts'
import { networkPathUrl } from '../../edge/network-path-url.ts'
import type { Handler } from './handler.ts'
import type { AccountChangeNeeds } from './jwt-key-calls.ts'

export type AppCallNeeds = AccountChangeNeeds & {
  secrets: Secrets
  networks(): readonly { id: string; slug: string }[]
  publicUrl: string
  webhooksChanged(webhookId?: string): void
}

export const listApps: Handler<'listApps', AppCallNeeds> = async (needs, call) => {
  const found = await apps.listApps(needs.database, call.team.id)
  return { data: found.map(({ app, keySealed }) => appOf(needs, app, keySealed)) }
}

export const getApp: Handler<'getApp', AppCallNeeds> = async (needs, call) => {
  const found = await apps.findApp(needs.database, call.team.id, call.parameters.id)
  if (!found) return noSuchApp(call.parameters.id)
  return { data: appOf(needs, found.app, found.keySealed) }
}

export const createApp: Handler<'createApp', AppCallNeeds> = async (needs, call) => {
  const { name, description = '', networks } = call.body
  const unknown = unknownNetwork(needs, networks)
  if (unknown) return unknown
  const allow = readAllowChange(call.body.allow ?? {})
  if (allow instanceof Rejection) return allow

  const fields = { name, description, networks, allow }
  const created = await newAccounts.createApp(needs.database, needs, call.team.id, fields)
  if (created instanceof Rejection) return created

  needs.accountsChanged()
  return { data: wireApp(needs, created.app, created.key) }
}

export const changeApp: Handler<'changeApp', AppCallNeeds> = async (needs, call) => {
  const { is_active, allow: given = {}, ...fields } = call.body
  const unknown = unknownNetwork(needs, fields.networks ?? [])
  if (unknown) return unknown
  const allow = readAllowChange(given)
  if (allow instanceof Rejection) return allow

  const isActive = is_active === undefined ? {} : { isActive: is_active }
  const change = { ...fields, ...isActive, allow }
  const changed = await updateApp(needs.database, call.team.id, call.parameters.id, change)
  if (!changed) return noSuchApp(call.parameters.id)

  needs.accountsChanged()
  return { data: appOf(needs, changed.app, changed.keySealed) }
}

export const deleteApp: Handler<'deleteApp', AppCallNeeds> = async (needs, call) => {
  const deleted = await removeApp(needs.database, call.team.id, call.parameters.id)
  if (!deleted) return noSuchApp(call.parameters.id)

  needs.accountsChanged()
  needs.webhooksChanged()
  return {}
}

export const rotateAppKey: Handler<'rotateAppKey', AppCallNeeds> = async (needs, call) => {
  const key = await newAccounts.rotateAppKey(
    needs.database,
    needs,
    call.team.id,
    call.parameters.id,
  )
  if (key === null) return noSuchApp(call.parameters.id)
  needs.accountsChanged()

  // Somebody else may have deleted it in between, and then there is nothing to show.
  const found = await apps.findApp(needs.database, call.team.id, call.parameters.id)
  if (!found) return noSuchApp(call.parameters.id)
  return { data: wireApp(needs, found.app, key) }
}

function noSuchApp(id: string): Rejection {
  return new Rejection('not_found', `This team has no app ${id}.`)
}

function unknownNetwork(needs: AppCallNeeds, networks: readonly string[]): Rejection | null {
  const known = needs.networks().map(({ id }) => id)
  const unknown = networks.find((id) => !known.includes(id))
  if (unknown === undefined) return null
  const possible = known.length > 0 ? known.join(', ') : 'none'
  return new Rejection(
    'validation',
    `networks: ${unknown} is not configured here; possible are: ${possible}.`,
  )
}

function appOf(needs: AppCallNeeds, app: App, keySealed: string): WireApp {
  return wireApp(needs, app, newAccounts.openAppKey(needs, app.id, keySealed))
}

function wireApp(needs: AppCallNeeds, app: App, key: string): WireApp {
  const served = needs.networks().filter(({ id }) => app.networks.includes(id))
  return {
    id: app.id,
    name: app.name,
    description: app.description,
    networks: app.networks,
    is_active: app.isActive,
    allow: app.allow,
    key,
    urls: Object.fromEntries(served.map(({ id, slug }) => [id, networkPathUrl(needs, slug, key)])),
    time_created: app.createdAtMs,
  }
}

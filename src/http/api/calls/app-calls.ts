import { readAllowChange } from '../../../core/access/read-allow-change.ts'
import type { AllowLists } from '../../../core/app.ts'
import { Rejection } from '../../../core/errors.ts'
import { unlessNamed } from '../../../tables/accounts/accounts-change.ts'
import * as apps from '../../../tables/accounts/apps.ts'
import * as newAccounts from '../../../tables/accounts/new-accounts.ts'
import { removeApp, updateApp } from '../../../tables/accounts/update-app.ts'
import type { Handler } from './handler.ts'
import type { AccountChangeNeeds } from './jwt-key-calls.ts'
import { refuseIfChanged } from './refuse-if-changed.ts'
import { type GivenField, sameNamed } from './same-named.ts'
import { appOf, type WireAppNeeds, wireApp } from './wire-app.ts'

export type AppCallNeeds = AccountChangeNeeds &
  WireAppNeeds & {
    webhooksChanged(webhookId?: string): void
  }

export const listApps: Handler<'listApps', AppCallNeeds> = async (needs, call) => {
  const found = await apps.listApps(needs.database, call.team.id)
  return { data: found.map((stored) => appOf(needs, stored)) }
}

export const getApp: Handler<'getApp', AppCallNeeds> = async (needs, call) => {
  const found = await apps.findApp(needs.database, call.team.id, call.parameters.id)
  if (!found) return noSuchApp(call.parameters.id)
  return { data: appOf(needs, found) }
}

export const createApp: Handler<'createApp', AppCallNeeds> = async (needs, call) => {
  const { name, description = '', networks } = call.body
  const unknown = unknownNetwork(needs, networks)
  if (unknown) return unknown
  const allow = readAllowChange(call.body.allow ?? {})
  if (allow instanceof Rejection) return allow

  const fields = { name, description, networks, allow }
  const isByName = call.parameters.by_name === 'true'
  const outcome = await unlessNamed(
    needs.database,
    async (tx) => (isByName ? apps.findAppsNamed(tx, call.team.id, name) : []),
    (tx) => newAccounts.addApp(tx, needs, call.team.id, fields),
  )
  if ('named' in outcome) {
    const given = { networks, description: call.body.description, allow }
    const found = sameNamed(outcome.named, { id: ({ app }) => app.id, fields: givenIn(given) })
    return found instanceof Rejection ? found : { data: appOf(needs, found) }
  }
  const created = outcome.made
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
  const { id, 'If-Match': ifMatch } = call.parameters
  const guard = (found: apps.StoredApp) => refuseIfChanged(ifMatch, { data: appOf(needs, found) })
  const changed = await updateApp(needs.database, call.team.id, id, change, guard)
  if (changed instanceof Rejection) return changed
  if (!changed) return noSuchApp(id)

  needs.accountsChanged()
  return { data: appOf(needs, changed) }
}

export const deleteApp: Handler<'deleteApp', AppCallNeeds> = async (needs, call) => {
  const { id, 'If-Match': ifMatch } = call.parameters
  const guard = (found: apps.StoredApp) => refuseIfChanged(ifMatch, { data: appOf(needs, found) })
  const deleted = await removeApp(needs.database, call.team.id, id, guard)
  if (deleted instanceof Rejection) return deleted
  if (!deleted) return noSuchApp(id)

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

/** The fields that a new app was to have, beside those of one that is there. */
function givenIn(given: {
  networks: readonly string[]
  description: string | undefined
  allow: Partial<AllowLists>
}) {
  return ({ app }: apps.StoredApp): GivenField[] => [
    ['networks', given.networks, app.networks],
    ['description', given.description, app.description],
    ['allow.origins', given.allow.origins, app.allow.origins],
    ['allow.ips', given.allow.ips, app.allow.ips],
    ['allow.methods', given.allow.methods, app.allow.methods],
    ['allow.contracts', given.allow.contracts, app.allow.contracts],
  ]
}

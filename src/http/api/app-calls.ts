import type { App } from '../../core/app.ts'
import { Rejection } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import type { Entropy } from '../../ports/entropy.ts'
import type { Secrets } from '../../ports/secrets.ts'
import { removeApp, updateApp } from '../../tables/accounts/app-changes.ts'
import * as apps from '../../tables/accounts/apps.ts'
import * as newAccounts from '../../tables/accounts/new-accounts.ts'
import type * as wire from '../contract/contract.ts'
import { pathUrl } from '../edge/network-url.ts'
import type { TeamCall } from './api-call.ts'

export type AppCallNeeds = {
  database: Database
  clock: Clock
  entropy: Entropy
  secrets: Secrets
  networks(): readonly { id: string; slug: string }[]
  publicUrl: string
  /** Tells the other processes at once; without it they would find out by polling. */
  accountsChanged(): void
  webhooksChanged(webhookId?: string): void
}

type AppReply = { data: wire.App }

export async function listApps(needs: AppCallNeeds, call: TeamCall): Promise<{ data: wire.App[] }> {
  const found = await apps.listApps(needs.database, call.team.id)
  return { data: found.map(({ app, keySealed }) => appOf(needs, app, keySealed)) }
}

export async function getApp(needs: AppCallNeeds, call: TeamCall): Promise<AppReply | Rejection> {
  const found = await apps.findApp(needs.database, call.team.id, appId(call))
  if (!found) return noSuchApp(call)
  return { data: appOf(needs, found.app, found.keySealed) }
}

export async function createApp(
  needs: AppCallNeeds,
  call: TeamCall,
): Promise<AppReply | Rejection> {
  const { name, description = '', networks } = call.body as wire.NewApp
  const unknown = unknownNetwork(needs, networks)
  if (unknown) return unknown

  const fields = { name, description, networks }
  const created = await newAccounts.createApp(needs.database, needs, call.team.id, fields)
  if (created instanceof Rejection) return created

  needs.accountsChanged()
  return { data: wireApp(needs, created.app, created.key) }
}

export async function changeApp(
  needs: AppCallNeeds,
  call: TeamCall,
): Promise<AppReply | Rejection> {
  const { is_active, ...fields } = call.body as wire.AppChange
  const unknown = unknownNetwork(needs, fields.networks ?? [])
  if (unknown) return unknown

  const change = is_active === undefined ? fields : { ...fields, isActive: is_active }
  const changed = await updateApp(needs.database, call.team.id, appId(call), change)
  if (!changed) return noSuchApp(call)

  needs.accountsChanged()
  return { data: appOf(needs, changed.app, changed.keySealed) }
}

export async function deleteApp(
  needs: AppCallNeeds,
  call: TeamCall,
): Promise<Record<string, never> | Rejection> {
  const deleted = await removeApp(needs.database, call.team.id, appId(call))
  if (!deleted) return noSuchApp(call)

  needs.accountsChanged()
  needs.webhooksChanged()
  return {}
}

export async function rotateAppKey(
  needs: AppCallNeeds,
  call: TeamCall,
): Promise<AppReply | Rejection> {
  const key = await newAccounts.rotateAppKey(needs.database, needs, call.team.id, appId(call))
  if (key === null) return noSuchApp(call)
  needs.accountsChanged()

  // Somebody else may have deleted it in between, and then there is nothing to show.
  const found = await apps.findApp(needs.database, call.team.id, appId(call))
  if (!found) return noSuchApp(call)
  return { data: wireApp(needs, found.app, key) }
}

function appId(call: TeamCall): string {
  return String(call.parameters.id)
}

function noSuchApp(call: TeamCall): Rejection {
  return new Rejection('not_found', `This team has no app ${appId(call)}.`)
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

function appOf(needs: AppCallNeeds, app: App, keySealed: string): wire.App {
  return wireApp(needs, app, newAccounts.openAppKey(needs, app.id, keySealed))
}

function wireApp(needs: AppCallNeeds, app: App, key: string): wire.App {
  const served = needs.networks().filter(({ id }) => app.networks.includes(id))
  return {
    id: app.id,
    name: app.name,
    description: app.description,
    networks: app.networks,
    is_active: app.isActive,
    key,
    urls: Object.fromEntries(served.map(({ id, slug }) => [id, pathUrl(needs, slug, key)])),
    time_created: app.createdAtMs,
  }
}

import type { Team, Tier } from '../../../core/billing/plan.ts'
import { Rejection } from '../../../core/errors.ts'
import { changeAccounts, unlessNamed } from '../../../tables/accounts/accounts-change.ts'
import * as newAccounts from '../../../tables/accounts/new-accounts.ts'
import * as teams from '../../../tables/accounts/teams.ts'
import type { WireTeam, WireTierLimits } from '../../contract/contract.ts'
import { noSuchTeam } from '../acting-team.ts'
import type { ManagementApi } from '../management-api.ts'
import type { Handler } from './handler.ts'
import { refuseIfChanged } from './refuse-if-changed.ts'
import { sameNamed } from './same-named.ts'

export const getTeam: Handler<'getTeam'> = async (api, call) => {
  return { data: wireTeam(api, call.team) }
}

export const changeTeam: Handler<'changeTeam'> = async (api, call) => {
  const change = call.body
  if (change.tier !== undefined && call.caller.kind !== 'operator') {
    return new Rejection('forbidden', 'tier can only be changed with the operator’s token.')
  }
  const unknown = change.tier === undefined ? null : unknownTier(api, change.tier)
  if (unknown) return unknown

  const ifMatch = call.parameters['If-Match']
  const team = await changeAccounts(api.database, async (tx) => {
    const found = await teams.findTeam(tx, call.team.id)
    const refused = found && refuseIfChanged(ifMatch, { data: wireTeam(api, found) })
    return refused ?? teams.changeTeam(tx, call.team.id, change)
  })
  if (team instanceof Rejection) return team
  if (!team) return noSuchTeam(call.team.id)

  api.accountsChanged()
  return { data: wireTeam(api, team) }
}

export const listTiers: Handler<'listTiers'> = async (api) => {
  const tiers = [...api.tiers.values()]
  return { data: tiers.map((tier) => ({ name: tier.name, limits: wireLimits(tier) })) }
}

export const listTeams: Handler<'listTeams'> = async (api) => {
  const found = await teams.listTeams(api.database)
  return { data: found.map((team) => wireTeam(api, team)) }
}

export const getTeamById: Handler<'getTeamById'> = async (api, call) => {
  const found = await teams.findTeam(api.database, call.parameters.id)
  return found ? { data: wireTeam(api, found) } : noSuchTeam(call.parameters.id)
}

export const createTeam: Handler<'createTeam'> = async (api, call) => {
  const { name, tier } = call.body
  const unknown = unknownTier(api, tier)
  if (unknown) return unknown

  const isByName = call.parameters.by_name === 'true'
  const outcome = await unlessNamed(
    api.database,
    async (tx) => (isByName ? teams.listTeams(tx, name) : []),
    (tx) => newAccounts.addTeam(tx, api, { name, tier }),
  )
  if ('named' in outcome) {
    const found = sameNamed(outcome.named, {
      id: ({ id }) => id,
      fields: (team) => [['tier', tier, team.tier]],
    })
    if (found instanceof Rejection) return found
    return { data: { id: found.id, token: null, token_id: null } }
  }
  const created = outcome.made
  api.accountsChanged()
  return { data: { id: created.team.id, token: created.token, token_id: created.tokenId } }
}

function unknownTier(api: ManagementApi, tier: string): Rejection | null {
  if (api.tiers.has(tier)) return null
  const possible = [...api.tiers.keys()].join(', ')
  return new Rejection('validation', `tier: ${tier} is not configured; possible are: ${possible}.`)
}

function wireTeam(api: ManagementApi, team: Team): WireTeam {
  const tier = api.tiers.get(team.tier)
  return {
    id: team.id,
    name: team.name,
    tier: team.tier,
    autoscaling: team.autoscaling,
    limits: tier ? wireLimits(tier) : null,
    time_created: team.createdAtMs,
  }
}

function wireLimits(tier: Tier): WireTierLimits {
  return {
    monthly_cu: tier.monthlyCu,
    cu_per_second: tier.cuPerSecond,
    paid: tier.paid,
    webhooks: tier.webhooksMax,
    variable_items: tier.variableItemsMax,
    undelivered_bytes: tier.undeliveredBytesMax,
  }
}

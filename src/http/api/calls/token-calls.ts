import { Rejection } from '../../../core/errors.ts'
import { createTeamToken as makeToken } from '../../../tables/accounts/new-accounts.ts'
import { revokeToken } from '../../../tables/accounts/revoke-token.ts'
import { findTeam } from '../../../tables/accounts/teams.ts'
import * as tokens from '../../../tables/accounts/tokens.ts'
import { noSuchTeam } from '../acting-team.ts'
import type { ManagementApi } from '../management-api.ts'
import type { ApiCaller, Handler } from './handler.ts'

export const listTeamTokens: Handler<'listTeamTokens'> = (api, call) => {
  return tokensOf(api, call.team.id)
}

export const createTeamToken: Handler<'createTeamToken'> = (api, call) => {
  return addToken(api, call.team.id, call.body.name)
}

export const deleteTeamToken: Handler<'deleteTeamToken'> = (api, call) => {
  return revoke(api, call.caller, call.parameters.id, call.team.id)
}

export const listTokens: Handler<'listTokens'> = async (api, call) => {
  const team = await findTeam(api.database, call.parameters.id)
  return team ? tokensOf(api, team.id) : noSuchTeam(call.parameters.id)
}

export const createToken: Handler<'createToken'> = async (api, call) => {
  const team = await findTeam(api.database, call.parameters.id)
  if (!team) return noSuchTeam(call.parameters.id)

  const { name = 'token' } = call.body ?? {}
  return addToken(api, team.id, name)
}

export const deleteToken: Handler<'deleteToken'> = (api, call) => {
  return revoke(api, call.caller, call.parameters.id, null)
}

async function tokensOf(api: ManagementApi, teamId: string) {
  const found = await tokens.listTokens(api.database, teamId)
  return {
    data: found.map(({ id, name, createdAtMs }) => ({ id, name, time_created: createdAtMs })),
  }
}

async function addToken(api: ManagementApi, teamId: string, name: string) {
  const created = await makeToken(api.database, api, teamId, name)
  if (created instanceof Rejection) return created

  api.accountsChanged()
  return { data: created }
}

/** Any token, or only one of that team. */
async function revoke(
  api: ManagementApi,
  { token }: ApiCaller,
  id: string,
  teamId: string | null,
): Promise<Record<string, never> | Rejection> {
  // The only way to lock oneself out for good, so it takes another token to do it.
  if (id === token?.id) return new Rejection('validation', 'id: a token cannot revoke itself.')

  const isRevoked = await revokeToken(api.database, id, teamId)
  if (!isRevoked) return new Rejection('not_found', `There is no token ${id}.`)

  api.accountsChanged()
  return {}
}

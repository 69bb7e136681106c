import { Rejection } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Database } from '../../../ports/database.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import { createTeamToken as makeToken } from '../../../tables/accounts/new-accounts.ts'
import { revokeToken } from '../../../tables/accounts/revoke-token.ts'
import { findTeam } from '../../../tables/accounts/teams.ts'
import * as tokens from '../../../tables/accounts/tokens.ts'
import type { ApiCaller, Handler } from './handler.ts'

export type TokenCallNeeds = {
  database: Database
  clock: Clock
  entropy: Entropy
  accountsChanged(): void
}

export const listTeamTokens: Handler<'listTeamTokens', TokenCallNeeds> = (needs, call) => {
  return tokensOf(needs, call.team.id)
}

export const createTeamToken: Handler<'createTeamToken', TokenCallNeeds> = (needs, call) => {
  return addToken(needs, call.team.id, call.body.name)
}

export const deleteTeamToken: Handler<'deleteTeamToken', TokenCallNeeds> = (needs, call) => {
  return revoke(needs, call.caller, call.parameters.id, call.team.id)
}

export const listTokens: Handler<'listTokens', TokenCallNeeds> = async (needs, call) => {
  const team = await findTeam(needs.database, call.parameters.id)
  return team ? tokensOf(needs, team.id) : noSuchTeam(call.parameters.id)
}

export const createToken: Handler<'createToken', TokenCallNeeds> = async (needs, call) => {
  const team = await findTeam(needs.database, call.parameters.id)
  if (!team) return noSuchTeam(call.parameters.id)

  const { name = 'token' } = call.body ?? {}
  return addToken(needs, team.id, name)
}

export const deleteToken: Handler<'deleteToken', TokenCallNeeds> = (needs, call) => {
  return revoke(needs, call.caller, call.parameters.id, null)
}

async function tokensOf(needs: TokenCallNeeds, teamId: string) {
  const found = await tokens.listTokens(needs.database, teamId)
  return {
    data: found.map(({ id, name, createdAtMs }) => ({ id, name, time_created: createdAtMs })),
  }
}

async function addToken(needs: TokenCallNeeds, teamId: string, name: string) {
  const created = await makeToken(needs.database, needs, teamId, name)
  if (created instanceof Rejection) return created

  needs.accountsChanged()
  return { data: created }
}

/** Any token, or only one of that team. */
async function revoke(
  needs: TokenCallNeeds,
  { token }: ApiCaller,
  id: string,
  teamId: string | null,
): Promise<Record<string, never> | Rejection> {
  // The only way to lock oneself out for good, so it takes another token to do it.
  if (id === token?.id) return new Rejection('validation', 'id: a token cannot revoke itself.')

  const isRevoked = await revokeToken(needs.database, id, teamId)
  if (!isRevoked) return new Rejection('not_found', `There is no token ${id}.`)

  needs.accountsChanged()
  return {}
}

function noSuchTeam(id: string): Rejection {
  return new Rejection('not_found', `There is no team ${id}.`)
}

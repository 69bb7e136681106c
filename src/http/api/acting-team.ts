import type { Team } from '../../core/billing/plan.ts'
import { Rejection } from '../../core/errors.ts'
import { findTeam } from '../../tables/accounts/teams.ts'
import type { ApiCaller } from './calls/handler.ts'
import type { ParameterValues } from './check-request.ts'
import type { ManagementApi } from './management-api.ts'

/** The team a call is made for: the caller's own, or the one that the operator names. */
export async function actingTeam(
  api: ManagementApi,
  caller: ApiCaller,
  parameters: ParameterValues,
): Promise<Team | Rejection> {
  const id = teamId(caller, parameters)
  if (id instanceof Rejection) return id

  const team = await findTeam(api.database, id)
  return team ?? noSuchTeam(id)
}

export function noSuchTeam(id: string): Rejection {
  return new Rejection('not_found', `There is no team ${id}.`)
}

/** Refuses a thing that does not exist or is another team's: the caller cannot tell which. */
export function noSuch(what: string): Rejection {
  return new Rejection('not_found', `This team has no ${what}.`)
}

function teamId(caller: ApiCaller, parameters: ParameterValues): string | Rejection {
  const { 'X-Team-Id': header, team_id: query } = parameters
  if (header !== undefined && query !== undefined && header !== query) {
    return new Rejection('validation', 'X-Team-Id and team_id name different teams.')
  }

  const named = header ?? query
  if (caller.teamId !== null) {
    if (named === undefined || named === caller.teamId) return caller.teamId
    return new Rejection('forbidden', 'This token belongs to another team than the one you name.')
  }
  if (named !== undefined) return String(named)
  return new Rejection(
    'validation',
    'X-Team-Id is missing: the operator’s token belongs to no team, so name one with this ' +
      'header or with the query parameter team_id.',
  )
}

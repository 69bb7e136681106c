import { Rejection } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Database } from '../../../ports/database.ts'
import * as sessions from '../../../tables/accounts/sessions.ts'
import { findTeam } from '../../../tables/accounts/teams.ts'
import type { WireListedSession, WireSession } from '../../contract/contract.ts'
import { OPEN_API } from '../../contract/open-api-document.ts'
import { actingTeam } from '../acting-team.ts'
import type { LocalSignIn } from '../authenticate.ts'
import { cookieReply } from '../calls/api-reply.ts'
import type { ApiCaller, Handler } from '../calls/handler.ts'
import { CLEARED_COOKIE } from './session-cookie.ts'

export type SessionCallNeeds = {
  database: Database
  clock: Clock
  publicUrl: string
  /** Null outside of local development. */
  localSignIn: LocalSignIn | null
}

export const getSession: Handler<'getSession', SessionCallNeeds> = async (needs, call) => {
  return { data: await wireSession(needs, call.session) }
}

export const signOut: Handler<'signOut', SessionCallNeeds> = async (needs, { session }) => {
  await sessions.deleteSession(needs.database, session.teamId, session.id)
  return cookieReply({}, CLEARED_COOKIE)
}

export const listSessions: Handler<'listSessions', SessionCallNeeds> = async (needs, call) => {
  const teamId = await teamAskedFor(needs, call)
  if (teamId instanceof Rejection) return teamId

  const nowMs = needs.clock.nowMs()
  const found = await sessions.listSessions(needs.database, teamId, nowMs)
  return { data: found.map((session) => listed(session, call.caller)) }
}

export const deleteSession: Handler<'deleteSession', SessionCallNeeds> = async (needs, call) => {
  const teamId = await teamAskedFor(needs, call)
  if (teamId instanceof Rejection) return teamId

  const { id } = call.parameters
  const isGone = await sessions.deleteSession(needs.database, teamId, id)
  if (!isGone) return new Rejection('not_found', `There is no session ${id}.`)
  return id === call.caller.session?.id ? cookieReply({}, CLEARED_COOKIE) : {}
}

/** The session as its own browser sees it, with what a page has to know of the instance. */
export async function wireSession(
  needs: SessionCallNeeds,
  session: sessions.Session,
): Promise<WireSession> {
  const team = session.teamId === null ? null : await findTeam(needs.database, session.teamId)
  return {
    id: session.id,
    kind: session.teamId === null ? 'operator' : 'team',
    team: team && { id: team.id, name: team.name, tier: team.tier },
    token: wireToken(session),
    local_development: needs.localSignIn !== null,
    version: OPEN_API.info.version,
    public_url: needs.publicUrl,
    time_created: session.createdAtMs,
    time_expires: session.expiresAtMs,
  }
}

function wireToken({ token }: sessions.Session): WireSession['token'] {
  return token && { id: token.id, name: token.name }
}

function listed(session: sessions.Session, caller: ApiCaller): WireListedSession {
  return {
    id: session.id,
    token: wireToken(session),
    address: session.address,
    user_agent: session.userAgent,
    time_created: session.createdAtMs,
    time_last_used: session.usedAtMs,
    time_expires: session.expiresAtMs,
    is_current: session.id === caller.session?.id,
  }
}

type Asking = {
  caller: ApiCaller
  parameters: { 'X-Team-Id': string | undefined; team_id: string | undefined }
}

/** The caller's own team, or the one that the operator names; null is the operator itself. */
async function teamAskedFor(
  needs: SessionCallNeeds,
  { caller, parameters }: Asking,
): Promise<string | null | Rejection> {
  const isNamed = (parameters['X-Team-Id'] ?? parameters.team_id) !== undefined
  if (caller.kind === 'operator' && !isNamed) return null
  const team = await actingTeam(needs, caller, parameters)
  return team instanceof Rejection ? team : team.id
}

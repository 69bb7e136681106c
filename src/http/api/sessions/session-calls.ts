import { isIP } from 'node:net'
import { hashKey } from '../../../core/access/hash-key.ts'
import { Rejection } from '../../../core/errors.ts'
import { newId, SECRET_LENGTH } from '../../../tables/accounts/new-accounts.ts'
import * as sessions from '../../../tables/accounts/sessions.ts'
import { findTeam } from '../../../tables/accounts/teams.ts'
import type { WireListedSession, WireSession } from '../../contract/contract.ts'
import { OPEN_API } from '../../contract/open-api-document.ts'
import { actingTeam } from '../acting-team.ts'
import { jsonReply } from '../calls/api-reply.ts'
import type { ApiCaller, Handler } from '../calls/handler.ts'
import type { ManagementApi } from '../management-api.ts'
import { isAskedOverTls, refuseOtherPages } from './own-origin.ts'
import { CLEARED_COOKIE, readSessionCookie, sessionCookie } from './session-cookie.ts'

export const getSession: Handler<'getSession'> = async (api, call) => {
  return { data: await wireSession(api, call.session) }
}

export const signOut: Handler<'signOut'> = async (api, { session }) => {
  await sessions.deleteSession(api.database, session.teamId, session.id)
  return jsonReply({}, 200, { 'set-cookie': CLEARED_COOKIE })
}

export const listSessions: Handler<'listSessions'> = async (api, call) => {
  const teamId = await teamAskedFor(api, call)
  if (teamId instanceof Rejection) return teamId

  const nowMs = api.clock.nowMs()
  const found = await sessions.listSessions(api.database, teamId, nowMs)
  return { data: found.map((session) => listed(session, call.caller)) }
}

export const deleteSession: Handler<'deleteSession'> = async (api, call) => {
  const teamId = await teamAskedFor(api, call)
  if (teamId instanceof Rejection) return teamId

  const { id } = call.parameters
  const isGone = await sessions.deleteSession(api.database, teamId, id)
  if (!isGone) return new Rejection('not_found', `There is no session ${id}.`)
  const isOwn = id === call.caller.session?.id
  return isOwn ? jsonReply({}, 200, { 'set-cookie': CLEARED_COOKIE }) : {}
}

async function wireSession(api: ManagementApi, session: sessions.Session): Promise<WireSession> {
  const team = session.teamId === null ? null : await findTeam(api.database, session.teamId)
  return {
    id: session.id,
    kind: session.teamId === null ? 'operator' : 'team',
    team: team && { id: team.id, name: team.name, tier: team.tier },
    token: session.token && { id: session.token.id, name: session.token.name },
    local_development: api.localSignIn !== null,
    version: OPEN_API.info.version,
    public_url: api.publicUrl,
    time_created: session.createdAtMs,
    time_expires: session.expiresAtMs,
  }
}

function listed(session: sessions.Session, caller: ApiCaller): WireListedSession {
  return {
    id: session.id,
    token: session.token && { id: session.token.id, name: session.token.name },
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
  api: ManagementApi,
  { caller, parameters }: Asking,
): Promise<string | null | Rejection> {
  const isNamed = (parameters['X-Team-Id'] ?? parameters.team_id) !== undefined
  if (caller.kind === 'operator' && !isNamed) return null
  const team = await actingTeam(api, caller, parameters)
  return team instanceof Rejection ? team : team.id
}

type SignInCall = Parameters<Handler<'signIn'>>[1]

type Holder = Pick<sessions.Session, 'token' | 'teamId'>

const USER_AGENT_LENGTH_MAX = 200

const UNKNOWN_TOKEN = new Rejection('unauthorized', 'The token is unknown or was revoked.')

const UNKNOWN_LINK = new Rejection(
  'unauthorized',
  'The link is not the one of this start; the terminal shows it.',
)

export const signIn: Handler<'signIn'> = async (api, call) => {
  const { headers, address } = call.visitor
  // Signed in by another's page, somebody would work for a team that is not theirs.
  const foreign = refuseOtherPages(api, { method: 'POST', headers })
  if (foreign) return foreign

  const holder = await holderOf(api, call)
  if (holder instanceof Rejection) return holder

  const before = readSessionCookie(headers)
  if (before) await sessions.deleteSessionByHash(api.database, hashKey(before))
  const secret = api.entropy.alphanumeric(SECRET_LENGTH)
  const signedIn = {
    ...holder,
    id: newId(api, 'ses'),
    address,
    userAgent: userAgentOf(headers),
    createdAtMs: api.clock.nowMs(),
  }
  const session = await sessions.insertSession(api.database, signedIn, hashKey(secret))

  const cookie = sessionCookie(secret, isAskedOverTls(api, headers))
  return jsonReply({ data: await wireSession(api, session) }, 200, { 'set-cookie': cookie })
}

async function holderOf(
  api: ManagementApi,
  { visitor, body }: SignInCall,
): Promise<Holder | Rejection> {
  const { token: secret, link } = body
  if (link !== undefined && secret === undefined) return holderOfLink(api, visitor, link)
  if (secret === undefined || link !== undefined) {
    return new Rejection('validation', 'Exactly one of token and link is needed.')
  }
  const token = await visitor.auth.token(secret, visitor.address, UNKNOWN_TOKEN)
  if (token instanceof Rejection) return token
  const { id, name, teamId } = token
  return { teamId, token: { id, name, hash: hashKey(secret) } }
}

/** The link is printed for whoever sits at the machine, and for nobody else. */
async function holderOfLink(
  { localSignIn }: ManagementApi,
  { address, auth }: SignInCall['visitor'],
  link: string,
): Promise<Holder | Rejection> {
  if (!localSignIn) {
    return new Rejection('forbidden', 'link: only local development has links; use a token.')
  }
  if (!isLoopback(address)) {
    const text = 'link: it works only in a browser on the machine itself; use a token.'
    return new Rejection('forbidden', text)
  }
  const teamId = await auth.link(link, address, UNKNOWN_LINK)
  return teamId instanceof Rejection ? teamId : { teamId, token: null }
}

function isLoopback(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
  return isIP(plain) === 4 ? plain.startsWith('127.') : plain === '::1'
}

/** Browsers say anything here: it is cut, and loses what a store or a terminal may stumble over. */
function userAgentOf(headers: Headers): string {
  const text = (headers.get('user-agent') ?? '').replace(/[\p{Cc}\p{Cs}]/gu, '')
  return text.slice(0, USER_AGENT_LENGTH_MAX).toWellFormed()
}

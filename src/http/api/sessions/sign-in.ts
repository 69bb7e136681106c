import { isIP } from 'node:net'
import { hashKey } from '../../../core/access/hash-key.ts'
import { Rejection } from '../../../core/errors.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import { newId, SECRET_LENGTH } from '../../../tables/accounts/new-accounts.ts'
import {
  deleteSessionByHash,
  insertSession,
  type Session,
} from '../../../tables/accounts/sessions.ts'
import { cookieReply } from '../calls/api-reply.ts'
import type { Handler } from '../calls/handler.ts'
import { isAskedOverTls, type OwnOrigins, refuseOtherPages } from './own-origin.ts'
import { type SessionCallNeeds, wireSession } from './session-calls.ts'
import { readSessionCookie, sessionCookie } from './session-cookie.ts'

export type SignInNeeds = SessionCallNeeds & OwnOrigins & { entropy: Entropy }

type Call = Parameters<Handler<'signIn', SignInNeeds>>[1]

/** The holder of a new session. */
type Holder = Pick<Session, 'token' | 'teamId'>

const USER_AGENT_LENGTH_MAX = 200

export const signIn: Handler<'signIn', SignInNeeds> = async (needs, call) => {
  const { headers, address } = call.visitor
  // Signed in by another's page, somebody would work for a team that is not theirs.
  const foreign = refuseOtherPages(needs, { method: 'POST', headers })
  if (foreign) return foreign

  const holder = await holderOf(needs, call)
  if (holder instanceof Rejection) return holder

  const before = readSessionCookie(headers)
  if (before) await deleteSessionByHash(needs.database, hashKey(before))
  const secret = needs.entropy.alphanumeric(SECRET_LENGTH)
  const signedIn = {
    ...holder,
    id: newId(needs, 'ses'),
    address,
    userAgent: userAgentOf(headers),
    createdAtMs: needs.clock.nowMs(),
  }
  const session = await insertSession(needs.database, signedIn, hashKey(secret))

  const cookie = sessionCookie(secret, isAskedOverTls(needs, headers))
  return cookieReply({ data: await wireSession(needs, session) }, cookie)
}

async function holderOf(needs: SignInNeeds, { visitor, body }: Call): Promise<Holder | Rejection> {
  const { token, link } = body
  if (token !== undefined && link === undefined) return holderOfToken(visitor, token)
  if (link !== undefined && token === undefined) return holderOfLink(needs, visitor, link)
  return new Rejection('validation', 'Exactly one of token and link is needed.')
}

async function holderOfToken(
  { checkToken }: Call['visitor'],
  secret: string,
): Promise<Holder | Rejection> {
  const token = await checkToken(secret)
  if (token instanceof Rejection) return token
  const { id, name, teamId } = token
  return { teamId, token: { id, name, hash: hashKey(secret) } }
}

/** The link is printed for whoever sits at the machine, and for nobody else. */
async function holderOfLink(
  { localSignIn }: SignInNeeds,
  { address, checkLink }: Call['visitor'],
  link: string,
): Promise<Holder | Rejection> {
  if (!localSignIn) {
    return new Rejection('forbidden', 'link: only local development has links; use a token.')
  }
  if (!isLoopback(address)) {
    const text = 'link: it works only in a browser on the machine itself; use a token.'
    return new Rejection('forbidden', text)
  }
  const teamId = await checkLink(link)
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

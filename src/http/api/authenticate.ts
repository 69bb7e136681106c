import { Failure, Rejection } from '../../core/errors.ts'
import { findSessionsByHash, noteUse, type Session } from '../../tables/accounts/sessions.ts'
import { findTokensByHash } from '../../tables/accounts/tokens.ts'
import { TOKEN_HEADER } from '../contract/openapi.ts'
import type { ApiCaller } from './calls/handler.ts'
import type { LocalSignIn, ManagementApi } from './management-api.ts'
import { openSecretChecks } from './secret-checks.ts'
import { refuseForeign } from './sessions/own-origin.ts'
import { readSessionCookie } from './sessions/session-cookie.ts'

export type Authenticator = ReturnType<typeof authenticator>

const MISSING = `The header ${TOKEN_HEADER} is missing.`

const UNKNOWN = new Rejection(
  'unauthorized',
  `The token in the header ${TOKEN_HEADER} is unknown or was revoked.`,
)

const ENDED = new Rejection('unauthorized', 'This session has ended; sign in again.', {
  endsSession: true,
})

export function authenticator(api: ManagementApi) {
  const checks = openSecretChecks(api.clock)
  const checkToken = checks.of((hashes) => findTokensByHash(api.database, hashes))
  const checkSession = checks.of((hashes) => findSessions(api, hashes))
  const checkLink = checks.of(async (hashes) => linksAmong(api.localSignIn, hashes))

  const byCookie = async (request: Request, clientAddress: string) => {
    const secret = readSessionCookie(request.headers)
    if (secret === null) return new Rejection('unauthorized', MISSING)

    const foreign = refuseForeign(api, request)
    if (foreign) return foreign

    const session = secret === '' ? ENDED : await checkSession(secret, clientAddress, ENDED)
    if (session instanceof Rejection) return session

    const refused = session.token ? checks.countCall(session.token.hash) : null
    if (refused) return refused

    await tryToNoteUse(api, session)
    const { teamId, token } = session
    return { kind: teamId === null ? 'operator' : 'team', teamId, token, session } as const
  }

  return {
    /** The caller of a request, by its token or else by its session. */
    async caller(request: Request, clientAddress: string): Promise<ApiCaller | Rejection> {
      const secret = readToken(request.headers, api.tokenHeaders)
      if (secret instanceof Rejection) return secret
      if (secret === null) return byCookie(request, clientAddress)

      const token = await checkToken(secret, clientAddress, UNKNOWN)
      if (token instanceof Rejection) return token
      return { kind: token.kind, teamId: token.teamId, token, session: null }
    },
    token: checkToken,
    /** The id of the team that the link of local development is for. */
    link: checkLink,
  }
}

/** A session without a token is one of local development, and counts for nothing elsewhere. */
async function findSessions(
  { database, clock, localSignIn }: ManagementApi,
  hashes: readonly string[],
): Promise<Map<string, Session>> {
  const found = await findSessionsByHash(database, hashes, clock.nowMs())
  if (localSignIn) return found
  return new Map([...found].filter(([, { token }]) => token !== null))
}

function linksAmong(link: LocalSignIn | null, hashes: readonly string[]): Map<string, string> {
  const good = hashes.filter((hash) => hash === link?.secretHash)
  return new Map(good.map((hash) => [hash, link?.teamId ?? '']))
}

/** A store that cannot be written may still be read. */
async function tryToNoteUse({ database, clock }: ManagementApi, session: Session): Promise<void> {
  try {
    await noteUse(database, session, clock.nowMs())
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown
  }
}

/** The token that a request carries in whichever of the headers; null when in none. */
function readToken(headers: Headers, further: readonly string[]): string | null | Rejection {
  let token: string | null = null
  let from = TOKEN_HEADER
  for (const name of [TOKEN_HEADER, ...further]) {
    const given = headers.get(name)
    if (!given || given === token) continue
    if (token !== null) {
      // Nobody can tell which of them was meant.
      const text = `The headers ${from} and ${name} carry different tokens.`
      return new Rejection('unauthorized', text)
    }
    token = given
    from = name
  }
  return token
}

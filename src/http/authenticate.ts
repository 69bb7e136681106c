import { Rejection } from '../core/errors.ts'
import { hashKey } from '../core/key-hash.ts'
import type { Clock } from '../ports/clock.ts'
import type { Database } from '../ports/database.ts'
import { findTokenByHash, type Token } from '../tables/tokens.ts'
import { windowLimiter } from './window-limiter.ts'

type Needs = { database: Database; clock: Clock }

/** Whose token is this? Refuses unknown ones, and known ones that ask too often. */
export type Authenticate = (
  secret: string | null,
  clientAddress: string,
) => Promise<Token | Rejection>

/** Management calls a second with one token; people and scripts stay far below it. */
const CALLS_PER_SECOND_MAX = 100
const CALL_WINDOW_MS = 1000

/** Unknown tokens from one address in ten seconds: room for a typo, none for a search. */
const FAILURES_MAX = 20
const FAILURE_WINDOW_MS = 10_000

/** Tokens or addresses counted at once; some 100 bytes each. */
const KEYS_MAX = 10_000

/** Every token has 32 characters; what is far longer is not worth hashing. */
const SECRET_LENGTH_MAX = 200

export function authenticator(needs: Needs): Authenticate {
  const calls = windowLimiter(needs, {
    countMax: CALLS_PER_SECOND_MAX,
    windowMs: CALL_WINDOW_MS,
    keysMax: KEYS_MAX,
  })
  const failures = windowLimiter(needs, {
    countMax: FAILURES_MAX,
    windowMs: FAILURE_WINDOW_MS,
    keysMax: KEYS_MAX,
  })
  const goodBefore = boundedSet(KEYS_MAX)

  return async (secret, clientAddress) => {
    const hash = hashKey((secret ?? '').slice(0, SECRET_LENGTH_MAX))

    // Behind a proxy everybody has one address: a stranger's failures there must
    // not lock out those whose tokens are good.
    const failureWaitS = goodBefore.has(hash) ? 0 : failures.waitS(clientAddress)
    if (failureWaitS > 0) {
      return tooMany('Too many calls with unknown tokens came from your address.', failureWaitS)
    }

    const callWaitS = calls.waitS(hash)
    if (callWaitS > 0) {
      return tooMany(`A token may make ${CALLS_PER_SECOND_MAX} calls a second.`, callWaitS)
    }
    calls.add(hash)

    const token = secret ? await findTokenByHash(needs.database, hash) : null
    if (!token) {
      goodBefore.delete(hash)
      failures.add(clientAddress)
      return new Rejection('unauthorized', unauthorizedText(secret))
    }

    goodBefore.add(hash)
    return token
  }
}

function tooMany(message: string, retryAfterS: number): Rejection {
  return new Rejection('too_many_requests', message, { retryAfterS })
}

function unauthorizedText(secret: string | null): string {
  if (!secret) return 'The header X-Service-Token is missing.'
  return 'The token in the header X-Service-Token is unknown or was revoked.'
}

function boundedSet(sizeMax: number) {
  const members = new Set<string>()
  return {
    has: (member: string) => members.has(member),
    delete: (member: string) => members.delete(member),
    add(member: string) {
      if (!members.has(member) && members.size >= sizeMax) members.clear()
      members.add(member)
    },
  }
}

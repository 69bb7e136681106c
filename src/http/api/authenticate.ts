import { Rejection } from '../../core/errors.ts'
import { hashKey } from '../../core/hash-key.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import { findTokenByHash, type Token } from '../../tables/accounts/tokens.ts'
import { TOKEN_HEADER } from '../contract/openapi.ts'
import { windowLimiter } from '../edge/window-limiter.ts'
import { readToken } from './read-token.ts'
import { openTokenLookups } from './token-lookups.ts'

type Needs = {
  database: Database
  clock: Clock
  /** Further headers that may carry the token. */
  tokenHeaders: readonly string[]
}

/** Finds the token of a request. Refuses unknown ones, and known ones that ask too often. */
export type Authenticate = (headers: Headers, clientAddress: string) => Promise<Token | Rejection>

/** Management calls a second with one token; people and scripts stay far below it. */
const CALLS_PER_SECOND_MAX = 100
const CALL_WINDOW_MS = 1000

/**
 * Unknown tokens from one address in ten seconds that are looked up at once. Later ones wait a
 * moment and are looked up together.
 */
const FAILURES_MAX = 20
const FAILURE_WINDOW_MS = 10_000

/** Tokens or addresses counted at once; some 100 bytes each. */
const KEYS_MAX = 10_000

/** Every token has 32 characters; a far longer text is not worth hashing. */
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
  const lookups = openTokenLookups(needs)

  const find = async (secret: string | null, hash: string, amongGuesses: boolean) => {
    if (!secret) return null
    return amongGuesses ? lookups.find(hash) : findTokenByHash(needs.database, hash)
  }

  return async (headers, clientAddress) => {
    const secret = readToken(headers, needs.tokenHeaders)
    if (secret instanceof Rejection) return secret
    const hash = hashKey((secret ?? '').slice(0, SECRET_LENGTH_MAX))

    const callWaitS = calls.waitS(hash)
    if (callWaitS > 0) {
      return tooMany(`A token may make ${CALLS_PER_SECOND_MAX} calls a second.`, callWaitS)
    }
    calls.add(hash)

    // Behind a proxy everybody has one address: a stranger's failures there must
    // not lock out those whose tokens are good, known here or not.
    const failureWaitS = goodBefore.has(hash) ? 0 : failures.waitS(clientAddress)
    const token = await find(secret, hash, failureWaitS > 0)
    if (token instanceof Rejection) return token
    if (!token) {
      goodBefore.delete(hash)
      failures.add(clientAddress)
      if (failureWaitS === 0) return new Rejection('unauthorized', unauthorizedText(secret))
      return tooMany('Too many calls with unknown tokens came from your address.', failureWaitS)
    }

    goodBefore.add(hash)
    return token
  }
}

function tooMany(message: string, retryAfterS: number): Rejection {
  return new Rejection('too_many_requests', message, { retryAfterS })
}

function unauthorizedText(secret: string | null): string {
  if (!secret) return `The header ${TOKEN_HEADER} is missing.`
  return `The token in the header ${TOKEN_HEADER} is unknown or was revoked.`
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

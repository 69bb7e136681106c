import { hashKey } from '../../core/access/hash-key.ts'
import { Rejection } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import { windowLimiter } from '../edge/window-limiter.ts'
import { openSecretLookups, type SecretSource } from './secret-lookups.ts'

/** The owner of a secret. Refuses unknown ones, and known ones that come too often. */
export type SecretCheck<T> = (
  secret: string,
  clientAddress: string,
  unknown: Rejection,
) => Promise<T | Rejection>

/** The limits on guessing, which all kinds of secrets share. */
export type SecretChecks = {
  of<T>(source: SecretSource<T>): SecretCheck<T>
  /** Counts a call for the token of this hash; a rejection when it has made too many. */
  countCall(sha256Hex: string): Rejection | null
}

/** Management calls a second with one token; people and scripts stay far below it. */
const CALLS_PER_SECOND_MAX = 100
const CALL_WINDOW_MS = 1000

/**
 * Unknown secrets from one address in ten seconds that are looked up at once. Later ones wait a
 * moment and are looked up together.
 */
const FAILURES_MAX = 20
const FAILURE_WINDOW_MS = 10_000

/** Secrets or addresses counted at once; some 100 bytes each. */
const KEYS_MAX = 10_000

/** Every secret has 32 characters; a far longer text is not worth hashing. */
const SECRET_LENGTH_MAX = 200

export function openSecretChecks(clock: Clock): SecretChecks {
  const calls = windowLimiter(clock, {
    countMax: CALLS_PER_SECOND_MAX,
    windowMs: CALL_WINDOW_MS,
    keysMax: KEYS_MAX,
  })
  const failures = windowLimiter(clock, {
    countMax: FAILURES_MAX,
    windowMs: FAILURE_WINDOW_MS,
    keysMax: KEYS_MAX,
  })
  const goodBefore = boundedSet(KEYS_MAX)

  const countCall = (hash: string): Rejection | null => {
    const waitS = calls.waitS(hash)
    if (waitS > 0) return tooMany(`A token may make ${CALLS_PER_SECOND_MAX} calls a second.`, waitS)
    calls.add(hash)
    return null
  }

  const of = <T>(source: SecretSource<T>): SecretCheck<T> => {
    const lookups = openSecretLookups(clock, source)
    const findAtOnce = async (hash: string) => (await source([hash])).get(hash) ?? null

    return async (secret, clientAddress, unknown) => {
      const hash = hashKey(secret.slice(0, SECRET_LENGTH_MAX))
      const refused = countCall(hash)
      if (refused) return refused

      // Behind a proxy everybody has one address: a stranger's failures there must
      // not lock out those whose secrets are good, known here or not.
      const failureWaitS = goodBefore.has(hash) ? 0 : failures.waitS(clientAddress)
      const found = await (failureWaitS > 0 ? lookups.find(hash) : findAtOnce(hash))
      if (found instanceof Rejection) return found
      if (found === null) {
        goodBefore.delete(hash)
        failures.add(clientAddress)
        if (failureWaitS === 0) return unknown
        return tooMany('Too many calls with unknown tokens came from your address.', failureWaitS)
      }

      goodBefore.add(hash)
      return found
    }
  }

  return { of, countCall }
}

function tooMany(message: string, retryAfterS: number): Rejection {
  return new Rejection('too_many_requests', message, { retryAfterS })
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

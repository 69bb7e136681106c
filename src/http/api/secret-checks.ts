import { hashKey } from '../../core/access/hash-key.ts'
import { Rejection } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import { windowLimiter } from '../edge/window-limiter.ts'
import { openSecretLookups, type SecretSource, TOO_MANY_UNKNOWN } from './secret-lookups.ts'

/** The owner of a secret. Refuses unknown ones, and known ones that come too often. */
export type SecretCheck<T> = (
  secret: string,
  clientAddress: string,
  unknown: Rejection,
) => Promise<T | Rejection>

/** Management calls a second with one token; people and scripts stay far below it. */
const CALLS_PER_SECOND_MAX = 100
const CALL_WINDOW_MS = 1000

/**
 * Unknown secrets from one address in ten seconds that are looked up at once. Later ones wait a
 * moment and are looked up together.
 */
const FAILURES_MAX = 20
const FAILURE_WINDOW_MS = 10_000

/** Good secrets that are remembered; some 100 bytes each. */
const GOOD_MAX = 10_000

/** Every secret has 32 characters; a far longer text is not worth hashing. */
const SECRET_LENGTH_MAX = 200

/** The limits on guessing, which all kinds of secrets share. */
export function openSecretChecks(clock: Clock) {
  const { take: countCall } = windowLimiter(clock, {
    countMax: CALLS_PER_SECOND_MAX,
    windowMs: CALL_WINDOW_MS,
    refusal: `A token may make ${CALLS_PER_SECOND_MAX} calls a second.`,
  })
  const failures = windowLimiter(clock, {
    countMax: FAILURES_MAX,
    windowMs: FAILURE_WINDOW_MS,
    refusal: TOO_MANY_UNKNOWN,
  })
  const goodBefore = new Set<string>()

  const of = <T>(source: SecretSource<T>): SecretCheck<T> => {
    const lookups = openSecretLookups(clock, source)
    const findAtOnce = async (hash: string) => (await source([hash])).get(hash) ?? null

    return async (secret, clientAddress, unknown) => {
      const hash = hashKey(secret.slice(0, SECRET_LENGTH_MAX))
      const refused = countCall(hash)
      if (refused) return refused

      // Behind a proxy everybody has one address: a stranger's failures there must
      // not lock out those whose secrets are good, known here or not.
      const guessing = goodBefore.has(hash) ? null : failures.refuse(clientAddress)
      const found = await (guessing ? lookups.find(hash) : findAtOnce(hash))
      if (found instanceof Rejection) return found
      if (found === null) {
        goodBefore.delete(hash)
        failures.add(clientAddress)
        return guessing ?? unknown
      }

      if (goodBefore.size >= GOOD_MAX) goodBefore.clear()
      goodBefore.add(hash)
      return found
    }
  }

  return { of, countCall }
}

import { Rejection } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'

export type SecretSource<T> = (sha256Hexes: readonly string[]) => Promise<ReadonlyMap<string, T>>

type Round<T> = { hashes: Set<string>; found: Promise<ReadonlyMap<string, T>> }

export const TOO_MANY_UNKNOWN = 'Too many calls with unknown tokens came from your address.'

/** The store is asked for one round in this time at most, however much is guessed. */
const ROUND_EVERY_MS = 50

/** About as many requests as the process answers in that time. */
const ROUND_HASHES_MAX = 1_000

/**
 * Secrets that come within a moment are looked up together: guesses cost the store a bounded number
 * of look-ups by index, and a good one among them is always found.
 */
export function openSecretLookups<T>(clock: Clock, findAll: SecretSource<T>) {
  let gathering: Round<T> | null = null
  let last: Promise<unknown> = Promise.resolve()

  const startRound = (): Round<T> => {
    const hashes = new Set<string>()
    const found = last
      .catch(() => {})
      .then(() => clock.sleep(ROUND_EVERY_MS))
      .then(() => {
        gathering = null
        return findAll([...hashes])
      })
    last = found
    return { hashes, found }
  }

  return {
    /** Null for an unknown one; refused when too many are being looked up. */
    async find(hash: string): Promise<T | null | Rejection> {
      gathering ??= startRound()
      const round = gathering
      if (round.hashes.size >= ROUND_HASHES_MAX && !round.hashes.has(hash)) {
        return new Rejection('too_many_requests', TOO_MANY_UNKNOWN, { retryAfterS: 1 })
      }
      round.hashes.add(hash)
      return (await round.found).get(hash) ?? null
    },
  }
}

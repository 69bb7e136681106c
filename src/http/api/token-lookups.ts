import { Rejection } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import { findTokensByHash, type Token } from '../../tables/accounts/tokens.ts'

type Needs = { database: Database; clock: Pick<Clock, 'sleep'> }

/** Looks tokens up for callers among whom many guess. */
export type TokenLookups = {
  /** Null for an unknown one; refused when too many are being looked up. */
  find(sha256Hex: string): Promise<Token | null | Rejection>
}

type Round = { hashes: Set<string>; found: Promise<ReadonlyMap<string, Token>> }

/** The store is asked for one round in this time at most, however much is guessed. */
const ROUND_EVERY_MS = 50

/** About as many requests as the process answers in that time. */
const ROUND_HASHES_MAX = 1_000

/**
 * Tokens that come within a moment are looked up together: guesses cost the store a bounded number
 * of look-ups by index, and a good token among them is always found.
 */
export function openTokenLookups({ database, clock }: Needs): TokenLookups {
  let gathering: Round | null = null
  let last: Promise<unknown> = Promise.resolve()

  const startRound = (): Round => {
    const hashes = new Set<string>()
    const found = last
      .catch(() => {})
      .then(() => clock.sleep(ROUND_EVERY_MS))
      .then(() => {
        gathering = null
        return findTokensByHash(database, [...hashes])
      })
    last = found
    return { hashes, found }
  }

  return {
    async find(hash) {
      gathering ??= startRound()
      const round = gathering
      if (round.hashes.size >= ROUND_HASHES_MAX && !round.hashes.has(hash)) {
        const text = 'Too many calls with unknown tokens came from your address.'
        return new Rejection('too_many_requests', text, { retryAfterS: 1 })
      }
      round.hashes.add(hash)
      return (await round.found).get(hash) ?? null
    },
  }
}

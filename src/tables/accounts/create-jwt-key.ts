import { Rejection } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import type { Entropy } from '../../ports/entropy.ts'
import { changeAccounts } from './accounts-change.ts'
import {
  deleteJwtKey,
  findTeamJwtKey,
  insertJwtKey,
  type JwtKey,
  TEAM_JWT_KEYS_MAX,
} from './jwt-keys.ts'
import { newId } from './new-accounts.ts'

type Needs = { entropy: Entropy; clock: Clock }

export async function createJwtKey(
  tx: Database,
  needs: Needs,
  given: Omit<JwtKey, 'id' | 'createdAtMs'>,
): Promise<JwtKey | Rejection> {
  const key = { ...given, id: newId(needs, 'jwk'), createdAtMs: needs.clock.nowMs() }
  if (await insertJwtKey(tx, key)) return key
  return new Rejection('validation', `A team may have ${TEAM_JWT_KEYS_MAX} keys for tokens.`)
}

/**
 * Tokens signed with it are refused from then on. False when the team has no such key. The guard
 * says why the key, as it is in the transaction, must stay.
 */
export function revokeJwtKey(
  db: Database,
  teamId: string,
  id: string,
  guard: (found: JwtKey) => Rejection | null,
): Promise<boolean | Rejection> {
  return changeAccounts(db, async (tx) => {
    const found = await findTeamJwtKey(tx, teamId, id)
    const refused = found && guard(found)
    return refused ?? deleteJwtKey(tx, teamId, id)
  })
}

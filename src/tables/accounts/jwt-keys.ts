import { Rejection } from '../../core/errors.ts'
import { type Database, sql } from '../../ports/database.ts'
import type { World } from '../../ports/world.ts'
import { changeAccounts } from './accounts-change.ts'
import { newId } from './new-accounts.ts'

/** How tokens are signed with a key: one for each kind of key, so that none can be mistaken. */
export type JwtAlgorithm = 'RS256' | 'ES256' | 'EdDSA'

/** A public key of a team. Tokens that its private half has signed speak for the team's apps. */
export type JwtKey = {
  /** The `kid` of tokens. */
  id: string
  teamId: string
  name: string
  algorithm: JwtAlgorithm
  /** PEM of its SubjectPublicKeyInfo. */
  publicKey: string
  createdAtMs: number
}

/** One for each service that signs, and one more while it changes its key. */
export const TEAM_JWT_KEYS_MAX = 50

const COLUMNS = sql`id, team_id AS "teamId", name, algorithm, public_key AS "publicKey",
  created_at_ms AS "createdAtMs"`

export async function findJwtKey(db: Database, id: string): Promise<JwtKey | null> {
  const [key] = await db.query<JwtKey>(sql`SELECT ${COLUMNS} FROM jwt_keys WHERE id = ${id}`)
  return key ?? null
}

export async function findTeamJwtKey(
  db: Database,
  teamId: string,
  id: string,
): Promise<JwtKey | null> {
  const found = await findJwtKey(db, id)
  return found?.teamId === teamId ? found : null
}

/** Oldest first; with a name, only keys of that name. */
export function listJwtKeys(db: Database, teamId: string, name?: string): Promise<JwtKey[]> {
  const named = name === undefined ? sql`` : sql`AND name = ${name}`
  return db.query(sql`
    SELECT ${COLUMNS} FROM jwt_keys WHERE team_id = ${teamId} ${named}
    ORDER BY created_at_ms, id LIMIT ${TEAM_JWT_KEYS_MAX}`)
}

/** Refused when the team has all the keys it may have: call it with the tx of `changeAccounts`. */
export async function createJwtKey(
  tx: Database,
  world: World,
  given: Omit<JwtKey, 'id' | 'createdAtMs'>,
): Promise<JwtKey | Rejection> {
  const key = { ...given, id: newId(world, 'jwk'), createdAtMs: world.clock.nowMs() }
  const inserted = await tx.query(sql`
    INSERT INTO jwt_keys (id, team_id, name, algorithm, public_key, created_at_ms)
    SELECT ${key.id}, ${key.teamId}, ${key.name}, ${key.algorithm}, ${key.publicKey},
      CAST(${key.createdAtMs} AS BIGINT)
    WHERE (SELECT COUNT(*) FROM jwt_keys WHERE team_id = ${key.teamId}) < ${TEAM_JWT_KEYS_MAX}
    RETURNING id`)
  if (inserted.length === 1) return key
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
    if (!found) return false
    const refused = guard(found)
    if (refused) return refused
    await tx.query(sql`DELETE FROM jwt_keys WHERE id = ${id}`)
    return true
  })
}

import { Rejection } from '../../../core/errors.ts'
import { readJwtKey } from '../../../gateway/access/jwt-key.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Database } from '../../../ports/database.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import { createJwtKey as addJwtKey, revokeJwtKey } from '../../../tables/accounts/create-jwt-key.ts'
import * as jwtKeys from '../../../tables/accounts/jwt-keys.ts'
import type { WireJwtKey } from '../../contract/contract.ts'
import type { Handler } from './handler.ts'

/** The needs of calls that change who may call. */
export type AccountChangeNeeds = {
  database: Database
  clock: Clock
  entropy: Entropy
  /** Tells the other processes at once; without it they would find out by polling. */
  accountsChanged(): void
}

export const listJwtKeys: Handler<'listJwtKeys', AccountChangeNeeds> = async (needs, call) => {
  const found = await jwtKeys.listJwtKeys(needs.database, call.team.id)
  return { data: found.map(wireJwtKey) }
}

export const createJwtKey: Handler<'createJwtKey', AccountChangeNeeds> = async (needs, call) => {
  const read = readJwtKey(call.body.public_key)
  if (read instanceof Rejection) return read

  const given = { ...read, teamId: call.team.id, name: call.body.name }
  const created = await addJwtKey(needs.database, needs, given)
  if (created instanceof Rejection) return created

  needs.accountsChanged()
  return { data: wireJwtKey(created) }
}

export const deleteJwtKey: Handler<'deleteJwtKey', AccountChangeNeeds> = async (needs, call) => {
  const { id } = call.parameters
  const isRevoked = await revokeJwtKey(needs.database, call.team.id, id)
  if (!isRevoked) return new Rejection('not_found', `This team has no key ${id} for tokens.`)

  needs.accountsChanged()
  return {}
}

function wireJwtKey({ id, name, algorithm, publicKey, createdAtMs }: jwtKeys.JwtKey): WireJwtKey {
  return { id, name, algorithm, public_key: publicKey, time_created: createdAtMs }
}

import { Rejection } from '../../../core/errors.ts'
import { readJwtKey } from '../../../gateway/access/jwt-key.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Database } from '../../../ports/database.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import { unlessNamed } from '../../../tables/accounts/accounts-change.ts'
import { createJwtKey as addJwtKey, revokeJwtKey } from '../../../tables/accounts/create-jwt-key.ts'
import * as jwtKeys from '../../../tables/accounts/jwt-keys.ts'
import type { WireJwtKey } from '../../contract/contract.ts'
import type { Handler } from './handler.ts'
import { refuseIfChanged } from './refuse-if-changed.ts'
import { sameNamed } from './same-named.ts'

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
  const isByName = call.parameters.by_name === 'true'
  const outcome = await unlessNamed(
    needs.database,
    async (tx) => (isByName ? jwtKeys.findJwtKeysNamed(tx, given.teamId, given.name) : []),
    (tx) => addJwtKey(tx, needs, given),
  )
  if ('named' in outcome) {
    const found = sameNamed(outcome.named, {
      id: ({ id }) => id,
      fields: ({ publicKey }) => [['public_key', given.publicKey, publicKey]],
    })
    return found instanceof Rejection ? found : { data: wireJwtKey(found) }
  }
  const created = outcome.made
  if (created instanceof Rejection) return created

  needs.accountsChanged()
  return { data: wireJwtKey(created) }
}

export const getJwtKey: Handler<'getJwtKey', AccountChangeNeeds> = async (needs, call) => {
  const { id } = call.parameters
  const found = await jwtKeys.findTeamJwtKey(needs.database, call.team.id, id)
  return found ? { data: wireJwtKey(found) } : noSuchKey(id)
}

export const deleteJwtKey: Handler<'deleteJwtKey', AccountChangeNeeds> = async (needs, call) => {
  const { id, 'If-Match': ifMatch } = call.parameters
  const guard = (found: jwtKeys.JwtKey) => refuseIfChanged(ifMatch, { data: wireJwtKey(found) })
  const isRevoked = await revokeJwtKey(needs.database, call.team.id, id, guard)
  if (isRevoked instanceof Rejection) return isRevoked
  if (!isRevoked) return noSuchKey(id)

  needs.accountsChanged()
  return {}
}

function noSuchKey(id: string): Rejection {
  return new Rejection('not_found', `This team has no key ${id} for tokens.`)
}

function wireJwtKey({ id, name, algorithm, publicKey, createdAtMs }: jwtKeys.JwtKey): WireJwtKey {
  return { id, name, algorithm, public_key: publicKey, time_created: createdAtMs }
}

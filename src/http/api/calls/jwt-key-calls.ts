import { Rejection } from '../../../core/errors.ts'
import { readJwtKey } from '../../../gateway/jwt-key.ts'
import { unlessNamed } from '../../../tables/accounts/accounts-change.ts'
import * as jwtKeys from '../../../tables/accounts/jwt-keys.ts'
import type { WireJwtKey } from '../../contract/contract.ts'
import { noSuch } from '../acting-team.ts'
import type { Handler } from './handler.ts'
import { refuseIfChanged } from './refuse-if-changed.ts'
import { sameNamed } from './same-named.ts'

export const listJwtKeys: Handler<'listJwtKeys'> = async (api, call) => {
  const found = await jwtKeys.listJwtKeys(api.database, call.team.id)
  return { data: found.map(wireJwtKey) }
}

export const createJwtKey: Handler<'createJwtKey'> = async (api, call) => {
  const read = readJwtKey(call.body.public_key)
  if (read instanceof Rejection) return read

  const given = { ...read, teamId: call.team.id, name: call.body.name }
  const isByName = call.parameters.by_name === 'true'
  const outcome = await unlessNamed(
    api.database,
    async (tx) => (isByName ? jwtKeys.listJwtKeys(tx, given.teamId, given.name) : []),
    (tx) => jwtKeys.createJwtKey(tx, api, given),
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

  api.accountsChanged()
  return { data: wireJwtKey(created) }
}

export const getJwtKey: Handler<'getJwtKey'> = async (api, call) => {
  const { id } = call.parameters
  const found = await jwtKeys.findTeamJwtKey(api.database, call.team.id, id)
  return found ? { data: wireJwtKey(found) } : noSuch(`key ${id} for tokens`)
}

export const deleteJwtKey: Handler<'deleteJwtKey'> = async (api, call) => {
  const { id, 'If-Match': ifMatch } = call.parameters
  const guard = (found: jwtKeys.JwtKey) => refuseIfChanged(ifMatch, { data: wireJwtKey(found) })
  const isRevoked = await jwtKeys.revokeJwtKey(api.database, call.team.id, id, guard)
  if (isRevoked instanceof Rejection) return isRevoked
  if (!isRevoked) return noSuch(`key ${id} for tokens`)

  api.accountsChanged()
  return {}
}

function wireJwtKey({ id, name, algorithm, publicKey, createdAtMs }: jwtKeys.JwtKey): WireJwtKey {
  return { id, name, algorithm, public_key: publicKey, time_created: createdAtMs }
}

import { hashKey } from '../../core/access/hash-key.ts'
import type { Database } from '../../ports/database.ts'
import type { World } from '../../ports/world.ts'
import { changeAccounts } from './accounts-change.ts'
import { newId } from './new-accounts.ts'
import { deleteSessionsOfToken, deleteSessionsWithoutToken } from './sessions.ts'
import { deleteOtherOperatorTokens, deleteToken, findTokenByHash, insertToken } from './tokens.ts'

/** Revokes any token, or only one of that team, and ends its sessions; false when there is none. */
export function revokeToken(
  db: Database,
  id: string,
  teamId: string | null = null,
): Promise<boolean> {
  return changeAccounts(db, async (tx) => {
    const isGone = await deleteToken(tx, id, teamId)
    if (isGone) await deleteSessionsOfToken(tx, id)
    return isGone
  })
}

/** Makes a given token the operator's only one, revoking the others; false when it is a team's. */
export function setOperatorToken(db: Database, world: World, token: string): Promise<boolean> {
  const hash = hashKey(token)
  return changeAccounts(db, async (tx) => {
    const known = await findTokenByHash(tx, hash)
    if (known?.kind === 'team') return false
    await deleteOtherOperatorTokens(tx, hash)
    await deleteSessionsWithoutToken(tx)
    if (known) return true
    const operator = { kind: 'operator', teamId: null, name: 'configured' } as const
    const stored = { id: newId(world, 'tok'), ...operator, createdAtMs: world.clock.nowMs() }
    await insertToken(tx, stored, hash)
    return true
  })
}

import { type Database, sql } from '../../ports/database.ts'
import { appKeyPlace, type Secrets, signingKeyPlace } from '../../ports/secrets.ts'

/** Single keys may be spoilt; with another secret none opens. */
const KEYS_TRIED_MAX = 100

/** Whether the secret is the one that the stored keys were sealed with; null without any key. */
export async function opensKeys(
  db: Database,
  { open }: Pick<Secrets, 'open'>,
): Promise<boolean | null> {
  const apps = await db.query<{ id: string; sealed: string }>(sql`
    SELECT id, key_sealed AS sealed FROM apps ORDER BY id LIMIT ${KEYS_TRIED_MAX}`)
  const webhooks = await db.query<{ id: string; sealed: string }>(sql`
    SELECT id, signing_key_sealed AS sealed FROM webhooks ORDER BY id LIMIT ${KEYS_TRIED_MAX}`)
  const keys = [
    ...apps.map(({ id, sealed }) => ({ place: appKeyPlace(id), sealed })),
    ...webhooks.map(({ id, sealed }) => ({ place: signingKeyPlace(id), sealed })),
  ]
  if (keys.length === 0) return null
  return keys.some(({ place, sealed }) => {
    try {
      open(sealed, place)
      return true
    } catch {
      return false
    }
  })
}

import { type Database, sql } from '../../ports/database.ts'
import {
  appKeyPlace,
  type SealedPlace,
  type Secrets,
  signingKeyPlace,
} from '../../ports/secrets.ts'

type KeySecrets = Pick<Secrets, 'bind' | 'open'>

type SealedApp = { id: string; key_sealed: string }

type SealedWebhook = {
  id: string
  signing_key_sealed: string
  previous_key_sealed: string | null
  next_key_sealed: string | null
}

/**
 * Seals the keys of an earlier version anew, each for its row; how many. All of them at once or
 * none: in a store that holds bound keys already, an unbound one was put there from elsewhere,
 * and stays unreadable.
 */
export async function bindKeys(db: Database, secrets: KeySecrets): Promise<number> {
  return db.transaction(async (tx) => {
    const apps = await tx.query<SealedApp>(sql`SELECT id, key_sealed FROM apps`)
    if (apps.some(({ id, key_sealed: key }) => isBound(secrets, key, appKeyPlace(id)))) return 0
    const webhooks = await tx.query<SealedWebhook>(sql`
      SELECT id, signing_key_sealed, previous_key_sealed, next_key_sealed FROM webhooks`)
    const keyIsBound = ({ id, signing_key_sealed: key }: SealedWebhook) =>
      isBound(secrets, key, signingKeyPlace(id))
    if (webhooks.some(keyIsBound)) return 0

    const boundApps = apps.map(({ id, key_sealed: key }) => {
      return [bound(secrets, key, appKeyPlace(id)), id]
    })
    const boundWebhooks = webhooks.map((webhook) => {
      const place = signingKeyPlace(webhook.id)
      const ofRow = (sealed: string | null) => sealed && bound(secrets, sealed, place)
      const { signing_key_sealed, previous_key_sealed, next_key_sealed } = webhook
      const keys = [signing_key_sealed, previous_key_sealed, next_key_sealed].map(ofRow)
      return [...keys, webhook.id]
    })
    await tx.each(sql`UPDATE apps SET key_sealed = ${''} WHERE id = ${''}`, boundApps)
    await tx.each(
      sql`UPDATE webhooks SET signing_key_sealed = ${''}, previous_key_sealed = ${''},
        next_key_sealed = ${''} WHERE id = ${''}`,
      boundWebhooks,
    )
    return boundApps.length + boundWebhooks.length
  })
}

/** Whether it opens, and not only looks so: with a wrong secret nothing here is evidence. */
function isBound(secrets: KeySecrets, sealed: string, place: SealedPlace): boolean {
  try {
    secrets.open(sealed, place)
    return true
  } catch {
    return false
  }
}

/** A key that cannot be read stays as it is: it is no reason to leave all others unbound. */
function bound(secrets: KeySecrets, sealed: string, place: SealedPlace): string {
  try {
    return secrets.bind(sealed, place)
  } catch {
    return sealed
  }
}

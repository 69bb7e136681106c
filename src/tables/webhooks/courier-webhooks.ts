import type { Webhook } from '../../core/delivery/webhook.ts'
import { type Database, sql, sqlRows } from '../../ports/database.ts'
import { listChunks, rowsOfChunks } from '../sql/row-chunks.ts'
import { SIGNING_KEY, type StoredSigningKey } from './webhook-rows.ts'

/** A webhook as the courier needs it to send; one that is gone included. */
export type CourierWebhook = {
  number: number
  id: string
  teamId: string
  appId: string | null
  network: string
  url: string
  ordered: boolean
  state: Webhook['state'] | 'deleted'
  key: StoredSigningKey
}

type CourierRow = Omit<CourierWebhook, 'ordered' | 'key'> & StoredSigningKey & { ordered: number }

export async function webhooksForCourier(
  db: Database,
  numbers: readonly number[],
): Promise<Map<number, CourierWebhook>> {
  const rows = await rowsOfChunks(listChunks(numbers), (chunk) =>
    db.query<CourierRow>(sql`
      SELECT number, id, team_id AS "teamId", app_id AS "appId", network, url, ordered, state,
        ${SIGNING_KEY}
      FROM webhooks WHERE number IN ${sqlRows([chunk])}`),
  )
  const webhooks = rows.map(({ sealed, previousSealed, previousUntilMs, ...row }) => ({
    ...row,
    ordered: row.ordered === 1,
    key: { sealed, previousSealed, previousUntilMs },
  }))
  return new Map(webhooks.map((webhook) => [webhook.number, webhook]))
}

/** The numbers of webhooks, by id; what does not exist is left out. */
export async function webhookNumbers(
  db: Database,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const rows = await rowsOfChunks(listChunks(ids), (chunk) =>
    db.query<{ id: string; number: number }>(sql`
      SELECT id, number FROM webhooks WHERE id IN ${sqlRows([chunk])}`),
  )
  return new Map(rows.map(({ id, number }) => [id, number]))
}

/**
 * Until the transaction ends it is not deleted; a deletion that has begun is waited for.
 * Its team and number; null when it is gone.
 */
export async function holdWebhook(
  tx: Database,
  id: string,
): Promise<{ teamId: string; number: number } | null> {
  // PostgreSQL locks a row that is written, even with what it holds; SQLite has one writer.
  const [held] = await tx.query<{ teamId: string; number: number }>(sql`
    UPDATE webhooks SET revision = revision WHERE id = ${id} AND state <> 'deleted'
    RETURNING team_id AS "teamId", number`)
  return held ?? null
}

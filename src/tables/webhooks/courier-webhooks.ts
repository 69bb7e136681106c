import type { Webhook } from '../../core/delivery/webhook.ts'
import { type Database, sql, sqlRows } from '../../ports/database.ts'
import { listChunks } from '../sql/row-chunks.ts'
import type { StoredSigningKey } from './webhook-rows.ts'

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

type CourierRow = {
  number: number
  id: string
  team_id: string
  app_id: string | null
  network: string
  url: string
  ordered: number
  state: string
  signing_key_sealed: string
  previous_key_sealed: string | null
  previous_key_until_ms: number | null
}

/** By number. */
export async function webhooksForCourier(
  db: Database,
  numbers: readonly number[],
): Promise<Map<number, CourierWebhook>> {
  const found = new Map<number, CourierWebhook>()
  for (const chunk of listChunks(numbers)) {
    const rows = await db.query<CourierRow>(sql`
      SELECT number, id, team_id, app_id, network, url, ordered, state, signing_key_sealed,
        previous_key_sealed, previous_key_until_ms
      FROM webhooks WHERE number IN ${sqlRows([chunk])}`)
    for (const row of rows) found.set(row.number, courierWebhookOf(row))
  }
  return found
}

/** The numbers of webhooks, by id; what does not exist is left out. */
export async function webhookNumbers(
  db: Database,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const chunk of listChunks(ids)) {
    const rows = await db.query<{ id: string; number: number }>(sql`
      SELECT id, number FROM webhooks WHERE id IN ${sqlRows([chunk])}`)
    for (const { id, number } of rows) found.set(id, number)
  }
  return found
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
  const [held] = await tx.query<{ team_id: string; number: number }>(sql`
    UPDATE webhooks SET revision = revision WHERE id = ${id} AND state <> 'deleted'
    RETURNING team_id, number`)
  return held ? { teamId: held.team_id, number: held.number } : null
}

function courierWebhookOf(row: CourierRow): CourierWebhook {
  return {
    number: row.number,
    id: row.id,
    teamId: row.team_id,
    appId: row.app_id,
    network: row.network,
    url: row.url,
    ordered: row.ordered === 1,
    state: row.state as CourierWebhook['state'],
    key: {
      sealed: row.signing_key_sealed,
      previousSealed: row.previous_key_sealed,
      previousUntilMs: row.previous_key_until_ms,
    },
  }
}

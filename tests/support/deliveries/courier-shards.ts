import { sql } from '../../../src/ports/database.ts'
import type { CourierStage } from './courier-stage.ts'

/** Webhooks over all shards. */
export async function webhooks(stage: CourierStage, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at++) ids.push(await stage.webhook(`wh_${at}`))
  await stage.database.query(sql`UPDATE webhooks SET number = number * 83`)
  return ids
}

/** The sequence numbers that a webhook was sent, in order. */
export function numbersTo({ egress }: CourierStage, id: string): number[] {
  const sent = egress.sent.filter(({ json }) => json.webhookId === id)
  return sent.map(({ json }) => Number(json.event.sequenceNumber))
}

/** How many shards each courier has. */
export async function owners({ database }: CourierStage): Promise<Record<string, number>> {
  const rows = await database.query<{ courier: string; count: number }>(sql`
    SELECT courier, COUNT(*) AS count FROM shards WHERE courier IS NOT NULL GROUP BY courier`)
  return Object.fromEntries(rows.map(({ courier, count }) => [courier, count]))
}

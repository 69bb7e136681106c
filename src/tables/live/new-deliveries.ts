import { type Database, sql, sqlRows } from '../../ports/database.ts'
import type { DeliveryKey } from '../deliveries/delivery.ts'
import { listChunks } from '../sql/row-chunks.ts'

export type TeamDelivery = DeliveryKey & { teamId: string }

/** The numbers of events after that one, ascending; at most so many. */
export async function eventsAfter(db: Database, event: number, limit: number): Promise<number[]> {
  const rows = await db.query<{ event: number }>(sql`
    SELECT event FROM events WHERE event > ${event} ORDER BY event LIMIT ${limit}`)
  return rows.map((row) => row.event)
}

/** The number of the last event; 0 when there is none. */
export async function lastEvent(db: Database): Promise<number> {
  const [last] = await db.query<{ event: number | null }>(sql`
    SELECT MAX(event) AS event FROM events`)
  return last?.event ?? 0
}

/**
 * The deliveries of these events to webhooks of these teams; at most so many. They are looked up
 * by their keys, webhook by webhook: an event may have far more deliveries of other teams.
 */
export async function deliveriesOfEvents(
  db: Database,
  events: readonly number[],
  teamIds: readonly string[],
  limit: number,
): Promise<TeamDelivery[]> {
  const found: TeamDelivery[] = []
  for (const teams of listChunks(teamIds)) {
    for (const some of listChunks(events)) {
      const rows = await db.query<DeliveryKey & { team_id: string }>(sql`
        SELECT events.event, webhooks.number AS webhook, webhooks.team_id
        FROM events JOIN webhooks ON webhooks.network = events.network
          JOIN deliveries ON deliveries.key = events.event * 16777216 + webhooks.number
        WHERE events.event IN ${sqlRows([some])} AND webhooks.team_id IN ${sqlRows([teams])}
        LIMIT ${limit}`)
      for (const { event, webhook, team_id: teamId } of rows) found.push({ event, webhook, teamId })
    }
  }
  return found
}

/** The deliveries that were cancelled when their webhook was deleted; at most so many. */
export function cancelledDeliveries(
  db: Database,
  webhook: number,
  limit: number,
): Promise<DeliveryKey[]> {
  return db.query<DeliveryKey>(sql`
    SELECT event, webhook FROM done_deliveries WHERE webhook = ${webhook} AND state = 3
    ORDER BY event DESC LIMIT ${limit}`)
}

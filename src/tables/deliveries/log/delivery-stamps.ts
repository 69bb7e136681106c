import { type Database, type Sql, sql, sqlRows } from '../../../ports/database.ts'
import { listChunks, rowsOfChunks } from '../../sql/row-chunks.ts'
import type { DeliveryKey } from '../delivery.ts'
import { entriesOf } from './logged-delivery.ts'

/** A delivery with a text that is another one whenever the delivery has changed. */
export type DeliveryStamp = DeliveryKey & { stamp: string; isWaiting: boolean }

type StampRow = DeliveryKey & { state: number; version: number; attempts_made: number }

const STAMP = sql`deliveries.state, deliveries.version, deliveries.attempts_made`

/** The numbers of events after that one, ascending; at most `limit`. */
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
 * The deliveries of these events to a team's webhooks; at most `limit`. They are looked up by
 * their keys, webhook by webhook: an event may have far more deliveries of other teams.
 */
export function stampsOfEvents(
  db: Database,
  events: readonly number[],
  teamId: string,
  limit: number,
): Promise<DeliveryStamp[]> {
  return rowsOfChunks(listChunks(events), (some) =>
    readStamps(
      db,
      sql`SELECT events.event, webhooks.number AS webhook, ${STAMP}
        FROM events JOIN webhooks ON webhooks.network = events.network
          JOIN deliveries ON deliveries.key = events.event * 16777216 + webhooks.number
        WHERE events.event IN ${sqlRows([some])} AND webhooks.team_id = ${teamId}
        LIMIT ${limit}`,
    ),
  )
}

/** The deliveries of blocks that a replay has passed, the last of them excluded. */
export function stampsOfBlocks(
  db: Database,
  { webhookId, fromBlock, toBlock }: { webhookId: string; fromBlock: number; toBlock: number },
  limit: number,
): Promise<DeliveryStamp[]> {
  return readStamps(
    db,
    sql`SELECT events.event, webhooks.number AS webhook, ${STAMP}
      FROM webhooks JOIN events ON events.network = webhooks.network
        AND events.block_number >= ${fromBlock} AND events.block_number < ${toBlock}
        JOIN deliveries ON deliveries.key = events.event * 16777216 + webhooks.number
      WHERE webhooks.id = ${webhookId} LIMIT ${limit}`,
  )
}

export function stampsOfWaiting(
  db: Database,
  teamId: string,
  limit: number,
): Promise<DeliveryStamp[]> {
  return readStamps(
    db,
    sql`SELECT outbox.event, outbox.webhook, ${STAMP}
      FROM webhooks JOIN outbox ON outbox.webhook = webhooks.number
        JOIN deliveries ON deliveries.key = outbox.event * 16777216 + outbox.webhook
      WHERE webhooks.team_id = ${teamId} LIMIT ${limit}`,
  )
}

/** These deliveries, as far as they are still stored. */
export function stampsOf(db: Database, keys: readonly DeliveryKey[]): Promise<DeliveryStamp[]> {
  return rowsOfChunks(entriesOf(keys), (entries) =>
    readStamps(
      db,
      sql`WITH ${entries}
        SELECT entries.event, entries.webhook, ${STAMP} FROM entries
          JOIN deliveries ON deliveries.key = entries.event * 16777216 + entries.webhook`,
    ),
  )
}

async function readStamps(db: Database, statement: Sql): Promise<DeliveryStamp[]> {
  const rows = await db.query<StampRow>(statement)
  return rows.map(({ event, webhook, state, version, attempts_made }) => {
    return { event, webhook, stamp: `${state}.${version}.${attempts_made}`, isWaiting: state === 0 }
  })
}

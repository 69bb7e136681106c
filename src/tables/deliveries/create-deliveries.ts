import { type Database, type Procedure, sql, type Transaction } from '../../ports/database.ts'
import { growLog, logBytesOf } from '../usage/log-bytes.ts'
import { insertDeliveries, type NewDelivery } from './deliveries.ts'
import { isOfEvent } from './delivery.ts'
import { countCreated } from './done-deliveries.ts'
import { insertEvent, type NewEvent } from './events.ts'
import { enqueueEvent, type OutboxEntry } from './outbox.ts'
import { type EventResult, insertResults } from './results.ts'
import { growBacklogs, undeliveredBytes } from './team-backlogs.ts'

export type EventToDeliver = {
  event: Omit<NewEvent, 'parts'>
  /** Deliveries name them by their place, which is their part. */
  results: readonly EventResult[]
  /** Hot path: in the order of their webhooks, which is that of the tables. */
  deliveries: readonly (NewDelivery & { teamId: string })[]
  lane: OutboxEntry['lane']
  /** The event's number is the last one of every webhook that gets a delivery. */
  isMarked: boolean
}

/**
 * Creates the deliveries of a new event; they wait in the outbox from now on, and count in the
 * log and in the backlogs of their teams. The number of the event.
 */
export function createDeliveries(tx: Transaction, toDeliver: EventToDeliver): Promise<number> {
  return tx.perform(writeEvent, [toDeliver])
}

export const writeEvent: Procedure<[EventToDeliver], number> = {
  name: 'writeEvent',
  async run(tx, [{ event, results, deliveries, lane, isMarked }]) {
    const number = await insertEvent(tx, { ...event, parts: results.length })
    await Promise.all([
      insertResults(tx, number, results),
      insertDeliveries(tx, number, deliveries),
      enqueueEvent(tx, { event: number, lane }, event.createdAtMs),
      countCreated(tx, number, deliveries.length),
    ])
    tx.last(() =>
      Promise.all([
        growLog(tx, event.network, logBytesOf(results, deliveries.length)),
        growBacklogs(tx, event.network, new Map(backlogsOf(deliveries))),
        isMarked ? moveMarks(tx, number, event.sequenceNumber) : null,
      ]),
    )
    return number
  },
}

/** The undelivered bytes that each team gets more. Errors, which carry no result, are none. */
export function backlogsOf(
  deliveries: EventToDeliver['deliveries'],
): [teamId: string, bytes: number][] {
  const byTeam = new Map<string, number>()
  for (const { teamId, part, dataBytes } of deliveries) {
    if (part === null) continue
    byTeam.set(teamId, (byTeam.get(teamId) ?? 0) + undeliveredBytes(dataBytes))
  }
  // In order: two who lock the same rows in the same order cannot block each other.
  return [...byTeam].sort(([a], [b]) => (a < b ? -1 : 1))
}

async function moveMarks(tx: Database, event: number, sequenceNumber: number): Promise<void> {
  await tx.query(sql`
    INSERT INTO webhook_marks (webhook, sequence_number)
    SELECT key % 16777216, CAST(${sequenceNumber} AS BIGINT) FROM deliveries
    WHERE ${isOfEvent('deliveries', event)}
    ON CONFLICT (webhook) DO UPDATE SET sequence_number = excluded.sequence_number`)
}

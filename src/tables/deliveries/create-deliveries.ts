import type { Transaction } from '../../ports/database.ts'
import { growLog, logBytesOf } from '../usage/log-bytes.ts'
import { growBacklogs, undeliveredBytes } from '../usage/team-backlogs.ts'
import { insertDeliveries, type NewDelivery } from './deliveries.ts'
import { countCreated } from './done-deliveries.ts'
import { insertEvent, type NewEvent } from './events.ts'
import { enqueueEvent, type OutboxEntry } from './outbox.ts'
import { type EventResult, insertResults } from './results.ts'

/** An event with the results that its deliveries carry, and where they wait to be sent. */
export type EventToDeliver = {
  event: Omit<NewEvent, 'parts'>
  /** Deliveries name them by their place, which is their part. */
  results: readonly EventResult[]
  /** Hot path: in the order of their webhooks, which is that of the tables. */
  deliveries: readonly (NewDelivery & { teamId: string })[]
  lane: OutboxEntry['lane']
}

/**
 * Creates the deliveries of a new event; they wait in the outbox from now on, and count in the
 * log and in the backlogs of their teams. The number of the event.
 */
export async function createDeliveries(
  tx: Transaction,
  { event, results, deliveries, lane }: EventToDeliver,
): Promise<number> {
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
      growBacklogs(tx, backlogsOf(deliveries)),
    ]),
  )
  return number
}

/** Errors, which carry no result, are no backlog. */
function backlogsOf(deliveries: EventToDeliver['deliveries']): Map<string, number> {
  const byTeam = new Map<string, number>()
  for (const { teamId, part, dataBytes } of deliveries) {
    if (part === null) continue
    byTeam.set(teamId, (byTeam.get(teamId) ?? 0) + undeliveredBytes(dataBytes))
  }
  return byTeam
}

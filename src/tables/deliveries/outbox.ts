import type { Database } from '../../ports/database.ts'
import type { Delivery, Lane } from './delivery.ts'

export type OutboxQuestion = {
  lane: Lane
  nowMs: number
  limit: number
  /** Only what comes after this event; for the lane 'new'. */
  after?: number
}

/**
 * Deliveries of a webhook that wait and are due. 'new' come by event, 'retry' and 'error' by
 * due time; 'ordered' is the oldest of all new ones and retries, if it is due. Nothing but
 * errors when the webhook is not active.
 */
export async function waitingDeliveries(
  db: Database,
  webhook: number,
  question: OutboxQuestion,
): Promise<Delivery[]> {
  throw new Error(`not written yet: ${db} ${webhook} ${question}`)
}

/** A page of the webhooks that have anything waiting, due or not, in the order of numbers. */
export async function webhooksWaiting(
  db: Database,
  after: number,
  limit: number,
): Promise<number[]> {
  throw new Error(`not written yet: ${db} ${after} ${limit}`)
}

/**
 * The webhooks with a retry or an error that is due after `fromMs` and up to `toMs`. New ones
 * wait for no moment.
 */
export async function webhooksDueBetween(
  db: Database,
  fromMs: number,
  toMs: number,
): Promise<number[]> {
  throw new Error(`not written yet: ${db} ${fromMs} ${toMs}`)
}

/** How many deliveries wait for a webhook; counted up to `countMax`. */
export async function waitingCount(
  db: Database,
  webhookId: string,
  countMax: number,
): Promise<number> {
  throw new Error(`not written yet: ${db} ${webhookId} ${countMax}`)
}

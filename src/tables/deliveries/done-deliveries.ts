import { type Database, type SqlValue, sql } from '../../ports/database.ts'
import { type DeliveryKey, type DeliveryState, stateNumber } from './delivery.ts'

/** A delivery that does not wait, under the state it is listed with. */
export type DoneEntry = DeliveryKey & { state: Exclude<DeliveryState, 'waiting'> }

const INSERT = sql`
  INSERT INTO done_deliveries (webhook, state, event) VALUES (${null}, ${null}, ${null})`

const DELETE = sql`
  DELETE FROM done_deliveries WHERE webhook = ${null} AND state = ${null} AND event = ${null}`

/** Lists deliveries that are done. Hot path: sorted, since those of one webhook lie together. */
export async function listDone(tx: Database, entries: readonly DoneEntry[]): Promise<void> {
  const sorted = entries.toSorted((a, b) => a.webhook - b.webhook || a.event - b.event)
  if (sorted.length > 0) await tx.each(INSERT, sorted.map(valuesOf))
}

export async function unlistDone(tx: Database, entries: readonly DoneEntry[]): Promise<void> {
  if (entries.length > 0) await tx.each(DELETE, entries.map(valuesOf))
}

/** The webhook's failed deliveries are listed as cancelled, and so is all that waits for it. */
export async function listAllCancelled(tx: Database, webhook: number): Promise<void> {
  await tx.query(sql`
    UPDATE done_deliveries SET state = 3 WHERE webhook = ${webhook} AND state = 2`)
  await tx.query(sql`
    INSERT INTO done_deliveries (webhook, state, event)
    SELECT webhook, 3, event FROM outbox WHERE webhook = ${webhook}`)
}

function valuesOf({ webhook, state, event }: DoneEntry): SqlValue[] {
  return [webhook, stateNumber(state), event]
}

import { type Database, type SqlValue, sql } from '../../ports/database.ts'
import { type DeliveryKey, type DeliveryState, keyOf, stateNumber } from './delivery.ts'

export type DoneEntry = DeliveryKey & { state: Exclude<DeliveryState, 'waiting'> }

/** Higher than the number of any event; the keys of the next one still have 63 bits. */
export const EVENT_MAX = 2 ** 39 - 2

const INSERT = sql`
  INSERT INTO done_deliveries (webhook, state, event) VALUES (${null}, ${null}, ${null})`

const DELETE = sql`
  DELETE FROM done_deliveries WHERE webhook = ${null} AND state = ${null} AND event = ${null}`

/** Lists deliveries that are done. Hot path: sorted, since those of one webhook lie together. */
export async function listDone(tx: Database, entries: readonly DoneEntry[]): Promise<void> {
  const sorted = entries.toSorted((a, b) => a.webhook - b.webhook || a.event - b.event)
  if (sorted.length > 0) await tx.each(INSERT, sorted.map(valuesOf))
}

/** Lists what was delivered, except what is listed with the other deliveries of its time. */
export async function listDelivered(tx: Database, keys: readonly DeliveryKey[]): Promise<void> {
  if (keys.length === 0) return
  const last = await lastListed(tx)
  const late = keys.filter(({ event }) => event <= last)
  await listDone(
    tx,
    late.map(({ event, webhook }) => ({ event, webhook, state: 'delivered' })),
  )
}

/** Counts the deliveries of a new event, and lists what was delivered some time before them. */
export async function countCreated(tx: Database, event: number, count: number): Promise<void> {
  const [row] = await tx.query<Record<'event' | 'next_event' | 'is_full', number>>(sql`
    UPDATE listing SET created = created + ${count} WHERE id = 1
    RETURNING event, next_event, CASE WHEN created < created_max THEN 0 ELSE 1 END AS is_full`)
  if (!row || row.is_full === 0) return
  await tx.query(sql`
    INSERT INTO done_deliveries (webhook, state, event)
    SELECT key % 16777216, state, key / 16777216 FROM deliveries
    WHERE key >= ${keyOf(row.event + 1, 0)} AND key < ${keyOf(row.next_event + 1, 0)} AND state = 1
    ORDER BY key % 16777216, key`)
  await tx.query(sql`
    UPDATE listing SET event = next_event, next_event = ${event}, created = 0 WHERE id = 1`)
}

/** The last event of which all that is delivered is listed; that of later ones is not yet. */
export async function lastListed(tx: Database): Promise<number> {
  const [row] = await tx.query<{ event: number }>(sql`SELECT event FROM listing WHERE id = 1`)
  return row?.event ?? EVENT_MAX
}

/** Takes deliveries out of the list; no harm is done by one that is not listed yet. */
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

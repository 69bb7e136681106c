import { assert } from '../../core/errors.ts'
import { type Database, sql, sqlRows } from '../../ports/database.ts'
import { FIRST_SEQUENCE_NUMBER } from '../chain/chain-tail.ts'
import { isOfEvent } from './delivery.ts'

export type NewEvent = {
  network: string
  sequenceNumber: number
  /** The only webhook it is for; null where it is for all whose query found something. */
  webhook: number | null
  blockNumber: number | null
  blockHash: string | null
  error: string | null
  createdAtMs: number
  /** A reorganisation replaced its height, which it ran again. */
  isRerun?: boolean
  /** How many results it begins with. */
  parts: number
}

/** Where the ids of deliveries come from: an event by its number, with whom it is for. */
export type NumberedEvent = { event: number; sequenceNumber: number; webhook: number | null }

/** Keys have room for so many results of one event. */
const PARTS_MAX = 16_777_216

/** One number in 1.7 million has a given remainder: far more are tried than are stored. */
const NUMBERS_TRIED_MAX = 1_000

/** The number of the new event, higher than those of all before. */
export async function insertEvent(tx: Database, event: NewEvent): Promise<number> {
  const { network, sequenceNumber, webhook, blockNumber, blockHash, error } = event
  const [inserted] = await tx.query<{ event: number }>(sql`
    INSERT INTO events
      (network, sequence_number, webhook, block_number, block_hash, error, created_at_ms, parts,
      rerun)
    VALUES (${network}, ${sequenceNumber}, ${webhook}, ${blockNumber}, ${blockHash}, ${error},
      ${event.createdAtMs}, ${event.parts}, ${event.isRerun ? 1 : 0})
    RETURNING event`)
  assert(inserted !== undefined, 'an insert writes a row')
  return inserted.event
}

/** The event whose delivery to the webhook has that number; null when there is none. */
export async function findEventOf(
  tx: Database,
  webhook: number,
  { network, sequenceNumber }: Pick<NewEvent, 'network' | 'sequenceNumber'>,
): Promise<number | null> {
  const ofNumber = sql`
    SELECT event FROM events WHERE network = ${network} AND sequence_number = ${sequenceNumber}`
  const [found] = await tx.query<{ event: number }>(sql`
    SELECT event FROM (
      ${ofNumber} AND webhook IS NULL UNION ALL ${ofNumber} AND webhook = ${webhook}) AS numbered
    WHERE EXISTS (
      SELECT 1 FROM deliveries WHERE deliveries.key = numbered.event * 16777216 + ${webhook})
    ORDER BY event DESC LIMIT 1`)
  return found?.event ?? null
}

/** The part of a new result of an event, which has never been another's. */
export async function takePart(tx: Database, event: number): Promise<number> {
  const [taken] = await tx.query<{ part: number }>(sql`
    UPDATE events SET parts = parts + 1 WHERE event = ${event} RETURNING parts - 1 AS part`)
  assert(taken !== undefined && taken.part < PARTS_MAX, 'an event has room for its results')
  return taken.part
}

/**
 * A chain that began anew has other blocks under the numbers of before; only events of replays,
 * which are for one webhook, have such numbers.
 */
export async function setBlockHash(tx: Database, event: number, hash: string): Promise<void> {
  await tx.query(sql`
    UPDATE events SET block_hash = ${hash} WHERE event = ${event} AND block_hash <> ${hash}`)
}

/** The events of a network whose number leaves that remainder. */
export async function eventsCounted(
  db: Database,
  network: string,
  { value, modulus }: { value: number; modulus: number },
): Promise<NumberedEvent[]> {
  const [bounds] = await db.query<
    Record<'first' | 'last' | 'first_new' | 'last_old', number | null>
  >(
    sql`
    SELECT
      (SELECT MIN(sequence_number) FROM events WHERE network = ${network}) AS first,
      (SELECT MAX(sequence_number) FROM events WHERE network = ${network}) AS last,
      (SELECT MAX(sequence_number) FROM events
        WHERE network = ${network} AND sequence_number < ${FIRST_SEQUENCE_NUMBER}) AS last_old,
      (SELECT MIN(sequence_number) FROM events
        WHERE network = ${network} AND sequence_number >= ${FIRST_SEQUENCE_NUMBER}) AS first_new`,
  )
  if (!bounds) return []
  const numbers = [
    ...numbersBetween(bounds.first_new, bounds.last),
    ...numbersBetween(bounds.first, bounds.last_old),
  ].slice(0, NUMBERS_TRIED_MAX)
  if (numbers.length === 0) return []
  return db.query<NumberedEvent>(sql`
    SELECT event, sequence_number AS "sequenceNumber", webhook FROM events
    WHERE network = ${network} AND sequence_number IN ${sqlRows([numbers])}
    ORDER BY event DESC`)

  /** The highest first. */
  function numbersBetween(first: number | null, last: number | null): number[] {
    if (first === null || last === null) return []
    const all: number[] = []
    const highest = last - ((((last - value) % modulus) + modulus) % modulus)
    for (let at = highest; at >= first && all.length < NUMBERS_TRIED_MAX; at -= modulus) {
      all.push(at)
    }
    return all
  }
}

/** The first event after that one; null when it is the last. */
export async function eventAfter(
  db: Database,
  after: number,
): Promise<{ event: number; network: string; created_at_ms: number } | null> {
  const [next] = await db.query<{ event: number; network: string; created_at_ms: number }>(sql`
    SELECT event, network, created_at_ms FROM events WHERE event > ${after}
    ORDER BY event LIMIT 1`)
  return next ?? null
}

/** Removes an event unless it still has deliveries. */
export async function dropEvent(tx: Database, event: number): Promise<void> {
  await tx.query(sql`
    DELETE FROM events WHERE event = ${event}
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE ${isOfEvent('deliveries', event)})`)
}

export function eventsAtHeight(
  db: Database,
  network: string,
  blockNumber: number,
  limit: number,
): Promise<{ event: number; webhook: number | null }[]> {
  return db.query(sql`
    SELECT event, webhook FROM events
    WHERE network = ${network} AND block_number = ${blockNumber} ORDER BY event DESC
    LIMIT ${limit}`)
}

export async function findNetwork(db: Database, event: number): Promise<string | null> {
  const [found] = await db.query<{ network: string }>(sql`
    SELECT network FROM events WHERE event = ${event}`)
  return found?.network ?? null
}

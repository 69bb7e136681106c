import { deliveryId } from '../../core/delivery/delivery-id.ts'
import { assert } from '../../core/errors.ts'
import { type Database, sql } from '../../ports/database.ts'
import { growBacklog, undeliveredBytes } from '../usage/team-backlogs.ts'
import type { EventResult } from './deliveries.ts'
import { dropResults } from './drop-results.ts'
import { growLog, logBytesOf } from './log-sizes.ts'
import { moveOne } from './sheets/sheets.ts'

export type Renewal = {
  teamId: string
  webhookId: string
  network: string
  blockNumber: number
  blockHash: string
  sequenceNumber: number
  due: EventResult
  atMs: number
}

type KnownRow = { part: number | null; state: string; data_bytes: number; is_free: number }

/** Replays of one event that are recorded in the same millisecond. */
const PARTS_TRIED_MAX = 1_000

/**
 * Makes the result due as a replay: as the delivery that the event had, from before its first
 * attempt, or as a new one. 'busy' while that is being attempted: nothing is written then.
 */
export async function renewDelivery(tx: Database, renewal: Renewal): Promise<'renewed' | 'busy'> {
  const { network, sequenceNumber, due } = renewal
  const id = deliveryId(renewal.webhookId, sequenceNumber)
  await moveOne(tx, renewal.webhookId, { network, sequenceNumber })
  const known = await holdDelivery(tx, id, renewal.atMs)
  if (known?.is_free === 0) return 'busy'

  const part = await insertPart(tx, renewal)
  await upsertDelivery(tx, id, part, renewal)
  await growBacklog(tx, renewal.teamId, undeliveredBytes(due.bytes) - countedOf(known))
  const replaced =
    known && known.part !== null
      ? await dropResults(tx, [{ network, sequenceNumber, part: known.part }])
      : []
  await growLog(tx, network, logBytesOf([due], known ? 0 : 1) - logBytesOf(replaced, 0))
  return 'renewed'
}

function countedOf(known: KnownRow | null): number {
  const isUndelivered = known?.state === 'waiting' || known?.state === 'failed'
  return known && isUndelivered ? undeliveredBytes(known.data_bytes) : 0
}

/** Until the transaction ends nobody claims it; null when there is none. */
async function holdDelivery(tx: Database, id: string, nowMs: number): Promise<KnownRow | null> {
  const rows = await tx.query<KnownRow>(sql`
    UPDATE deliveries SET replay = replay WHERE id = ${id}
    RETURNING part, state, data_bytes,
      CASE WHEN lease_until_ms <= ${nowMs} THEN 1 ELSE 0 END AS is_free`)
  return rows[0] ?? null
}

/**
 * The parts of the event itself are counted from 0. These have the time as their number, so
 * that none is ever used twice: who has read one may keep it.
 */
async function insertPart(tx: Database, renewal: Renewal): Promise<number> {
  const { network, sequenceNumber, due, atMs } = renewal
  const truncation = due.truncation && JSON.stringify(due.truncation)
  for (let part = atMs; part < atMs + PARTS_TRIED_MAX; part++) {
    const inserted = await tx.query(sql`
      INSERT INTO results (network, sequence_number, part, data, bytes, truncation)
      VALUES (${network}, ${sequenceNumber}, ${part}, ${due.data}, ${due.bytes}, ${truncation})
      ON CONFLICT (network, sequence_number, part) DO NOTHING RETURNING part`)
    if (inserted.length === 1) return part
  }
  assert(false, 'an event is not replayed a thousand times in one millisecond')
}

async function upsertDelivery(
  tx: Database,
  id: string,
  part: number,
  renewal: Renewal,
): Promise<void> {
  const { webhookId, teamId, network, sequenceNumber, blockNumber, blockHash, atMs } = renewal
  await tx.query(sql`
    INSERT INTO deliveries
      (id, webhook_id, team_id, network, kind, sequence_number, block_number, block_hash, part,
      data_bytes, state, created_at_ms, due_at_ms, attempts_made, lease_until_ms, replay, lane)
    VALUES (${id}, ${webhookId}, ${teamId}, ${network}, 'data', ${sequenceNumber},
      ${blockNumber}, ${blockHash}, ${part}, ${renewal.due.bytes}, 'waiting', ${atMs}, ${atMs},
      0, 0, 1, 'retry')
    ON CONFLICT (id) DO UPDATE SET block_hash = excluded.block_hash, part = excluded.part,
      data_bytes = excluded.data_bytes, state = 'waiting', due_at_ms = excluded.due_at_ms,
      done_at_ms = NULL, attempts_made = 0, lease = NULL, lease_until_ms = 0, replay = 1,
      lane = 'retry'`)
}

import type { Database, Transaction } from '../../ports/database.ts'
import { growLog } from '../usage/log-bytes.ts'
import { createDeliveries } from './create-deliveries.ts'
import { holdDelivery, type KnownDelivery, restartDelivery } from './deliveries.ts'
import { unlistDone } from './done-deliveries.ts'
import { findEventOf, setBlockHash, takePart } from './events.ts'
import { dequeueAll, enqueue, LANE } from './outbox.ts'
import { dropResults, type EventResult, insertResults } from './results.ts'
import { growBacklog, undeliveredBytes } from './team-backlogs.ts'

export type Renewal = {
  teamId: string
  webhook: number
  network: string
  blockNumber: number
  blockHash: string
  sequenceNumber: number
  due: EventResult
  atMs: number
}

/**
 * Makes the result due as a replay: as the delivery that the event had, from before its first
 * attempt, or as a new one. The outcome of an attempt under way does not count.
 */
export async function renewDelivery(tx: Transaction, renewal: Renewal): Promise<void> {
  const { webhook, teamId, due, atMs } = renewal
  const known = await findEventOf(tx, webhook, renewal)
  if (known !== null) {
    await renewKnown(tx, known, renewal)
    await enqueue(tx, { event: known, webhook, lane: LANE.retry }, atMs)
    return
  }
  // An event of its own, so that the log shows it on top.
  const carried = { part: 0, dataBytes: due.bytes, previousSequence: null, replay: true }
  await createDeliveries(tx, {
    event: { ...renewal, error: null, createdAtMs: atMs },
    results: [due],
    deliveries: [{ webhook, teamId, ...carried }],
    lane: LANE.retry,
    isMarked: false,
  })
}

async function renewKnown(tx: Database, event: number, renewal: Renewal): Promise<void> {
  const { webhook, network, due } = renewal
  const held = await holdDelivery(tx, { event, webhook })
  const part = await takePart(tx, event)
  await insertResults(tx, event, [due], part)
  await restartDelivery(tx, { event, webhook }, { part, dataBytes: due.bytes })
  await setBlockHash(tx, event, renewal.blockHash)
  if (held && held.state !== 'waiting') {
    await unlistDone(tx, [{ event, webhook, state: held.state }])
  }
  await dequeueAll(tx, { webhook, event })
  const droppedBytes = await dropResults(tx, event)
  await growLog(tx, network, due.bytes - droppedBytes)
  await growBacklog(tx, renewal.teamId, undeliveredBytes(due.bytes) - countedOf(held))
}

function countedOf(known: KnownDelivery | null): number {
  const isUndelivered = known?.state === 'waiting' || known?.state === 'failed'
  return known && isUndelivered ? undeliveredBytes(known.dataBytes) : 0
}

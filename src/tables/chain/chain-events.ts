import { deliveryId } from '../../core/delivery/delivery-id.ts'
import { assert } from '../../core/errors.ts'
import { type Database, sql, sqlRows } from '../../ports/database.ts'
import {
  type EventResult,
  insertDeliveries,
  insertResults,
  type NewDelivery,
} from '../deliveries/deliveries.ts'
import { growLog, logBytesOf } from '../deliveries/log-sizes.ts'
import { webhooksOnSheetsAt } from '../deliveries/sheets/sheet-log.ts'
import { writeSheets } from '../deliveries/sheets/sheets.ts'
import { listChunks } from '../sql/statement-chunks.ts'
import { growBacklogs, undeliveredBytes } from '../usage/team-backlogs.ts'
import { type ChainMove, moveChain, moveTail, sequenceAfter } from './chain-tail.ts'

/** One result and all the webhooks it is due to. */
export type DueResult = EventResult & { webhookIds: readonly string[] }

export type ChainEvent = ChainMove & { due: readonly DueResult[] }

/** An event as it was committed. */
export type RecordedEvent = {
  /** Null when it brought nothing to anybody. */
  event: number | null
  network: string
  sequenceNumber: number
  /** In the order of what was due. */
  deliveries: readonly Delivery[]
  /** By their `part`. */
  results: readonly EventResult[]
}

const MOVE_MARK = sql`
  INSERT INTO webhook_marks (webhook_id, sequence_number) VALUES (${null}, ${null})
  ON CONFLICT (webhook_id) DO UPDATE SET sequence_number = excluded.sequence_number`

/** Of a delivery, as far as the webhook decides it. */
type Receiver = { id: string; teamId: string; previousSequence: number | null }

type ReceiverRow = { id: string; team_id: string; sequence_number: number | null }

/**
 * The one transaction of a block: the chain, the sequence number and what is due move
 * together. 'lost' when somebody else moved the chain first: then nothing is written. So an
 * event whose commit got no answer may be recorded again, and happens once.
 *
 * Hot path: what need not wait for an answer does not, since others wait for the store.
 */
export async function recordEvent(
  db: Database,
  event: ChainEvent,
): Promise<RecordedEvent | 'lost'> {
  const done = db.perform
    ? await db.perform('commitSentEvent', sentEvent(event))
    : await commitEvent(db, event)
  if (done === 'lost') return 'lost'
  const { sequenceNumber, heard } = done as CommittedEvent
  const { deliveries, results } = broughtBy(event, sequenceNumber, new Map(heard))
  const deliveryIds = deliveries.map(({ id }) => id)
  const { network, inHand = false } = event
  return { network, sequenceNumber, inHand, deliveries, results, deliveryIds }
}

/** An event on its way to another thread, where many small values travel slower than one. */
export type SentEvent = Omit<ChainEvent, 'due'> & { texts: string; rest: string }

type RestOfDue = Omit<DueResult, 'data'> & { chars: number }

function sentEvent({ due, ...event }: ChainEvent): SentEvent {
  const rest = due.map(({ data, ...one }): RestOfDue => ({ ...one, chars: data.length }))
  return { ...event, texts: due.map(({ data }) => data).join(''), rest: JSON.stringify(rest) }
}

export function commitSentEvent(
  db: Database,
  { texts, rest, ...event }: SentEvent,
): Promise<CommittedEvent | 'lost'> {
  let end = 0
  const due = (JSON.parse(rest) as RestOfDue[]).map(({ chars, ...one }): DueResult => {
    end += chars
    return { ...one, data: texts.slice(end - chars, end) }
  })
  return commitEvent(db, { ...event, due })
}

/** As much as has to be said of it: who of those it is due to is active. */
type CommittedEvent = { sequenceNumber: number; heard: [webhookId: string, Receiver][] }

function commitEvent(db: Database, event: ChainEvent): Promise<CommittedEvent | 'lost'> {
  return db.transaction(async (tx) => {
    const webhookIds = event.due.flatMap((one) => one.webhookIds)
    assert(new Set(webhookIds).size === webhookIds.length, 'a webhook has one result for a block')
    const sequenceNumber = sequenceAfter(event.previousSequence)
    const [moved, receivers] = await Promise.all([
      moveChain(tx, event),
      findReceivers(tx, webhookIds, sequenceNumber),
    ])
    if (moved === null) return 'lost'

    await Promise.all([
      commitDue(tx, event, sequenceNumber, receivers),
      moveTail(tx, event, sequenceNumber),
    ])
    return { sequenceNumber, heard: [...receivers] }
  })
}

/**
 * The active webhooks that want to hear of removals and had a result of that height
 * committed: their next version of it is delivered even when it is empty.
 */
export async function webhooksWithDeliveryAt(
  db: Database,
  network: string,
  blockNumber: number,
): Promise<Set<string>> {
  const rows = await db.query<{ id: string; has_row: number }>(sql`
    SELECT id, CASE WHEN EXISTS (
      SELECT 1 FROM deliveries WHERE deliveries.webhook_id = webhooks.id
        AND deliveries.block_number = ${blockNumber} AND deliveries.kind = 'data')
      THEN 1 ELSE 0 END AS has_row
    FROM webhooks WHERE network = ${network} AND notify_removed = 1 AND state = 'active'`)
  const isSure = rows.every(({ has_row }) => has_row === 1)
  const onSheets = isSure ? new Set() : await webhooksOnSheetsAt(db, network, blockNumber)
  const found = rows.filter(({ id, has_row }) => has_row === 1 || onSheets.has(id))
  return new Set(found.map(({ id }) => id))
}

async function commitDue(
  tx: Database,
  event: ChainEvent,
  sequenceNumber: number,
  receivers: ReadonlyMap<string, Receiver>,
): Promise<void> {
  const { deliveries, results } = broughtBy(event, sequenceNumber, receivers)
  await Promise.all([
    insertResults(tx, event.network, sequenceNumber, results),
    event.inHand
      ? writeSheets(tx, event, sequenceNumber, deliveries)
      : insertDeliveries(tx, deliveries),
    moveMarks(tx, deliveries),
    growLog(tx, event.network, logBytesOf(results, deliveries.length)),
    growBacklogs(tx, backlogsOf(deliveries)),
  ])
}

function backlogsOf(deliveries: readonly NewDelivery[]): Map<string, number> {
  const byTeam = new Map<string, number>()
  for (const { teamId, dataBytes } of deliveries) {
    byTeam.set(teamId, (byTeam.get(teamId) ?? 0) + undeliveredBytes(dataBytes))
  }
  return byTeam
}

/** The deliveries of an event, and the results that anybody gets. */
function broughtBy(
  event: ChainEvent,
  sequenceNumber: number,
  receivers: ReadonlyMap<string, Receiver>,
): Pick<EventNews, 'deliveries' | 'results'> {
  const results: EventResult[] = []
  const deliveries: NewDelivery[] = []
  for (const due of event.due) {
    const wanted = deliveriesOf(due, receivers, event, sequenceNumber, results.length)
    if (wanted.length === 0) continue
    results.push(due)
    for (const one of wanted) deliveries.push(one)
  }
  return { deliveries, results }
}

/**
 * Those that are active now, not when the queries were run. Who pauses one holds the events
 * of its network meanwhile, and we hold its chain: neither can miss the other.
 */
async function findReceivers(
  tx: Database,
  webhookIds: readonly string[],
  sequenceNumber: number,
): Promise<Map<string, Receiver>> {
  const receivers = new Map<string, Receiver>()
  for (const ids of listChunks(webhookIds)) {
    const rows = await tx.query<ReceiverRow>(sql`
      SELECT webhooks.id, webhooks.team_id, webhook_marks.sequence_number
      FROM webhooks LEFT JOIN webhook_marks ON webhook_marks.webhook_id = webhooks.id
      WHERE webhooks.state = 'active' AND webhooks.id IN ${sqlRows([ids])}`)
    for (const row of rows) {
      const { team_id: teamId, sequence_number: previousSequence } = row
      receivers.set(row.id, { id: deliveryId(row.id, sequenceNumber), teamId, previousSequence })
    }
  }
  return receivers
}

function deliveriesOf(
  { webhookIds, bytes }: DueResult,
  receivers: ReadonlyMap<string, Receiver>,
  event: ChainEvent,
  sequenceNumber: number,
  part: number,
): NewDelivery[] {
  const deliveries: NewDelivery[] = []
  for (const webhookId of webhookIds) {
    const receiver = receivers.get(webhookId)
    if (!receiver) continue
    deliveries.push({
      id: receiver.id,
      webhookId,
      teamId: receiver.teamId,
      network: event.network,
      sequenceNumber,
      blockNumber: event.header.number,
      blockHash: event.header.hash,
      part,
      dataBytes: bytes,
      previousSequence: receiver.previousSequence,
      createdAtMs: event.atMs,
    })
  }
  return deliveries
}

async function moveMarks(tx: Database, deliveries: readonly NewDelivery[]): Promise<void> {
  const rows = deliveries.map((one) => [one.webhookId, one.sequenceNumber])
  await tx.each(MOVE_MARK, rows)
}

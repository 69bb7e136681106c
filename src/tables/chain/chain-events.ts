import { deliveryId } from '../../core/delivery/delivery-id.ts'
import { assert } from '../../core/errors.ts'
import {
  type Database,
  type Procedure,
  sql,
  sqlRows,
  type Transaction,
} from '../../ports/database.ts'
import { createDeliveries } from '../deliveries/create-deliveries.ts'
import type { Delivery } from '../deliveries/delivery.ts'
import { LANE } from '../deliveries/outbox.ts'
import type { EventResult } from '../deliveries/results.ts'
import { listChunks } from '../sql/row-chunks.ts'
import { type ChainMove, type MovedTip, moveChain, moveTail, sequenceAfter } from './chain-tail.ts'

export type DueResult = EventResult & { webhookIds: readonly string[] }

export type ChainEvent = ChainMove & { due: readonly DueResult[] }

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

/**
 * An event as it travels to another thread: the texts of its results one after the other, cut
 * into pieces of a size that memory is quickly found for, and everything else as JSON.
 */
type SentEvent = [rest: string, ...pieces: string[]]

type RestOfEvent = ChainMove & { due: readonly RestOfDue[] }

type RestOfDue = Omit<DueResult, 'data'> & { chars: number }

/**
 * The answer of the thread: for each webhook that something was due to, in their order, its number
 * (0 unless it is active), the place of its team, and its last number before. The ids of the
 * deliveries are one text, so that few values travel back.
 */
type CommittedEvent = {
  event: number | null
  receivers: Float64Array
  teams: string[]
  ids: string
}

type Receiver = { number: number; teamId: string; previousSequence: number | null }

/** A piece is at least that long, or is the last. */
const PIECE_CHARS = 32_768

const RECEIVER_COLUMNS = 3
const NO_PREVIOUS = -1

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
  const committed = await db.perform(commitEvent, [event])
  return committed === 'lost' ? 'lost' : recordedEvent(event, committed)
}

export const commitEvent: Procedure<[ChainEvent], CommittedEvent | 'lost'> = {
  name: 'commitEvent',
  pack: ([event]) => sentEvent(event),
  unpack: (sent) => [chainEventOf(sent as SentEvent)],
  async run(tx, [{ due, ...move }]) {
    const webhookIds = due.flatMap((one) => one.webhookIds)
    assert(new Set(webhookIds).size === webhookIds.length, 'a webhook has one result for a block')
    const [moved, receivers] = await Promise.all([
      moveChain(tx, move),
      findReceivers(tx, webhookIds),
    ])
    if (moved === null) return 'lost'

    const [event] = await Promise.all([
      receivers.size > 0 ? commitDue(tx, { ...move, due }, moved, receivers) : null,
      moveTail(tx, move, moved.sequenceNumber),
    ])
    return committedEvent(event, moved.sequenceNumber, webhookIds, receivers)
  },
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
  const rows = await db.query<{ id: string }>(sql`
    SELECT id FROM webhooks
    WHERE network = ${network} AND notify_removed = 1 AND state = 'active' AND EXISTS (
      SELECT 1 FROM events
      WHERE events.network = ${network} AND events.block_number = ${blockNumber}
        AND COALESCE(events.webhook, webhooks.number) = webhooks.number AND EXISTS (
          SELECT 1 FROM deliveries
          WHERE deliveries.key = events.event * 16777216 + webhooks.number))`)
  return new Set(rows.map(({ id }) => id))
}

function sentEvent({ due, ...move }: ChainEvent): SentEvent {
  const pieces: string[] = []
  let piece = ''
  for (const { data } of due) {
    piece += data
    if (piece.length < PIECE_CHARS) continue
    pieces.push(piece)
    piece = ''
  }
  const lengths = due.map(({ data, ...one }): RestOfDue => ({ ...one, chars: data.length }))
  const rest: RestOfEvent = { ...move, due: lengths }
  return [JSON.stringify(rest), ...pieces, piece]
}

function chainEventOf([rest, ...pieces]: SentEvent): ChainEvent {
  const event = JSON.parse(rest) as RestOfEvent
  let end = 0
  let at = 0
  const due = event.due.map(({ chars, ...one }): DueResult => {
    // A text lies within one piece.
    if (end >= (pieces[at] ?? '').length && chars > 0) {
      at += 1
      end = 0
    }
    end += chars
    return { ...one, data: (pieces[at] ?? '').slice(end - chars, end) }
  })
  return { ...event, due }
}

/** The number of the event. Its results are those that anybody gets. */
function commitDue(
  tx: Transaction,
  { network, header, atMs, due }: ChainEvent,
  { sequenceNumber, isRerun }: MovedTip,
  receivers: ReadonlyMap<string, Receiver>,
): Promise<number> {
  const results = due.filter(({ webhookIds }) => webhookIds.some((id) => receivers.has(id)))
  const deliveries = results.flatMap(({ webhookIds, bytes }, part) =>
    webhookIds.flatMap((id) => {
      const receiver = receivers.get(id)
      if (!receiver) return []
      const { number: webhook, teamId, previousSequence } = receiver
      return [{ webhook, teamId, part, dataBytes: bytes, previousSequence }]
    }),
  )
  // In the order of their keys, which is that of the tables.
  deliveries.sort((a, b) => a.webhook - b.webhook)
  return createDeliveries(tx, {
    event: {
      network,
      sequenceNumber,
      webhook: null,
      blockNumber: header.number,
      blockHash: header.hash,
      error: null,
      createdAtMs: atMs,
      isRerun,
    },
    results,
    deliveries,
    lane: LANE.new,
    isMarked: true,
  })
}

/**
 * The webhooks that are active now, not when the queries were run. A pause holds the events of
 * the network meanwhile, and we hold its chain: neither can miss the other.
 */
async function findReceivers(
  tx: Database,
  webhookIds: readonly string[],
): Promise<Map<string, Receiver>> {
  const receivers = new Map<string, Receiver>()
  for (const ids of listChunks(webhookIds)) {
    const rows = await tx.query<Receiver & { id: string }>(sql`
      SELECT webhooks.id, webhooks.number, webhooks.team_id AS "teamId",
        webhook_marks.sequence_number AS "previousSequence"
      FROM webhooks LEFT JOIN webhook_marks ON webhook_marks.webhook = webhooks.number
      WHERE webhooks.id IN ${sqlRows([ids])} AND webhooks.state = 'active'`)
    for (const row of rows) receivers.set(row.id, row)
  }
  return receivers
}

function committedEvent(
  event: number | null,
  sequenceNumber: number,
  webhookIds: readonly string[],
  receivers: ReadonlyMap<string, Receiver>,
): CommittedEvent {
  const columns = new Float64Array(webhookIds.length * RECEIVER_COLUMNS)
  const teamPlaces = new Map<string, number>()
  const ids: string[] = []
  for (const [at, webhookId] of webhookIds.entries()) {
    const receiver = receivers.get(webhookId)
    if (!receiver) continue
    const { number, teamId, previousSequence } = receiver
    const teamAt = teamPlaces.get(teamId) ?? teamPlaces.size
    teamPlaces.set(teamId, teamAt)
    columns.set([number, teamAt, previousSequence ?? NO_PREVIOUS], at * RECEIVER_COLUMNS)
    ids.push(deliveryId(webhookId, sequenceNumber))
  }
  return { event, receivers: columns, teams: [...teamPlaces.keys()], ids: ids.join(' ') }
}

function recordedEvent(
  { network, previousSequence, header, atMs, due }: ChainEvent,
  { event, receivers, teams, ids }: CommittedEvent,
): RecordedEvent {
  const sequenceNumber = sequenceAfter(previousSequence)
  const nextId = ids.split(' ').values()
  const results: EventResult[] = []
  const deliveries: Delivery[] = []
  let at = 0
  for (const result of due) {
    const before = deliveries.length
    for (const webhookId of result.webhookIds) {
      const webhook = receivers[at++] ?? 0
      const teamAt = receivers[at++] ?? 0
      const previous = receivers[at++] ?? NO_PREVIOUS
      if (webhook === 0 || event === null) continue
      deliveries.push({
        event,
        webhook,
        id: nextId.next().value ?? '',
        webhookId,
        teamId: teams[teamAt] ?? '',
        network,
        kind: 'data',
        sequenceNumber,
        blockNumber: header.number,
        blockHash: header.hash,
        part: results.length,
        dataBytes: result.bytes,
        error: null,
        previousSequence: previous === NO_PREVIOUS ? null : previous,
        replay: false,
        createdAtMs: atMs,
        version: 0,
        attemptsMade: 0,
      })
    }
    if (deliveries.length > before) results.push(result)
  }
  return { event, network, sequenceNumber, deliveries, results }
}

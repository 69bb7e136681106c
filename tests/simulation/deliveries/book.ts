import { deliveryId } from '../../../src/core/delivery/delivery-id.ts'
import { REST } from '../../../src/tables/usage/log-bytes.ts'
import { WORLD } from '../../support/product/world.ts'
import type {
  Change,
  DeliveryRow,
  DoneRow,
  EventRow,
  MonthRow,
  OutboxRow,
  ResultRow,
  TeamRow,
  WebhookRow,
} from './journal-changes.ts'
import { type Owners, openOwners } from './owners.ts'

/** A row as somebody has written it, at that time of the run. */
export type Version<Row> = { row: Row; fromMs: number; by: string }

/** A delivery put together from all tables that say something of it. */
export type BookedRow = {
  event: number
  webhook: number
  id: string
  webhook_id: string
  team_id: string
  kind: 'data' | 'error'
  sequence_number: number
  block_number: number | null
  part: number | null
  error: string | null
  previous_sequence: number | null
  created_at_ms: number
  state: 'waiting' | 'delivered' | 'failed' | 'cancelled'
  version: number
  attempts_made: number
  replay: boolean
  body_bytes: number | null
  /** Of its entry in the outbox. */
  lane: 'new' | 'retry' | 'error' | null
  due_at_ms: number
}

/** What a delivery was before a transaction, and what it is after it. */
export type Move = { old: BookedRow | null; now: BookedRow }

/** A delivery as it is committed, and what was seen of it. */
export type BookedDelivery = {
  row: BookedRow
  /** As it ever was, and who wrote it so. The newest last. */
  versions: Version<BookedRow>[]
  /** When somebody last had it sent anew, in the time of the run. */
  againAtMs: number | null
  /** The epochs of its shard in which it was sent. */
  sentIn: Set<string>
}

/** A webhook as it is committed, and since when. */
export type BookedWebhook = {
  row: WebhookRow
  /** The newest last. */
  versions: Version<WebhookRow>[]
  deliveries: BookedDelivery[]
}

/** What the store holds, as its journal tells it. */
export type Book = {
  events: Map<number, EventRow>
  /** By key; as stored, each in its table. */
  rows: Map<string, DeliveryRow>
  outbox: Map<string, OutboxRow[]>
  done: Map<string, DoneRow[]>
  /** What is delivered of later events is in no list yet. */
  lastListed: number
  /** By public id. */
  deliveries: Map<string, BookedDelivery>
  webhooks: Map<string, BookedWebhook>
  byNumber: Map<number, BookedWebhook>
  /** Also those that are gone again, since bodies may have been made of them. */
  results: Map<string, ResultRow>
  teams: Map<string, TeamRow>
  /** By team and month. */
  months: Map<string, number>
  backlogs: Map<string, { bytes: number; draining: boolean }>
  owners: Owners
}

const STATES = ['waiting', 'delivered', 'failed', 'cancelled'] as const
const LANES = ['new', 'retry', 'error'] as const

export function openBook(): Book {
  return {
    events: new Map(),
    rows: new Map(),
    outbox: new Map(),
    done: new Map(),
    // PostgreSQL lists what is delivered at once, whatever its event.
    lastListed: WORLD === 'postgres' ? Number.POSITIVE_INFINITY : 0,
    deliveries: new Map(),
    webhooks: new Map(),
    byNumber: new Map(),
    results: new Map(),
    teams: new Map(),
    months: new Map(),
    backlogs: new Map(),
    owners: openOwners(),
  }
}

export function keyOf({ event, webhook }: { event: number; webhook: number }): string {
  return `${event}/${webhook}`
}

export function resultKey({ event, part }: { event: number; part: number | null }): string {
  return `${event}/${part}`
}

export function monthKey({ team_id, month }: Pick<MonthRow, 'team_id' | 'month'>): string {
  return `${team_id} ${month}`
}

/** Writes a change into the book; what it means for a delivery is judged when all are in. */
export function enter(book: Book, change: Change, fromMs: number, by: string): void {
  switch (change.table) {
    case 'deliveries':
      return void put(book.rows, keyOf(change.now ?? change.old ?? NOWHERE), change.now)
    case 'done_deliveries':
      return void enterEntry(book.done, change, ({ state }) => state)
    case 'outbox':
      return void enterEntry(book.outbox, change, ({ lane }) => lane)
  }
  if (change.now === null) return
  switch (change.table) {
    case 'events':
      return void book.events.set(change.now.event, change.now)
    case 'listing':
      book.lastListed = change.now.event
      return
    case 'results':
      return void book.results.set(resultKey(change.now), change.now)
    case 'webhooks':
      return void enterWebhook(book, { row: change.now, fromMs, by })
    case 'teams':
      return void book.teams.set(change.now.id, change.now)
    case 'team_months':
      return void book.months.set(monthKey(change.now), change.now.centi_cu)
    case 'team_backlogs': {
      const { team_id, part, bytes, draining } = change.now
      const known = book.backlogs.get(team_id) ?? { bytes: 0, draining: false }
      return void book.backlogs.set(team_id, {
        bytes: known.bytes + bytes - (change.old?.bytes ?? 0),
        draining: part === REST ? draining === 1 : known.draining,
      })
    }
  }
}

/** What the tables say of a delivery together; null when it has no row. */
export function standingOf(book: Book, key: string): BookedRow | null {
  const row = book.rows.get(key)
  const event = row && book.events.get(row.event)
  const webhook = row && book.byNumber.get(row.webhook)?.row
  if (!row || !event || !webhook) return null
  const entry = book.outbox.get(key)?.[0]
  return {
    event: row.event,
    webhook: row.webhook,
    id: deliveryId(webhook.id, event.sequence_number),
    webhook_id: webhook.id,
    team_id: webhook.team_id,
    kind: event.error === null ? 'data' : 'error',
    sequence_number: event.sequence_number,
    block_number: event.block_number,
    part: row.part,
    error: event.error,
    previous_sequence: row.previous_sequence,
    created_at_ms: event.created_at_ms,
    state: STATES[row.state] ?? 'waiting',
    version: row.version,
    attempts_made: row.attempts_made,
    replay: row.replay === 1,
    body_bytes: row.body_bytes,
    lane: entry ? (LANES[entry.lane] ?? null) : null,
    due_at_ms: entry?.due_at_ms ?? 0,
  }
}

/** Tables that contradict each other: null when what they say of a delivery agrees. */
export function disagreement(book: Book, key: string): string | null {
  const row = book.rows.get(key)
  const waits = book.outbox.get(key) ?? []
  const done = book.done.get(key) ?? []
  if (!row) return waits.length + done.length > 0 ? 'it has no row' : null
  const standing = standingOf(book, key)
  if (!standing) return 'it has no event or no webhook'
  const { state, kind, version, attempts_made, lane } = standing
  const isWaiting = state === 'waiting'
  if (waits.length !== (isWaiting ? 1 : 0)) {
    return `it is ${state} and has ${waits.length} entries in the outbox`
  }
  const isUnlisted = isWaiting || (state === 'delivered' && row.event > book.lastListed)
  if (done.length !== (isUnlisted ? 0 : 1) || (done[0] && done[0].state !== row.state)) {
    return `it is ${state} and done ${done.map((one) => one.state)}`
  }
  if (!isWaiting) return null
  const isNew = version === 0 && attempts_made === 0
  const rightLane = kind === 'error' ? 'error' : isNew ? 'new' : 'retry'
  return lane === rightLane ? null : `it waits in lane ${lane} instead of ${rightLane}`
}

/** Makes what a delivery is now its newest version. */
export function enterStanding(book: Book, row: BookedRow, fromMs: number, by: string): void {
  const version = { row, fromMs, by }
  const known = book.deliveries.get(row.id)
  if (known) {
    known.row = row
    known.versions.push(version)
    return
  }
  const made: BookedDelivery = { row, versions: [version], againAtMs: null, sentIn: new Set() }
  book.deliveries.set(row.id, made)
  book.webhooks.get(row.webhook_id)?.deliveries.push(made)
}

const NOWHERE = { event: 0, webhook: 0 }

function put<Row>(rows: Map<string, Row>, key: string, now: Row | null): void {
  if (now) rows.set(key, now)
  else rows.delete(key)
}

function enterEntry<Row extends { event: number; webhook: number }>(
  entries: Map<string, Row[]>,
  { old, now }: { old: Row | null; now: Row | null },
  place: (row: Row) => number,
): void {
  if (old) {
    const all = entries.get(keyOf(old)) ?? []
    const left = all.filter((row) => place(row) !== place(old))
    entries.set(keyOf(old), left)
  }
  if (now) entries.set(keyOf(now), [...(entries.get(keyOf(now)) ?? []), now])
}

function enterWebhook(book: Book, version: Version<WebhookRow>): void {
  const { row } = version
  const known = book.webhooks.get(row.id)
  if (known) {
    book.byNumber.delete(known.row.number)
    known.row = row
    known.versions.push(version)
    book.byNumber.set(row.number, known)
    return
  }
  const made: BookedWebhook = { row, versions: [version], deliveries: [] }
  book.webhooks.set(row.id, made)
  book.byNumber.set(row.number, made)
}

import type {
  Change,
  ChangeOf,
  DeliveryRow,
  MonthRow,
  ResultRow,
  TeamRow,
  WebhookRow,
} from './journal-changes.ts'

/** A row as somebody has written it, at that time of the run. */
export type Version<Row> = { row: Row; fromMs: number; by: string }

/** A delivery as it is committed, and what was seen of it. */
export type BookedDelivery = {
  row: DeliveryRow
  /** As it ever was, and who wrote it so. The newest last. */
  versions: Version<DeliveryRow>[]
  /** Who had it claimed under which name, in order. */
  claims: { by: string; lease: string }[]
  /** When somebody last had it sent anew, in the time of the run. */
  againAtMs: number | null
  wasSent: boolean
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
  deliveries: Map<string, BookedDelivery>
  webhooks: Map<string, BookedWebhook>
  /** Also those that are gone again, since bodies may have been made of them. */
  results: Map<string, ResultRow>
  teams: Map<string, TeamRow>
  /** By team and month. */
  months: Map<string, number>
}

export function openBook(): Book {
  return {
    deliveries: new Map(),
    webhooks: new Map(),
    results: new Map(),
    teams: new Map(),
    months: new Map(),
  }
}

export function resultKey(row: Pick<DeliveryRow, 'sequence_number' | 'part'>): string {
  return `${row.sequence_number} ${row.part}`
}

export function monthKey({ team_id, month }: Pick<MonthRow, 'team_id' | 'month'>): string {
  return `${team_id} ${month}`
}

/** Writes a change into the book. What it means is judged before. */
export function enter(book: Book, change: Change, fromMs: number, by: string): void {
  if (change.table === 'deliveries') enterDelivery(book, change, fromMs, by)
  if (change.now === null) return
  if (change.table === 'webhooks') enterWebhook(book, { row: change.now, fromMs, by })
  if (change.table === 'results') book.results.set(resultKey(change.now), change.now)
  if (change.table === 'teams') book.teams.set(change.now.id, change.now)
  if (change.table === 'team_months') book.months.set(monthKey(change.now), change.now.centi_cu)
}

function enterDelivery(
  book: Book,
  { old, now }: ChangeOf<'deliveries'>,
  fromMs: number,
  by: string,
): void {
  const id = (now ?? old)?.id ?? ''
  const known = book.deliveries.get(id)
  if (!now) return void book.deliveries.delete(id)
  if (known) {
    known.row = now
    known.versions.push({ row: now, fromMs, by })
    return
  }
  const versions = [{ row: now, fromMs, by }]
  const made: BookedDelivery = { row: now, versions, claims: [], againAtMs: null, wasSent: false }
  book.deliveries.set(id, made)
  book.webhooks.get(now.webhook_id)?.deliveries.push(made)
}

function enterWebhook(book: Book, version: Version<WebhookRow>): void {
  const { row } = version
  const known = book.webhooks.get(row.id)
  if (!known) {
    book.webhooks.set(row.id, { row, versions: [version], deliveries: [] })
    return
  }
  known.row = row
  known.versions.push(version)
}

import { deliveryId } from '../../../core/delivery/delivery-id.ts'
import { type Database, sql } from '../../../ports/database.ts'
import { receiversOf, SPAN_EVENTS, spanOf } from './sheet-form.ts'
import {
  deliveryOnSheet,
  isOwned,
  type SheetDelivery,
  type SheetOwner,
  sheetsOfEvent,
} from './sheet-log.ts'

export type SheetQuestion = {
  owner: SheetOwner
  /** Those created later are passed over. */
  upToMs: number
  limit: number
  /** When others were created that compete for the same places. */
  knownMs: readonly number[]
  isMeant(one: SheetDelivery): boolean
}

/** A way down the events of a network, from delivery to delivery of some webhooks. */
type Walk = {
  owner: SheetOwner
  network: string
  /** Of the oldest event with a sheet: there every way ends. */
  oldest: number
  /** Of the newest event that is meant. */
  newest: number
  /** The next delivery of each webhook. */
  places: Map<string, number>
}

type WalkRow = { network: string; oldest: number | null; newest: number | null }

type WalkedEvent = { walk: Walk; createdAtMs: number; deliveries: SheetDelivery[] }

/**
 * Events and rows that are read for one page, less than 0.1 ms each. Hardly any page takes more
 * than it has lines. But where thousands in a row had to be moved, delivered ones from before
 * them are looked for one by one, and a page may end before it comes to them.
 */
const STEPS_MAX = 2_000

/** Nothing came before the first delivery; no event has this number. */
const NOWHERE = -1

/**
 * The newest that stand on sheets, at least as many as are wanted, in no order; null when there
 * are no sheets. They are read in the order of their numbers, which is that of time unless the
 * clock was set back meanwhile: then a page may lack some from those moments.
 */
export async function newestOnSheets(
  db: Database,
  question: SheetQuestion,
): Promise<SheetDelivery[] | null> {
  const { limit } = question
  const walks = await enterLogs(db, question)
  if (walks.length === 0) return null

  const budget = { steps: STEPS_MAX }
  const found: SheetDelivery[] = []
  const heads: WalkedEvent[] = []
  for (const walk of walks) heads.push(...(await nextEvent(db, walk, budget)))
  let timesMs = question.knownMs
  for (let at = newestAt(heads); at !== null; at = newestAt(heads)) {
    const [event] = heads.splice(at, 1) as [WalkedEvent]
    timesMs = timesMs.toSorted((a, b) => b - a).slice(0, limit)
    const lastMs = timesMs[limit - 1]
    if (lastMs !== undefined && event.createdAtMs < lastMs) break
    const meant = event.deliveries.filter(question.isMeant)
    found.push(...meant)
    timesMs = [...timesMs, ...meant.map(({ createdAtMs }) => createdAtMs)]
    heads.push(...(await nextEvent(db, event.walk, budget)))
  }
  return found
}

/** Where to begin, for each network: at a webhook's last delivery, or not far above the page. */
async function enterLogs(db: Database, { owner, upToMs }: SheetQuestion): Promise<Walk[]> {
  const networks = await db.query<WalkRow>(sql`
    SELECT owned.network,
      (SELECT MIN(sequence_number) FROM sheets WHERE sheets.network = owned.network) AS oldest,
      (SELECT sequence_number FROM sheets
        WHERE sheets.network = owned.network AND created_at_ms <= ${upToMs}
        ORDER BY created_at_ms DESC, sequence_number DESC LIMIT 1) AS newest
    FROM (SELECT DISTINCT webhooks.network FROM webhooks WHERE ${isOwned(owner)}) AS owned`)
  const walks: Walk[] = []
  for (const { network, oldest, newest } of networks) {
    if (oldest === null) continue
    const places = newest === null ? [] : await placesOf(db, owner, { network, oldest, newest })
    const next = new Map(places.map(({ id, place }) => [id, place]))
    walks.push({ owner, network, oldest, newest: newest ?? NOWHERE, places: next })
  }
  return walks
}

function placesOf(
  db: Database,
  owner: SheetOwner,
  { network, oldest, newest }: Pick<Walk, 'network' | 'oldest' | 'newest'>,
): Promise<{ id: string; place: number }[]> {
  return db.query(sql`
    SELECT webhooks.id, COALESCE(
      (SELECT COALESCE(previous_sequence, ${NOWHERE}) FROM log_spans
        WHERE log_spans.webhook_id = webhooks.id AND span > ${spanOf(newest)}
        ORDER BY span LIMIT 1),
      webhook_marks.sequence_number) AS place
    FROM webhooks JOIN webhook_marks ON webhook_marks.webhook_id = webhooks.id
    WHERE ${isOwned(owner)} AND webhooks.network = ${network}
      AND webhook_marks.sequence_number >= ${oldest}`)
}

/** What the next event brought that is on sheets; empty at the end of the way. */
async function nextEvent(
  db: Database,
  walk: Walk,
  budget: { steps: number },
): Promise<[WalkedEvent] | []> {
  const { owner, network, places } = walk
  for (;;) {
    let at = NOWHERE
    for (const place of places.values()) at = Math.max(at, place)
    if (at < walk.oldest || budget.steps-- <= 0) return []

    const deliveries: SheetDelivery[] = []
    const rows = await sheetsOfEvent(db, owner, network, at)
    for (const row of rows) {
      for (const [index, receiver] of receiversOf(row).entries()) {
        const [webhookId, , , , previous] = receiver
        if (places.get(webhookId) !== at) continue
        places.set(webhookId, previous ?? NOWHERE)
        const delivery = deliveryOnSheet(row, index, receiver)
        if (delivery) deliveries.push(delivery)
      }
    }
    for (const [webhookId, place] of places) {
      if (place !== at) continue
      budget.steps--
      places.set(webhookId, await placeBelow(db, network, webhookId, at))
    }
    const [row] = rows
    if (row && at <= walk.newest) return [{ walk, createdAtMs: row.created_at_ms, deliveries }]
  }
}

/**
 * Of one that never was on a sheet its row tells. Where that has gone before older ones have,
 * the events right below are looked through, and then the log is entered anew.
 */
async function placeBelow(
  db: Database,
  network: string,
  webhookId: string,
  at: number,
): Promise<number> {
  const [row] = await db.query<{ previous_sequence: number | null }>(sql`
    SELECT previous_sequence FROM deliveries WHERE id = ${deliveryId(webhookId, at)}`)
  if (row && row.previous_sequence !== null) return row.previous_sequence
  const [near] = await db.query<{ place: number | null }>(sql`
    SELECT MAX(sequence_number) AS place FROM sheets
    WHERE network = ${network} AND sequence_number < ${at}
      AND sequence_number >= ${at - SPAN_EVENTS} AND receivers LIKE ${`%"${webhookId}"%`}`)
  if (near && near.place !== null) return near.place
  const [span] = await db.query<{ previous_sequence: number | null }>(sql`
    SELECT previous_sequence FROM log_spans
    WHERE webhook_id = ${webhookId} AND span <= ${spanOf(at)} ORDER BY span DESC LIMIT 1`)
  return span?.previous_sequence ?? NOWHERE
}

function newestAt(heads: readonly WalkedEvent[]): number | null {
  let newest: number | null = null
  for (const [at, { createdAtMs }] of heads.entries()) {
    if (newest === null || createdAtMs > (heads[newest]?.createdAtMs ?? 0)) newest = at
  }
  return newest
}

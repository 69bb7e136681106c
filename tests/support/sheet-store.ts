import type { Database } from '../../src/ports/database.ts'
import { sql } from '../../src/ports/database.ts'
import { type RecordedEvent, recordEvent } from '../../src/tables/chain/chain-events.ts'
import { readChain } from '../../src/tables/chain/chain-tail.ts'
import {
  type AttemptOutcome,
  writeOutcomes,
} from '../../src/tables/deliveries/delivery-outcomes.ts'
import { logBytes, logBytesOf } from '../../src/tables/deliveries/log-sizes.ts'
import { receiversOf } from '../../src/tables/deliveries/sheets/sheet-form.ts'
import { undeliveredBytes } from '../../src/tables/usage/team-backlogs.ts'
import { factsOf, NOW_MS, outcomeOf } from './delivery-store.ts'
import { eventAt, NETWORK } from './webhook-store.ts'

type EventWish = { atMs?: number; network?: string; inHand?: boolean; data?: string }

/** The next block of a network, with a result of its own for each of those lists of webhooks. */
export async function eventTo(
  db: Database,
  lists: readonly (readonly string[])[],
  { atMs = NOW_MS, network = NETWORK, inHand = true, data = '{"block":{}}' }: EventWish = {},
): Promise<RecordedEvent> {
  const chain = await readChain(db, network)
  const height = (chain?.headers.at(-1)?.number ?? 0) + 1
  const due = lists.map((webhookIds, part) => {
    const text = `${data}${part === 0 ? '' : part}`
    return { data: text, bytes: Buffer.byteLength(text), truncation: null, webhookIds }
  })
  const event = eventAt(height, chain?.sequenceNumber ?? null, { network, atMs, due, inHand })
  const recorded = await recordEvent(db, event)
  if (recorded === 'lost') throw new Error('nobody else moves this chain')
  return recorded
}

/** What becomes of the first attempt at a delivery of an event, on its sheet or in its row. */
export function outcomeAt(
  event: RecordedEvent,
  position: number,
  next: AttemptOutcome['next'],
  startedAtMs: number,
): AttemptOutcome {
  const delivery = event.deliveries[position]
  if (!delivery) throw new Error('the event has no such delivery')
  const { network, sequenceNumber, inHand } = event
  const status = next.kind === 'delivered' ? 200 : 503
  const { part, webhookId, id, teamId, dataBytes } = delivery
  return outcomeOf(id, '', {
    open: inHand ? { network, sequenceNumber, position } : null,
    attempt: next.kind === 'released' ? null : factsOf({ startedAtMs, status }),
    bodyBytes: 1_000 + position,
    part,
    webhookId,
    teamId,
    dataBytes,
    next,
  })
}

/** All deliveries of an event arrive, but for some. */
export async function arrive(
  db: Database,
  event: RecordedEvent,
  { except = [] as readonly string[], startedAtMs = NOW_MS } = {},
): Promise<void> {
  const outcomes: AttemptOutcome[] = []
  for (const [position, { webhookId }] of event.deliveries.entries()) {
    if (except.includes(webhookId)) continue
    outcomes.push(outcomeAt(event, position, { kind: 'delivered' }, startedAtMs))
  }
  const held = await writeOutcomes(db, outcomes)
  if (held.size !== outcomes.length) throw new Error('all of these were to arrive')
}

/** What the log holds, counted row by row and sheet by sheet. */
async function bytesCounted(db: Database): Promise<number> {
  const rows = await db.query<{ attempts_bytes: number }>(
    sql`SELECT attempts_bytes FROM deliveries`,
  )
  const results = await db.query<{ bytes: number }>(sql`SELECT bytes FROM results`)
  const sheets = await db.query<{ marks: string; arrivals: string }>(sql`
    SELECT marks, arrivals FROM sheets`)
  const standing = sheets.reduce((sum, { marks }) => sum + marks.replaceAll('m', '').length, 0)
  const lines = sheets.reduce((sum, { arrivals }) => sum + Buffer.byteLength(arrivals), 0)
  const attempts = rows.reduce((sum, { attempts_bytes }) => sum + attempts_bytes, 0)
  return logBytesOf(results, rows.length + standing) + attempts + lines
}

/** By how much the size that is kept is wrong. */
export async function bytesMiscounted(db: Database): Promise<number> {
  return (await logBytes(db)) - (await bytesCounted(db))
}

/** What is undelivered of each team, counted row by row and sheet by sheet, less what is kept. */
export async function backlogsMiscounted(db: Database): Promise<Record<string, number>> {
  const wrong: Record<string, number> = {}
  const add = (teamId: string, bytes: number) => {
    wrong[teamId] = (wrong[teamId] ?? 0) + bytes
  }
  const rows = await db.query<{ team_id: string; data_bytes: number }>(sql`
    SELECT team_id, data_bytes FROM deliveries
    WHERE kind = 'data' AND state IN ('waiting', 'failed')`)
  for (const row of rows) add(row.team_id, undeliveredBytes(row.data_bytes))
  const sheets = await db.query<{ marks: string; receivers: string }>(sql`
    SELECT marks, receivers FROM sheets`)
  for (const sheet of sheets) {
    for (const [index, [, teamId, , dataBytes]] of receiversOf(sheet).entries()) {
      if (sheet.marks[index] === 'o') add(teamId, undeliveredBytes(dataBytes))
    }
  }
  const kept = await db.query<{ team_id: string; bytes: number }>(sql`
    SELECT team_id, bytes FROM team_backlogs`)
  for (const { team_id, bytes } of kept) add(team_id, -bytes)
  return Object.fromEntries(Object.entries(wrong).filter(([, bytes]) => bytes !== 0))
}

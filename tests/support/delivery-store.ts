import { deliveryId } from '../../src/core/delivery/delivery-id.ts'
import { deliveryCentiCu } from '../../src/core/delivery/delivery-price.ts'
import { type Database, type SqlValue, sql } from '../../src/ports/database.ts'
import { recordEvent } from '../../src/tables/chain/chain-events.ts'
import { readChain } from '../../src/tables/chain/chain-tail.ts'
import type { AttemptFacts } from '../../src/tables/deliveries/attempt-facts.ts'
import {
  claimDeliveries,
  type Lane,
  type ReadyDelivery,
  readyDeliveries,
} from '../../src/tables/deliveries/delivery-claims.ts'
import {
  type AttemptOutcome,
  writeOutcomes,
} from '../../src/tables/deliveries/delivery-outcomes.ts'
import { eventAt, NETWORK, TEAM_A } from './webhook-store.ts'

/** A moment in the middle of an hour. */
export const NOW_MS = Date.UTC(2026, 10, 15, 4, 30)

export const LEASE_MS = 10_000

export const BODY_BYTES = 2_000

const DATA = '{"block":{"number":1}}'

/** The next block of the network, with a result for each of those webhooks. */
export async function nextEvent(
  db: Database,
  webhookIds: readonly string[],
  { atMs = NOW_MS, data = DATA, network = NETWORK, inHand = false } = {},
): Promise<string[]> {
  const chain = await readChain(db, network)
  const height = (chain?.headers.at(-1)?.number ?? 0) + 1
  const due = [{ data, bytes: Buffer.byteLength(data), truncation: null, webhookIds }]
  const event = eventAt(height, chain?.sequenceNumber ?? null, { network, atMs, due, inHand })
  const recorded = await recordEvent(db, event)
  if (recorded === 'lost') throw new Error('nobody else moves this chain')
  return webhookIds.map((id) => deliveryId(id, recorded.sequenceNumber))
}

export async function ready(
  db: Database,
  webhookId: string,
  lane: Lane,
  nowMs = NOW_MS,
): Promise<ReadyDelivery[]> {
  return readyDeliveries(db, webhookId, { nowMs, limit: 1_000, lane })
}

export async function readyIds(
  db: Database,
  webhookId: string,
  lane: Lane,
  nowMs = NOW_MS,
): Promise<string[]> {
  return (await ready(db, webhookId, lane, nowMs)).map(({ id }) => id)
}

export async function claim(
  db: Database,
  ids: readonly string[],
  lease: string,
  nowMs = NOW_MS,
): Promise<Set<string>> {
  return new Set((await claimDeliveries(db, ids, lease, nowMs, nowMs + LEASE_MS)).keys())
}

export function factsOf(differing: Partial<AttemptFacts> = {}): AttemptFacts {
  return {
    startedAtMs: NOW_MS,
    status: 200,
    fault: null,
    ms: { lookup: 1, connect: 2, answer: 3, total: 6 },
    bodyStart: 'ok',
    address: '192.0.2.7',
    lane: 'first',
    ...differing,
  }
}

/** One that was accepted, and is billed, unless told otherwise. */
export function outcomeOf(
  id: string,
  lease: string,
  differing: Partial<AttemptOutcome> = {},
): AttemptOutcome {
  const next = differing.next?.kind ?? 'delivered'
  const isAccepted = next === 'delivered'
  const bytes = differing.bodyBytes ?? BODY_BYTES
  const centiCu = deliveryCentiCu(bytes)
  return {
    id,
    open: null,
    lease,
    attemptsMade: 0,
    part: 0,
    webhookId: 'wh_1',
    teamId: TEAM_A,
    dataBytes: null,
    next: { kind: 'delivered' },
    attempt: next === 'released' ? null : factsOf(isAccepted ? {} : { status: 503 }),
    bodyBytes: bytes,
    bill: isAccepted ? { teamId: TEAM_A, appId: 'app_1', network: NETWORK, centiCu, bytes } : null,
    ...differing,
  }
}

/** Claims and ends them in one go. */
export async function settle(
  db: Database,
  ids: readonly string[],
  next: AttemptOutcome['next'],
  nowMs = NOW_MS,
): Promise<void> {
  const lease = `settled-${nowMs}-${ids[0]}`
  const ours = await claimDeliveries(db, ids, lease, nowMs, nowMs + LEASE_MS)
  const outcomes: AttemptOutcome[] = []
  for (const [id, { attemptsMade, part }] of ours) {
    const dataBytes = await dataBytesOf(db, id)
    outcomes.push(outcomeOf(id, lease, { next, attemptsMade, part, dataBytes }))
  }
  const held = await writeOutcomes(db, outcomes)
  if (held.size !== ids.length) throw new Error('all of these were to be claimed and settled')
}

/** Of its result; null for an error. */
export async function dataBytesOf(db: Database, id: string): Promise<number | null> {
  const { kind, data_bytes } = await rowOf(db, id)
  return kind === 'data' ? Number(data_bytes) : null
}

export async function rowOf(db: Database, id: string): Promise<Record<string, SqlValue>> {
  const rows = await db.query(sql`SELECT * FROM deliveries WHERE id = ${id}`)
  if (!rows[0]) throw new Error(`there is no delivery ${id}`)
  return rows[0]
}

export async function statesOf(db: Database, ids: readonly string[]): Promise<SqlValue[]> {
  const states: SqlValue[] = []
  for (const id of ids) states.push((await rowOf(db, id)).state ?? null)
  return states
}

/** What the ledger says was delivered, and what the months say was spent. */
export async function billOf(db: Database, teamId = TEAM_A) {
  const lines = await db.query(sql`
    SELECT hour_ms, app_id, network, method, calls, centi_cu, bytes FROM usage
    WHERE team_id = ${teamId} ORDER BY hour_ms, app_id, network`)
  const months = await db.query(sql`
    SELECT month, centi_cu FROM team_months WHERE team_id = ${teamId} ORDER BY month`)
  return { lines, months }
}

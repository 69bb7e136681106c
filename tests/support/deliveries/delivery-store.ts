import { deliveryPriceCentiCu } from '../../../src/core/delivery/delivery-price.ts'
import { type Database, sql } from '../../../src/ports/database.ts'
import { type RecordedEvent, recordEvent } from '../../../src/tables/chain/chain-events.ts'
import { readChain } from '../../../src/tables/chain/chain-tail.ts'
import type { AttemptFacts } from '../../../src/tables/deliveries/attempt-facts.ts'
import type { Delivery, DeliveryState, Lane } from '../../../src/tables/deliveries/delivery.ts'
import {
  type DeliveryWithAttempts,
  findDelivery,
  findDeliveryWithAttempts,
  type LoggedDelivery,
  listDeliveryPage,
} from '../../../src/tables/deliveries/log/delivery-page.ts'
import { waitingDeliveries } from '../../../src/tables/deliveries/outbox.ts'
import {
  type AttemptOutcome,
  settleDeliveries,
} from '../../../src/tables/deliveries/settle-deliveries.ts'
import { type Fence, joinCouriers } from '../../../src/tables/deliveries/shards.ts'
import { webhookNumbers } from '../../../src/tables/webhooks/courier-webhooks.ts'
import { eventAt, NETWORK, TEAM_A, TEAM_B } from './webhook-store.ts'

/** A moment in the middle of an hour. */
export const NOW_MS = Date.UTC(2026, 10, 15, 4, 30)

export const LEASE_MS = 10_000

export const BODY_BYTES = 2_000

const DATA = '{"block":{"number":1}}'

/** More than any test has. */
const MANY = 1_000

type EventWish = { atMs?: number; network?: string; data?: string }

/** The next block of a network, with a result of its own for each of those lists of webhooks. */
export async function eventTo(
  db: Database,
  lists: readonly (readonly string[])[],
  { atMs = NOW_MS, network = NETWORK, data = DATA }: EventWish = {},
): Promise<RecordedEvent> {
  const chain = await readChain(db, network)
  const height = (chain?.headers.at(-1)?.number ?? 0) + 1
  const due = lists.map((webhookIds, part) => {
    const text = `${data}${part === 0 ? '' : part}`
    return { data: text, bytes: Buffer.byteLength(text), truncation: null, webhookIds }
  })
  const event = eventAt(height, chain?.sequenceNumber ?? null, { network, atMs, due })
  const recorded = await recordEvent(db, event)
  if (recorded === 'lost') throw new Error('nobody else moves this chain')
  return recorded
}

/** Another block of a height that the chain has, with one result for those webhooks. */
export async function forkTo(
  db: Database,
  height: number,
  webhookIds: readonly string[],
  { fork, atMs = NOW_MS }: { fork: string; atMs?: number },
): Promise<RecordedEvent> {
  const chain = await readChain(db, NETWORK)
  const due = [{ data: DATA, bytes: DATA.length, truncation: null, webhookIds }]
  const differing = { kind: 'forks', fork, due, atMs } as const
  const recorded = await recordEvent(db, eventAt(height, chain?.sequenceNumber ?? 0, differing))
  if (recorded === 'lost') throw new Error('nobody else moves this chain')
  return recorded
}

/** The next block of the network, with one result for those webhooks; their deliveries' ids. */
export async function nextEvent(
  db: Database,
  webhookIds: readonly string[],
  wish: EventWish = {},
): Promise<string[]> {
  const { deliveries } = await eventTo(db, [webhookIds], wish)
  return deliveries.map(({ id }) => id)
}

export async function numberOf(db: Database, webhookId: string): Promise<number> {
  const number = (await webhookNumbers(db, [webhookId])).get(webhookId)
  if (number === undefined) throw new Error(`there is no webhook ${webhookId}`)
  return number
}

export async function waiting(
  db: Database,
  webhookId: string,
  lane: Lane,
  nowMs = NOW_MS,
): Promise<Delivery[]> {
  const webhook = await numberOf(db, webhookId)
  return waitingDeliveries(db, webhook, { nowMs, limit: MANY, lane })
}

export async function waitingIds(
  db: Database,
  webhookId: string,
  lane: Lane,
  nowMs = NOW_MS,
): Promise<string[]> {
  return (await waiting(db, webhookId, lane, nowMs)).map(({ id }) => id)
}

/** A courier that has just begun its life: those of the same name before it are fenced. */
export async function fenceOf(db: Database, courier = 'courier', nowMs = NOW_MS): Promise<Fence> {
  const untilMs = nowMs + LEASE_MS
  return { courier, token: await joinCouriers(db, courier, nowMs, untilMs), untilMs }
}

export function factsOf(differing: Partial<AttemptFacts> = {}): AttemptFacts {
  return {
    startedAtMs: NOW_MS,
    status: 200,
    fault: null,
    ms: { lookup: 1, connect: 2, tls: 0, answer: 3, total: 6 },
    bodyStart: 'ok',
    address: '192.0.2.7',
    queue: 'new',
    ...differing,
  }
}

/** What becomes of an attempt: it was accepted, and is billed, unless told otherwise. */
export function outcomeOf(
  delivery: Delivery,
  differing: Partial<AttemptOutcome> = {},
): AttemptOutcome {
  const { event, webhook, version, attemptsMade, teamId, kind, dataBytes } = delivery
  const isAccepted = (differing.next?.kind ?? 'delivered') === 'delivered'
  const bytes = differing.bodyBytes ?? BODY_BYTES
  const centiCu = deliveryPriceCentiCu(bytes)
  return {
    event,
    webhook,
    version,
    attemptsMade,
    teamId,
    dataBytes: kind === 'data' ? dataBytes : null,
    next: { kind: 'delivered' },
    attempt: factsOf(isAccepted ? {} : { status: 503 }),
    bodyBytes: bytes,
    bill: isAccepted ? { teamId, appId: 'app_1', network: NETWORK, centiCu, bytes } : null,
    gone: null,
    ...differing,
  }
}

/** Attempts deliveries as they are now, and ends all attempts alike. */
export async function settle(
  db: Database,
  ids: readonly string[],
  next: AttemptOutcome['next'],
  attempt: Partial<AttemptFacts> = {},
): Promise<void> {
  const outcomes: AttemptOutcome[] = []
  for (const id of ids) {
    const status = next.kind === 'delivered' ? 200 : 503
    const outcome = outcomeOf(await deliveryCalled(db, id), { next })
    outcomes.push({ ...outcome, attempt: factsOf({ status, ...attempt }) })
  }
  const held = await settleOutcomes(db, outcomes)
  if (held.size !== ids.length) throw new Error('all were to be settled')
}

/** Writes outcomes as a courier that has just begun; the indexes of those that held. */
export async function settleOutcomes(
  db: Database,
  outcomes: readonly AttemptOutcome[],
  nowMs = NOW_MS,
): Promise<ReadonlySet<number>> {
  const held = await settleHeld(db, await fenceOf(db, 'courier', nowMs), outcomes)
  if (held === 'fenced') throw new Error('nobody else has that name')
  return held
}

/** Writes outcomes; the indexes of those that held. */
export async function settleHeld(
  db: Database,
  fence: Fence,
  outcomes: readonly AttemptOutcome[],
): Promise<ReadonlySet<number> | 'fenced'> {
  const missed = await settleDeliveries(db, fence, outcomes)
  return missed === 'fenced' ? missed : new Set(outcomes.keys().filter((at) => !missed.has(at)))
}

/** A delivery of either team, as the log has it. */
export async function deliveryCalled(db: Database, id: string): Promise<LoggedDelivery> {
  const found = (await findDelivery(db, TEAM_A, id)) ?? (await findDelivery(db, TEAM_B, id))
  if (!found) throw new Error(`there is no delivery ${id}`)
  return found
}

export async function statesOf(db: Database, ids: readonly string[]): Promise<DeliveryState[]> {
  const states: DeliveryState[] = []
  for (const id of ids) states.push((await deliveryCalled(db, id)).state)
  return states
}

/** All deliveries of a webhook with their results, newest first. */
export async function deliveriesOf(
  db: Database,
  webhookId: string,
  limit = MANY,
): Promise<DeliveryWithAttempts[]> {
  const [owner] = await db.query<{ team_id: string }>(sql`
    SELECT team_id FROM webhooks WHERE id = ${webhookId}`)
  const teamId = owner?.team_id ?? TEAM_A
  const found: DeliveryWithAttempts[] = []
  for (const { id } of await listDeliveryPage(db, teamId, { webhookId, limit })) {
    const one = await findDeliveryWithAttempts(db, teamId, id)
    if (one) found.push(one)
  }
  return found
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

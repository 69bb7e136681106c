import { expect } from 'bun:test'
import { type Database, sql } from '../../../src/ports/database.ts'
import type { NodeJson } from '../blocks/node-json.ts'
import { contradiction, miscount } from '../deliveries/stored-deliveries.ts'
import type { ChaosNetwork, ChaosStage, ChaosWebhook } from './chaos-stage.ts'
import { ZERO } from './chaos-stage.ts'
import { METHOD, type RpcLoad } from './rpc-load.ts'

/** The events of a network, in the order of their sequence numbers: the hash of each block. */
export type Events = readonly string[]

type Stored = {
  id: string
  sequence_number: number
  state: number
  attempts_made: number
  attempts: string
}

const FIRST_SEQUENCE = 1_000_000_000_001

/** As it stands in the store. */
const DELIVERED = 1

/** By `webhookId sequenceNumber`: the block that is due, as its query shows it. */
export function expectedOf(
  { networks, webhooks }: ChaosStage,
  eventsOf: ReadonlyMap<string, Events>,
): Map<string, NodeJson> {
  const expected = new Map<string, NodeJson>()
  for (const { id, node } of networks) {
    const mine = webhooks.filter(({ network }) => network === id)
    for (const [at, hash] of (eventsOf.get(id) ?? []).entries()) {
      const block = node.blockOf(hash) ?? {}
      for (const webhook of mine) {
        const shown = shownTo(webhook, block)
        if (shown) expected.set(`${webhook.id} ${FIRST_SEQUENCE + at}`, shown)
      }
    }
  }
  return expected
}

function shownTo({ skipsEmpty }: ChaosWebhook, block: NodeJson): NodeJson | null {
  const shown = { number: Number(block.number), hash: block.hash }
  if (!skipsEmpty) return shown
  const paid = block.transactions.filter(({ to }: NodeJson) => to?.toLowerCase() === ZERO)
  const transactions = paid.map(({ hash }: NodeJson) => ({ hash }))
  return paid.length > 0 ? { ...shown, transactions } : null
}

/** The events as the store has them, which are without a gap and lead to the head. */
export async function judgeEvents(db: Database, network: ChaosNetwork): Promise<Events> {
  const rows = await db.query<{ sequence_number: number; block_hash: string }>(sql`
    SELECT sequence_number, block_hash FROM events WHERE network = ${network.id}
    ORDER BY sequence_number`)
  const numbers = rows.map(({ sequence_number }) => sequence_number)
  expect(numbers).toEqual(numbers.map((_, at) => FIRST_SEQUENCE + at))
  const [chain] = await db.query(sql`
    SELECT sequence_number, tip_hash FROM chains WHERE network = ${network.id}`)
  const tip_hash = network.node.head.hash
  expect(chain).toEqual({ sequence_number: numbers.at(-1) ?? null, tip_hash })
  const hashes = rows.map(({ block_hash }) => block_hash)
  expectChain(network, hashes)
  return hashes
}

/** Each event extends the chain that those before it left, or replaces the end of it. */
function expectChain({ node }: ChaosNetwork, hashes: Events): void {
  const held = new Map<number, string>()
  for (const hash of hashes) {
    const { number, parentHash } = node.blockOf(hash) ?? {}
    const height = Number(number)
    if (held.size > 0) expect(held.get(height - 1)).toBe(parentHash)
    for (let above = height; held.delete(above); above++);
    held.set(height, hash)
  }
  expect([...held.values()]).toEqual(node.blocks.map(({ hash }) => hash))
}

/** All that receivers saw: each delivery, its bytes, the one before it, and the order. */
export function judgeReceivers(
  { receivers, webhooks }: ChaosStage,
  expected: ReadonlyMap<string, NodeJson>,
): void {
  expect(receivers.faults).toEqual([])
  const missing = [...expected.keys()].filter((key) => !receivers.accepted.has(key))
  // Shows how often each one arrived and was refused, before the long lists are compared.
  expect(missing.map((key) => ({ key, arrived: receivers.arrived.get(key) }))).toEqual([])
  expect([...receivers.accepted].toSorted()).toEqual([...expected.keys()].toSorted())
  for (const [key, { body }] of receivers.arrived) {
    expect(JSON.parse(body).event.data.block).toMatchObject(expected.get(key) ?? {})
  }
  for (const { id, isOrdered } of webhooks) {
    const mine = [...receivers.arrived].filter(([key]) => key.startsWith(id))
    mine.sort(([one], [other]) => (one < other ? -1 : 1))
    const numbers = mine.map(([key]) => key.split(' ')[1] ?? null)
    expect(mine.map(([, { previous }]) => previous)).toEqual([null, ...numbers].slice(0, -1))
    const accepted = [...receivers.accepted].filter((key) => key.startsWith(id))
    if (isOrdered) expect(accepted).toEqual(accepted.toSorted())
  }
}

/** Tables and counters agree; each delivery has one outcome, which its last attempt brought. */
export async function judgeStore(db: Database, expected: ReadonlySet<string>): Promise<void> {
  expect(await contradiction(db)).toBeNull()
  expect(await miscount(db)).toBeNull()
  const rows = await db.query<Stored>(sql`
    SELECT webhooks.id, events.sequence_number, deliveries.state, attempts_made, attempts
    FROM deliveries JOIN webhooks ON webhooks.number = deliveries.key % 16777216
    JOIN events ON events.event = deliveries.key / 16777216`)
  const keys = rows.map(({ id, sequence_number }) => `${id} ${sequence_number}`)
  expect(keys.toSorted()).toEqual([...expected].toSorted())
  for (const { state, attempts_made, attempts } of rows) {
    const lines = attempts.split('\n').filter((line) => line !== '')
    const isAccepted = lines.map((line) => JSON.parse(line)[1] === 200)
    expect(state).toBe(DELIVERED)
    expect(isAccepted).toEqual([...Array(attempts_made - 1).fill(false), true])
  }
}

/** Each delivery is billed once, by its bytes; calls as far as nobody was killed with them. */
export async function judgeLedger(db: Database, stage: ChaosStage, load: RpcLoad): Promise<void> {
  const { receivers } = stage
  const bodies = [...receivers.accepted].map((key) => receivers.arrived.get(key)?.body ?? '')
  const bytes = bodies.reduce((all, body) => all + Buffer.byteLength(body), 0)
  expect(await usageOf(db, 'webhook')).toEqual({
    calls: receivers.accepted.size,
    centi_cu: bytes * 4,
    bytes,
  })
  const { calls, centi_cu } = await usageOf(db, METHOD)
  expect(centi_cu).toBe(calls * 2000)
  expect(calls).toBeLessThanOrEqual(load.sent)
  const marks = await db.query<{ written_at_ms: number }>(sql`
    SELECT written_at_ms FROM usage_marks`)
  const unbilled = load.mayBeUnbilled(marks.map(({ written_at_ms }) => written_at_ms))
  expect(calls).toBeGreaterThanOrEqual(load.answered - unbilled)
  expect(load.faults).toEqual([])
}

async function usageOf(db: Database, method: string) {
  const [sum] = await db.query<{ calls: number; centi_cu: number; bytes: number }>(sql`
    SELECT CAST(COALESCE(SUM(calls), 0) AS BIGINT) AS calls,
      CAST(COALESCE(SUM(centi_cu), 0) AS BIGINT) AS centi_cu,
      CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS bytes
    FROM usage WHERE method = ${method}`)
  return sum ?? { calls: 0, centi_cu: 0, bytes: 0 }
}

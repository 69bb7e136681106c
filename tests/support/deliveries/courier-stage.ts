import { deliveryId } from '../../../src/core/delivery/delivery-id.ts'
import type { Webhook } from '../../../src/core/delivery/webhook.ts'
import { type Courier, openCourier } from '../../../src/courier/courier.ts'
import { type Database, sql } from '../../../src/ports/database.ts'
import { recordEvent } from '../../../src/tables/chain/chain-events.ts'
import { openKnownNumbers } from '../../../src/tables/chain/known-numbers.ts'
import {
  changeWebhook,
  createWebhook,
  type StandingRules,
  type WebhookChange,
} from '../../../src/tables/webhooks/webhooks.ts'
import { freshStore } from '../../fresh-store.ts'
import { testWorld } from '../basics/test-world.ts'
import { aTier } from '../product/a-tier.ts'
import { sleepyProcess } from '../product/sleepy-process.ts'
import { faultyDatabase } from '../store/faulty-database.ts'
import { type CourierWorld, openCourierWorld } from './courier-world.ts'
import { eventAt, insertTeams, NETWORK, sealedKey, TEAM_A, webhookCalled } from './webhook-store.ts'

type Options = {
  retryDelaysMs?: readonly number[]
  monthlyCu?: number | null
  undeliveredBytesMax?: number
}

type Row = {
  id: string
  webhook_id: string
  kind: 'data' | 'error'
  state: string
  attempts_made: number
  /** Null when it does not wait any more. */
  due_at_ms: number | null
  sequence_number: number
}

/** A courier, and the process it runs in. */
export type StagedCourier = Courier & { sleep(): void; wake(): void }

export const SIGNING_KEY = `whsec_${'k'.repeat(32)}`

/** The contract's. */
const RETRY_DELAYS_MS = [15_000, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000]

const TIMEOUT_MS = 5000

const PUBLIC_URL = 'https://headgate.example'

const STATES = ['waiting', 'delivered', 'failed', 'cancelled']

/** Couriers on a store in memory, with time and destinations that obey. */
export async function courierStage(options: Options = {}) {
  const world = openCourierWorld()
  const database = faultyDatabase(await freshStore())
  await insertTeams(database)
  const { monthlyCu = null, retryDelaysMs = RETRY_DELAYS_MS } = options
  const { undeliveredBytesMax = 2 ** 26 } = options
  const free = aTier({ monthlyCu, undeliveredBytesMax })
  const tiers = new Map([['free', free]])
  /** Those that run. */
  const couriers: Courier[] = []

  return {
    ...world,
    database,
    /** A process that sends, as the product opens it; two that run have different names. */
    open(name = 'courier'): StagedCourier {
      const process = sleepyProcess({ ...world, database: passing(database) })
      const staging = testWorld({ ...world, ...process })
      const courier = openCourier(staging, {
        egress: process.egress,
        known: openKnownNumbers(staging),
        name,
        settings: { timeoutMs: TIMEOUT_MS, retryDelaysMs },
        tiers,
        publicUrl: PUBLIC_URL,
      })
      const staged = { ...courier, sleep: process.sleep, wake: process.wake }
      couriers.push(staged)
      return staged
    },
    /** What decides whether a webhook may be active, as the management API asks. */
    rules: () => ({ tiers, publicUrl: PUBLIC_URL, nowMs: world.clock.nowMs() }),
    ...acts(world, database, couriers),
    ...looks(world, database),
  }
}

export type CourierStage = Awaited<ReturnType<typeof courierStage>>

/** Tests may put other methods in the place of the database's. */
function passing(database: Database): Database {
  return {
    query: (statement) => database.query(statement),
    each: (statement, rows) => database.each(statement, rows),
    transaction: (work) => database.transaction(work),
    perform: (procedure, args) => database.perform(procedure, args),
    close: () => database.close(),
  }
}

function acts({ clock, secrets, signals }: CourierWorld, database: Database, couriers: Courier[]) {
  let number = 0
  let sequence: number | null = null
  const commit = async (webhookIds: readonly string[], told: readonly Courier[]) => {
    const data = `{"block":{"number":${++number},"text":"Größe in €"}}`
    const due = [{ data, bytes: Buffer.byteLength(data), truncation: null, webhookIds }]
    const facts = { network: NETWORK, atMs: clock.nowMs(), due }
    const recorded = await recordEvent(database, eventAt(number, sequence, facts))
    if (recorded === 'lost') throw new Error('the chain moved elsewhere')
    sequence = recorded.sequenceNumber
    for (const courier of told) courier.remind(recorded)
    await clock.advance(0)
    return recorded.sequenceNumber
  }
  return {
    async webhook(id: string, differing: Partial<Webhook> = {}) {
      const webhook = webhookCalled(id, { url: `https://${id}.example/hook`, ...differing })
      const sealed = sealedKey(secrets, id, SIGNING_KEY)
      await createWebhook(database, webhook, sealed, 1000)
      return id
    },
    /** As the management API would. */
    async change(id: string, change: WebhookChange, rules?: StandingRules) {
      await changeWebhook(database, TEAM_A, id, change, rules)
      signals.publish('webhooks', '')
      await clock.advance(0)
    },
    /** A block with a result for these, committed and told to the couriers. */
    block: (...webhookIds: string[]): Promise<number> => commit(webhookIds, couriers),
    /** The same, committed by the process of one courier, which hints at it. */
    blockOf: (courier: Courier, ...webhookIds: string[]) => commit(webhookIds, [courier]),
  }
}

function looks({ clock, egress }: CourierWorld, database: Database) {
  /** Lets answers arrive and their outcomes be committed. */
  const rest = async () => {
    await clock.advance(0)
    await clock.advance(20)
  }
  return {
    rest,
    /** What is committed once everything under way is. */
    async rows(): Promise<Row[]> {
      await rest()
      const rows = await database.query<
        Omit<Row, 'id' | 'kind' | 'state'> & { state: number; error: string | null }
      >(sql`
        SELECT webhooks.id AS webhook_id, deliveries.state, attempts_made, outbox.due_at_ms,
          events.sequence_number, events.error
        FROM deliveries JOIN events ON events.event = deliveries.key / 16777216
          JOIN webhooks ON webhooks.number = deliveries.key % 16777216
          LEFT JOIN outbox ON outbox.webhook = webhooks.number AND outbox.event = events.event
        ORDER BY deliveries.key`)
      return rows.map(({ state, error, ...row }) => ({
        ...row,
        id: deliveryId(row.webhook_id, row.sequence_number),
        kind: error === null ? 'data' : 'error',
        state: STATES[state] ?? '',
      }))
    },
    async billed(): Promise<{ calls: number; bytes: number; centi_cu: number }> {
      const [sum] = await database.query<{ calls: number; bytes: number; centi_cu: number }>(sql`
        SELECT COALESCE(SUM(calls), 0) AS calls, COALESCE(SUM(bytes), 0) AS bytes,
          COALESCE(SUM(centi_cu), 0) AS centi_cu FROM usage WHERE method = 'webhook'`)
      return sum ?? { calls: 0, bytes: 0, centi_cu: 0 }
    },
    /** The sequence numbers that were sent, in order. */
    sentNumbers: () => egress.sent.map(({ json }) => Number(json.event.sequenceNumber)),
  }
}

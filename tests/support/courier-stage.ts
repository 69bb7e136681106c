import type { Webhook } from '../../src/core/delivery/webhook.ts'
import { type Courier, openCourier } from '../../src/courier/courier.ts'
import { type Database, sql } from '../../src/ports/database.ts'
import { recordEvent } from '../../src/tables/chain/chain-events.ts'
import type { SheetRow } from '../../src/tables/deliveries/sheets/sheet-form.ts'
import {
  changeWebhook,
  createWebhook,
  type StandingRules,
  type WebhookChange,
} from '../../src/tables/webhooks/webhooks.ts'
import { freshStore } from '../fresh-store.ts'
import { rowsOn } from '../simulation/deliveries/sheet-changes.ts'
import { aTier } from './a-tier.ts'
import { type CourierWorld, openCourierWorld } from './courier-world.ts'
import { faultyDatabase } from './faulty-database.ts'
import { eventAt, insertTeams, NETWORK, sealedKey, TEAM_A, webhookCalled } from './webhook-store.ts'

type Options = {
  retryDelaysMs?: readonly number[]
  monthlyCu?: number | null
  undeliveredBytesMax?: number
  /** No other process sends from the store; others may, unless told. */
  isAlone?: boolean
  /** Reminders say which event brought something; they do unless told. */
  namesEvents?: boolean
}

type Row = {
  id: string
  webhook_id: string
  kind: string
  state: string
  attempts_made: number
  due_at_ms: number
  sequence_number: number | null
  lease: string | null
}

export const SIGNING_KEY = `whsec_${'k'.repeat(32)}`

/** The contract's. */
const RETRY_DELAYS_MS = [15_000, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000]

const TIMEOUT_MS = 5000

const PUBLIC_URL = 'https://headgate.example'

/** A courier on a store in memory, with time and destinations that obey. */
export async function courierStage(options: Options = {}) {
  const world = openCourierWorld()
  const database = faultyDatabase(await freshStore())
  await insertTeams(database)
  const { monthlyCu = null, retryDelaysMs = RETRY_DELAYS_MS } = options
  const { undeliveredBytesMax = 2 ** 26 } = options
  const free = aTier({ monthlyCu, undeliveredBytesMax })
  const tiers = new Map([['free', free]])
  /** The processes that run. */
  const couriers: Courier[] = []

  return {
    ...world,
    database,
    open(): Courier {
      const courier = openCourier({
        ...world,
        database,
        isAlone: options.isAlone ?? false,
        settings: { timeoutMs: TIMEOUT_MS, retryDelaysMs },
        tiers,
        publicUrl: PUBLIC_URL,
      })
      couriers.push(courier)
      return courier
    },
    /** What decides whether a webhook may be active, as the management API asks. */
    rules: () => ({ tiers, publicUrl: PUBLIC_URL, nowMs: world.clock.nowMs() }),
    ...acts(world, database, couriers, options),
    ...looks(world, database),
  }
}

export type CourierStage = Awaited<ReturnType<typeof courierStage>>

function acts(
  { clock, secrets, signals }: CourierWorld,
  database: Database,
  couriers: Courier[],
  { isAlone = false, namesEvents = true }: Options,
) {
  let number = 0
  let sequence: number | null = null
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
    async block(...webhookIds: string[]): Promise<number> {
      const data = `{"block":{"number":${++number}}}`
      const due = [{ data, bytes: data.length, truncation: null, webhookIds }]
      const told = { network: NETWORK, atMs: clock.nowMs(), due, inHand: isAlone && namesEvents }
      const recorded = await recordEvent(database, eventAt(number, sequence, told))
      if (recorded === 'lost') throw new Error('the chain moved elsewhere')
      sequence = recorded.sequenceNumber
      for (const courier of couriers) {
        if (namesEvents) courier.remind(webhookIds, recorded)
        else courier.remind(webhookIds)
      }
      await clock.advance(0)
      return recorded.sequenceNumber
    },
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
      const rows = await database.query<Row & { created_at_ms: number }>(sql`
        SELECT id, webhook_id, kind, state, attempts_made, due_at_ms, sequence_number, lease,
          created_at_ms FROM deliveries`)
      const sheets = await database.query<SheetRow>(sql`SELECT * FROM sheets`)
      return [...rows, ...sheets.flatMap(rowsOn)].sort(inOrder)
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

function inOrder(a: Ordered, b: Ordered): number {
  const [one, other] = [a.sequence_number ?? 0, b.sequence_number ?? 0]
  return a.created_at_ms - b.created_at_ms || one - other || (a.id < b.id ? -1 : 1)
}

type Ordered = { created_at_ms: number; sequence_number: number | null; id: string }

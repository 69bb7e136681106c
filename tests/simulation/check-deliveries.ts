import { type Database, sql } from '../../src/ports/database.ts'
import type { SimBlock } from './chain-block.ts'
import type { Customers, SimWebhook, Version } from './customers.ts'
import type { Run } from './sim-run.ts'
import type { ChainRow } from './sim-store.ts'

type DeliveryRow = {
  webhook_id: string
  sequence_number: number
  block_number: number
  block_hash: string
  previous_sequence: number | null
  data: string | null
  bytes: number | null
}

/** The promises about deliveries that did not hold. */
export function checkDeliveries(run: Run): string[] {
  const { clock, store, customers } = run
  const rows = clock.settle(allDeliveries(store.database), 0)
  const orphans = clock.settle(unusedResults(store.database), 0)
  const complaints = orphans > 0 ? [`${orphans} results belong to nobody`] : []
  const byWebhook = Map.groupBy(rows, ({ webhook_id }) => webhook_id)
  for (const webhook of customers.webhooks) {
    const own = byWebhook.get(webhook.id) ?? []
    byWebhook.delete(webhook.id)
    complaints.push(...checkLinks(webhook, own), ...checkWebhook(run, webhook, own))
  }
  for (const id of byWebhook.keys())
    complaints.push(`there are deliveries for ${id}, which is none`)
  return complaints
}

/** Each delivery names the one before it, and none is there twice. */
function checkLinks({ id }: SimWebhook, own: readonly DeliveryRow[]): string[] {
  const complaints: string[] = []
  let previous: number | null = null
  for (const row of own) {
    const name = `delivery ${row.sequence_number} of ${id}`
    if (row.sequence_number === previous) complaints.push(`${name} is there twice`)
    if (row.previous_sequence !== previous) {
      complaints.push(`${name} says that ${row.previous_sequence} came before, not ${previous}`)
    }
    previous = row.sequence_number
  }
  return complaints
}

/** For each event exactly what the query gives on its block, or nothing where nothing is due. */
function checkWebhook(run: Run, webhook: SimWebhook, own: readonly DeliveryRow[]): string[] {
  const bySequence = new Map(own.map((row) => [row.sequence_number, row]))
  const heights = new Set<number>()
  const complaints: string[] = []
  for (const event of run.events) {
    const row = bySequence.get(event.sequence_number)
    bySequence.delete(event.sequence_number)
    const block = run.tree.byHash(event.tip_hash)
    if (!block) continue
    const fault = rowFault(run.customers, webhook, event, block, row, heights.has(block.number))
    if (fault) complaints.push(`${webhook.id} at event ${event.sequence_number}: ${fault}`)
    if (row) heights.add(block.number)
  }
  for (const sequence of bySequence.keys()) {
    complaints.push(`${webhook.id} has a delivery for ${sequence}, which is no event`)
  }
  return complaints
}

function rowFault(
  customers: Customers,
  webhook: SimWebhook,
  event: ChainRow,
  block: SimBlock,
  row: DeliveryRow | undefined,
  hadHeight: boolean,
): string | null {
  const { sequence_number: sequence } = event
  if (row && (row.block_hash !== block.hash || row.block_number !== block.number)) {
    return `its delivery is of block ${row.block_hash}, not ${block.name}`
  }
  const last = webhook.versions.findLast(({ after }) => after < sequence)
  if (last?.value.state !== 'active') return row ? 'it was not active' : null

  const possible = new Set<string | null>()
  for (const { state, query } of inEffect(webhook.versions, sequence)) {
    for (const watched of inEffect(customers.watched, sequence)) {
      if (state !== 'active') possible.add(null)
      else possible.add(dueTo(webhook, query.run(block, watched), hadHeight))
    }
  }
  // Made after the event before this one, it may have been seen or not.
  if (!webhook.versions.some(({ after }) => after < sequence - 1)) possible.add(null)
  const got = row ? (row.data ?? 'a delivery without a result') : null
  if (row && row.bytes !== Buffer.byteLength(row.data ?? '')) return 'its size is wrong'
  if (possible.has(got)) return null
  return `it got ${got ?? 'nothing'} where ${[...possible].join(' or ') || 'nothing'} was due`
}

/** The versions that may have been seen while the event was worked out. */
function inEffect<T>(versions: readonly Version<T>[], sequence: number): T[] {
  const from = versions.findLastIndex(({ after }) => after < sequence - 1)
  return versions
    .slice(Math.max(0, from))
    .flatMap((one) => (one.after < sequence ? [one.value] : []))
}

function dueTo(
  { skipEmpty, notifyRemoved }: SimWebhook,
  { data, empty }: { data: object; empty: boolean },
  hadHeight: boolean,
): string | null {
  if (empty && skipEmpty && !(notifyRemoved && hadHeight)) return null
  return JSON.stringify(data)
}

function allDeliveries(database: Database): Promise<DeliveryRow[]> {
  return database.query<DeliveryRow>(sql`
    SELECT webhooks.id AS webhook_id, events.sequence_number, events.block_number,
      events.block_hash, deliveries.previous_sequence, results.data, results.bytes
    FROM deliveries
      JOIN events ON events.event = deliveries.key / 16777216
      JOIN webhooks ON webhooks.number = deliveries.key % 16777216
      LEFT JOIN results ON results.key = events.event * 16777216 + deliveries.part
    ORDER BY webhooks.id, events.sequence_number`)
}

async function unusedResults(database: Database): Promise<number> {
  const rows = await database.query<{ count: number }>(sql`
    SELECT COUNT(*) AS count FROM results WHERE NOT EXISTS (
      SELECT 1 FROM deliveries WHERE deliveries.key / 16777216 = results.key / 16777216
        AND deliveries.part = results.key % 16777216)`)
  return rows[0]?.count ?? 0
}

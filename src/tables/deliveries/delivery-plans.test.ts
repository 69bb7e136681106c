import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { factsOf, NOW_MS, nextEvent, outcomeOf } from '../../../tests/support/delivery-store.ts'
import {
  addWebhooks,
  insertTeams,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/webhook-store.ts'
import { type Database, type Sql, sql } from '../../ports/database.ts'
import { webhooksWithDeliveryAt } from '../chain/chain-events.ts'
import {
  createReplay,
  recordReplayStep,
  replayingTeams,
  runningReplays,
} from '../webhooks/replays.ts'
import { deleteWebhook } from '../webhooks/webhooks.ts'
import {
  claimDeliveries,
  readyDeliveries,
  resultOf,
  waitingWebhooks,
  webhooksDueBetween,
} from './delivery-claims.ts'
import { findDeliveryWithAttempts, listDeliveryPage, resendDelivery } from './delivery-log.ts'
import { writeOutcomes } from './delivery-outcomes.ts'
import { pruneDelivered } from './retention.ts'

/**
 * Of the tables with very many rows. Retention reads the beginning of an index, in order, and
 * what is open is never much.
 */
const READS_ALL =
  /\bSCAN (deliveries|results|usage|sheets|log_spans)\b(?! USING INDEX (deliveries_done|sheets_open)$)/

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, webhookCalled('wh_1'))
  await nextEvent(db, ['wh_1'])
  await nextEvent(db, ['wh_1'], { inHand: true })
})
afterEach(() => db.close())

/** How SQLite goes about every statement of the work. */
async function plansOf(work: (watched: Database) => Promise<unknown>): Promise<string[]> {
  const statements: Sql[] = []
  const watch = (inner: Database): Database => ({
    ...inner,
    query(statement) {
      statements.push(statement)
      return inner.query(statement)
    },
    each(statement, rows) {
      statements.push(statement)
      return inner.each(statement, rows)
    },
    transaction: (inside) => inner.transaction((tx) => inside(watch(tx))),
  })
  await work(watch(db))

  const details: string[] = []
  for (const { parts, values } of statements) {
    const explained = [`EXPLAIN QUERY PLAN ${parts[0]}`, ...parts.slice(1)]
    const plan = await db.query<{ detail: string }>({ parts: explained, values })
    details.push(...plan.map(({ detail }) => detail))
  }
  return details
}

describe('however many deliveries are stored, only those that are meant are read', () => {
  const scope = { nowMs: NOW_MS, limit: 10 }
  const ids = Array.from({ length: 700 }, (_, at) => `whevt_${at}`)
  const after = { createdAtMs: NOW_MS, id: 'whevt_z' }
  const deeds: [what: string, work: (watched: Database) => Promise<unknown>][] = [
    ['claims', (tx) => claimDeliveries(tx, ids, 'lease', NOW_MS, NOW_MS + 1)],
    [
      'outcomes',
      (tx) =>
        writeOutcomes(
          tx,
          ids.map((id) => outcomeOf(id, 'lease')),
        ),
    ],
    ['waiting webhooks', (tx) => waitingWebhooks(tx, null, 100)],
    ['due webhooks', (tx) => webhooksDueBetween(tx, NOW_MS, NOW_MS + 1_000)],
    ['a result', (tx) => resultOf(tx, 'ETH_MAINNET', 1, 0)],
    ['the log', (tx) => listDeliveryPage(tx, TEAM_A, { limit: 10, after })],
    ['the log of a block', (tx) => listDeliveryPage(tx, TEAM_A, { limit: 10, block: 1 })],
    ['a delivery', (tx) => findDeliveryWithAttempts(tx, TEAM_A, 'whevt_1')],
    ['resending', (tx) => resendDelivery(tx, TEAM_A, 'whevt_1', NOW_MS)],
    ['deleting a webhook', (tx) => deleteWebhook(tx, TEAM_A, 'wh_1')],
    ['versions of a height', (tx) => webhooksWithDeliveryAt(tx, 'ETH_MAINNET', 1)],
    ['running replays', (tx) => runningReplays(tx, TEAM_A, 10)],
    ['teams with replays', (tx) => replayingTeams(tx, TEAM_A, 10)],
    ['a step of a replay', replayOne],
    ['retention', pruneAll],
  ]

  test.each(deeds)('%s', async (_, work) => {
    const plans = await plansOf(work)
    expect(plans.length).toBeGreaterThan(0)
    expect(plans.filter((detail) => READS_ALL.test(detail))).toEqual([])
  })

  // An index that leads to all that waits for the webhook would do, and take far too long.
  test.each([
    ['first', 'deliveries_waiting (webhook_id=? AND lane=?)'],
    ['retry', 'deliveries_retried (webhook_id=? AND due_at_ms<?)'],
    ['ordered', 'deliveries_waiting (webhook_id=? AND lane=?)'],
    ['errors', 'deliveries_waiting (webhook_id=? AND lane=?)'],
  ] as const)('what is ready in the lane %s', async (lane, index) => {
    const plans = await plansOf((tx) => readyDeliveries(tx, 'wh_1', { ...scope, lane }))
    const reads = plans.filter((detail) => / deliveries /.test(detail) && !/\(id=\?\)/.test(detail))
    expect(new Set(reads)).toEqual(new Set([`SEARCH deliveries USING INDEX ${index}`]))
  })

  test.each([
    ['waiting', 'log_waiting_by_webhook (webhook_id=? AND created_at_ms<?)'],
    ['delivered', 'log_delivered_by_webhook (webhook_id=? AND created_at_ms<?)'],
    ['failed', 'log_ended_by_webhook (webhook_id=? AND state=? AND created_at_ms<?)'],
    ['cancelled', 'log_ended_by_webhook (webhook_id=? AND state=? AND created_at_ms<?)'],
  ] as const)('the log of a webhook, %s ones', async (status, index) => {
    const page = { webhookId: 'wh_1', status, after, limit: 10 }
    const plans = await plansOf((tx) => listDeliveryPage(tx, TEAM_A, page))
    expect(plans).toContain(`SEARCH deliveries USING INDEX ${index}`)
    const teamWide = await plansOf((tx) =>
      listDeliveryPage(tx, TEAM_A, { status, after, limit: 10 }),
    )
    const ofTeam = index.replaceAll('webhook', 'team')
    expect(teamWide).toContain(`SEARCH deliveries USING INDEX ${ofTeam}`)
  })
})

async function replayOne(tx: Database): Promise<void> {
  const where = { webhookId: 'wh_1', network: 'ETH_MAINNET' }
  const replay = { id: 'rpl_1', teamId: TEAM_A, fromBlock: 1, toBlock: 1, createdAtMs: NOW_MS }
  await createReplay(tx, { ...replay, ...where })
  const due = { data: '{}', bytes: 2, truncation: null }
  const block = { blockNumber: 1, blockHash: '0x1', sequenceNumber: 1_000_000_000_001 }
  const step = { replayId: 'rpl_1', ...where, ...block, due, atMs: NOW_MS }
  expect(await recordReplayStep(tx, step)).toBe('recorded')
}

async function pruneAll(tx: Database): Promise<void> {
  const [row] = await db.query<{ id: string }>(sql`SELECT id FROM deliveries`)
  const ids = [row?.id ?? '']
  await claimDeliveries(db, ids, 'lease', NOW_MS, NOW_MS + 1)
  await writeOutcomes(db, [outcomeOf(ids[0]!, 'lease', { attempt: factsOf() })])
  const retention = { olderThanMs: NOW_MS * 2, bytesMax: 0, rowsMax: 500 }
  expect(await pruneDelivered(tx, retention)).toBe(1)
}

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { plansOf } from '../../../tests/support/blocks/query-plans.ts'
import { eventTo, NOW_MS } from '../../../tests/support/deliveries/delivery-store.ts'
import {
  addWebhooks,
  insertTeams,
  NETWORK,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import type { Database } from '../../ports/database.ts'
import { webhooksWithDeliveryAt } from '../chain/chain-events.ts'
import { pauseTeamOverLimit } from '../usage/capacity-pause.ts'
import { createReplay, recordReplayStep, replayingTeams, runningReplays } from './replays.ts'
import { changeWebhook, deleteWebhook } from './webhooks.ts'

/** Reading all rows of a table that may have very many. */
const READS_ALL =
  /\bSCAN (deliveries|results|usage|events|outbox|done_deliveries|late_deliveries)\b/

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, webhookCalled('wh_1', { notifyRemoved: true }))
  await eventTo(db, [['wh_1']])
})
afterEach(() => db.close())

const DEEDS: [what: string, work: (watched: Database) => Promise<unknown>][] = [
  ['deleting a webhook', (tx) => deleteWebhook(tx, TEAM_A, 'wh_1')],
  ['pausing webhooks', pauseTwice],
  ['versions of a height', (tx) => webhooksWithDeliveryAt(tx, NETWORK, 1)],
  ['running replays', (tx) => runningReplays(tx, TEAM_A, 10)],
  ['teams with replays', (tx) => replayingTeams(tx, TEAM_A, 10)],
  ['a step of a replay', replayOne],
]

test.each(DEEDS)('%s reads no more deliveries than are meant', async (_, work) => {
  const plans = await plansOf(db, work)
  expect(plans.length).toBeGreaterThan(0)
  expect(plans.filter((detail) => READS_ALL.test(detail))).toEqual([])
})

async function replayOne(tx: Database): Promise<void> {
  const where = { webhookId: 'wh_1', network: NETWORK }
  const replay = { id: 'rpl_1', teamId: TEAM_A, fromBlock: 1, toBlock: 1, createdAtMs: NOW_MS }
  await createReplay(tx, { ...replay, ...where })
  const due = { data: '{}', bytes: 2, truncation: null }
  const block = { blockNumber: 1, blockHash: '0x1', sequenceNumber: 1_000_000_000_001 }
  const step = { replayId: 'rpl_1', ...where, ...block, due, atMs: NOW_MS }
  expect(await recordReplayStep(tx, step)).toBe('recorded')
}

async function pauseTwice(tx: Database): Promise<void> {
  const pause = { teamId: TEAM_A, message: 'used up', nowMs: NOW_MS }
  for (let round = 0; round < 2; round++) {
    expect(await pauseTeamOverLimit(tx, pause)).toEqual([1])
    await changeWebhook(db, TEAM_A, 'wh_1', { standing: { state: 'active', reason: null } })
  }
}

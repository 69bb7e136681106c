import { afterEach, beforeEach, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { seedsTo } from '../../../tests/support/basics/each-seed.ts'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { sized } from '../../../tests/support/basics/sized.ts'
import {
  NOW_MS,
  nextEvent,
  settle,
  waitingIds,
} from '../../../tests/support/deliveries/delivery-store.ts'
import {
  addWebhooks,
  insertTeams,
  NETWORK,
  sequenceAt,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { type Database, sql } from '../../ports/database.ts'
import { pruneDelivered } from '../deliveries/retention.ts'
import { createReplay, recordReplayStep } from '../webhooks/replays.ts'
import { changeWebhook } from '../webhooks/webhooks.ts'
import { pauseTeamOverLimit } from './capacity-pause.ts'
import { logBytes, logBytesOf } from './log-bytes.ts'

const ALL = { olderThanMs: NOW_MS * 2, bytesMax: Number.MAX_SAFE_INTEGER, rowsMax: 1_000 }

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'))
})
afterEach(() => db.close())

/** What the log holds, counted row by row. */
async function bytesCounted(): Promise<number> {
  const [rows] = await db.query<{ rows: number; bytes: number }>(sql`
    SELECT CAST(COUNT(*) AS BIGINT) AS rows,
      CAST(COALESCE(SUM(attempts_bytes), 0) AS BIGINT) AS bytes
    FROM deliveries`)
  const results = await db.query<{ bytes: number }>(sql`SELECT bytes FROM results`)
  return logBytesOf(results, rows?.rows ?? 0) + (rows?.bytes ?? 0)
}

test.each(seedsTo(sized(1, 4)))(
  'the size of the log is what its rows add up to, always (%d)',
  async (seed) => {
    const chance = seededChance(seed)
    for (let step = 0; step < 60; step++) {
      const atMs = NOW_MS + step * 20_000
      const deed = chance.between(1, 6)
      if (deed <= 2) {
        const webhookIds = chance.pick([['wh_1'], ['wh_1', 'wh_2'], []])
        await nextEvent(db, webhookIds, { atMs, data: 'x'.repeat(chance.between(1, 9_000)) })
      } else if (deed === 3) {
        const kind = chance.pick(['delivered', 'failed', 'retry'] as const)
        const ids = await waitingIds(db, 'wh_1', chance.pick(['new', 'retry', 'error']), atMs)
        if (ids.length > 0) await settle(db, ids, { kind, dueAtMs: atMs }, { startedAtMs: atMs })
      } else if (deed === 4) {
        await replayAt(step, chance.between(1, 4), atMs, chance.between(1, 9_000))
      } else if (deed === 5) {
        await pruneDelivered(db, { ...ALL, rowsMax: chance.between(1, 5) })
      } else {
        await pauseTeamOverLimit(db, { teamId: TEAM_A, message: 'used up', nowMs: atMs })
        const standing = { state: 'active', reason: null } as const
        await changeWebhook(db, TEAM_A, 'wh_1', { standing })
      }
      expect(await logBytes(db)).toBe(await bytesCounted())
    }
  },
)

async function replayAt(run: number, block: number, atMs: number, bytes: number): Promise<void> {
  const replayId = `rpl_${run}`
  const where = { webhookId: 'wh_1', network: NETWORK }
  const job = { id: replayId, teamId: TEAM_A, fromBlock: block, toBlock: block, createdAtMs: atMs }
  await createReplay(db, { ...job, ...where })
  const due = { data: 'y'.repeat(bytes), bytes, truncation: null }
  const sequenceNumber = (await sequenceAt(db, NETWORK, block)) ?? block
  const step = {
    replayId,
    ...where,
    blockNumber: block,
    blockHash: '0x',
    sequenceNumber,
    due,
    atMs,
  }
  expect(await recordReplayStep(db, step)).toBe('recorded')
}

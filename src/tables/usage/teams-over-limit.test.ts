import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { NOW_MS } from '../../../tests/support/deliveries/delivery-store.ts'
import {
  addWebhooks,
  insertTeams,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { aTier } from '../../../tests/support/product/a-tier.ts'
import type { Tier } from '../../core/billing/plan.ts'
import { type Database, sql } from '../../ports/database.ts'
import { changeWebhook } from '../webhooks/webhooks.ts'
import { pauseTeamOverLimit, teamsOverLimit } from './capacity-pause.ts'
import { addUsage } from './usage.ts'

const PAUSE = { teamId: TEAM_A, message: 'Monthly capacity limit exceeded.', nowMs: NOW_MS }
const PAUSED = { standing: { state: 'paused', reason: 'MANUAL' } } as const

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(
    db,
    webhookCalled('wh_1'),
    webhookCalled('wh_2', { network: 'BASE_MAINNET' }),
    webhookCalled('wh_3'),
    webhookCalled('wh_b', { teamId: TEAM_B }),
  )
  await changeWebhook(db, TEAM_A, 'wh_3', PAUSED)
})
afterEach(() => db.close())

describe('a month is used up', () => {
  const tier = (name: string, monthlyCu: number | null): [string, Tier] => [
    name,
    aTier({ name, monthlyCu, cuPerSecond: 1 }),
  ]
  const TIERS = new Map([tier('free', 30), tier('growth', null)])

  const spend = (teamId: string, centiCu: number) =>
    db.transaction((tx) => {
      const hourMs = Date.UTC(2026, 10, 3, 5)
      const what = { appId: '', network: 'ETH_MAINNET', method: 'webhook', calls: 1, bytes: 1 }
      return addUsage(tx, [{ teamId, hourMs, centiCu, ...what }])
    })

  test('from the hundredth of a unit on that reaches the limit, in that month alone', async () => {
    await spend(TEAM_A, 2_999)
    expect(await teamsOverLimit(db, '2026-11', TIERS)).toEqual([])
    await spend(TEAM_A, 1)
    expect(await teamsOverLimit(db, '2026-11', TIERS)).toEqual([TEAM_A])
    expect(await teamsOverLimit(db, '2026-12', TIERS)).toEqual([])
  })

  test('for the teams that are asked about', async () => {
    await spend(TEAM_A, 9_000)
    await spend(TEAM_B, 9_000)
    expect(await teamsOverLimit(db, '2026-11', TIERS)).toEqual([TEAM_A, TEAM_B])
    expect(await teamsOverLimit(db, '2026-11', TIERS, [TEAM_B, 'team_none'])).toEqual([TEAM_B])
    expect(await teamsOverLimit(db, '2026-11', TIERS, [])).toEqual([])
  })

  test('never with autoscaling, nor on a tier without a limit', async () => {
    await spend(TEAM_A, 9_000)
    await spend(TEAM_B, 9_000)
    await db.query(sql`UPDATE teams SET autoscaling = 1 WHERE id = ${TEAM_A}`)
    await db.query(sql`UPDATE teams SET tier = 'growth' WHERE id = ${TEAM_B}`)
    expect(await teamsOverLimit(db, '2026-11', TIERS)).toEqual([])
  })

  test('at once for a tier that is no longer configured', async () => {
    await db.query(sql`UPDATE teams SET tier = 'forgotten' WHERE id = ${TEAM_B}`)
    expect(await teamsOverLimit(db, '2026-11', TIERS)).toEqual([TEAM_B])
    expect(await teamsOverLimit(db, '2026-11', new Map())).toEqual([TEAM_A, TEAM_B])
  })

  test('pauses nothing of a team that has got more since it was found', async () => {
    await spend(TEAM_A, 9_000)
    await db.query(sql`UPDATE teams SET tier = 'growth' WHERE id = ${TEAM_A}`)
    expect(await pauseTeamOverLimit(db, { ...PAUSE, tiers: TIERS })).toEqual([])
    await db.query(sql`UPDATE teams SET tier = 'free' WHERE id = ${TEAM_A}`)
    expect(await pauseTeamOverLimit(db, { ...PAUSE, tiers: TIERS })).toHaveLength(2)
  })

  test('and is of no interest once all webhooks of the team are paused', async () => {
    await spend(TEAM_A, 9_000)
    await pauseTeamOverLimit(db, PAUSE)
    expect(await teamsOverLimit(db, '2026-11', TIERS)).toEqual([])
  })
})

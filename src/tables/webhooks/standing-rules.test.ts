import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import {
  NOW_MS,
  nextEvent,
  outcomeOf,
  settle,
  settleOutcomes,
  waiting,
  waitingIds,
} from '../../../tests/support/deliveries/delivery-store.ts'
import {
  addWebhooks,
  insertTeams,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { aTier } from '../../../tests/support/product/a-tier.ts'
import { type Database, sql } from '../../ports/database.ts'
import { cancelDeliveries } from '../deliveries/cancel-deliveries.ts'
import { listDeliveryPage } from '../deliveries/log/delivery-page.ts'
import { pauseTeamOverLimit } from '../usage/capacity-pause.ts'
import { addUsage } from '../usage/usage.ts'
import { pauseFullBacklog } from './standing-rules.ts'
import { changeWebhook, createWebhook, findWebhook, type WebhookChange } from './webhooks.ts'

const LIMIT = 100_000
const HOUR_MS = Date.UTC(2026, 10, 15, 4)
const TIERS = new Map([['free', aTier({ monthlyCu: 30, undeliveredBytesMax: LIMIT })]])
const RULES = { tiers: TIERS, publicUrl: 'https://headgate.example', nowMs: NOW_MS }
const ACTIVE = { standing: { state: 'active', reason: null } } as const
const PAUSED = { standing: { state: 'paused', reason: 'MANUAL' } } as const
const USED_UP = { state: 'paused', reason: 'MONTHLY_CAPACITY_EXCEEDED' } as const
const FULL = { state: 'paused', reason: 'BACKLOG_FULL' } as const

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, webhookCalled('wh_1'))
})
afterEach(() => db.close())

const create = async (id: string, differing = {}) => {
  const wanted = webhookCalled(id, differing)
  const made = await createWebhook(db, wanted, 'sealed', 100, { rules: RULES })
  return made.kind === 'written' ? made.stored : null
}

const change = async (id: string, what: WebhookChange) => {
  const written = await changeWebhook(db, TEAM_A, id, what, RULES)
  return written.kind === 'written' ? written.stored.webhook : null
}

const unpause = (id: string) => change(id, ACTIVE)

const stored = async (id: string) => (await findWebhook(db, TEAM_A, id))?.webhook

const errorsOf = async (id: string) => (await waiting(db, id, 'error')).map(({ error }) => error)

const kindsFor = async (webhookId: string) =>
  (await listDeliveryPage(db, TEAM_A, { webhookId, limit: 10 })).map(({ kind }) => kind)

describe('while the month of a team is used up', () => {
  beforeEach(() =>
    db.transaction((tx) => {
      const what = { appId: '', network: 'ETH_MAINNET', method: 'webhook', calls: 1, bytes: 1 }
      return addUsage(tx, [{ teamId: TEAM_A, hourMs: HOUR_MS, centiCu: 3_000, ...what }])
    }),
  )

  test('a new webhook is paused at once, with its error event', async () => {
    expect(await create('wh_2')).toMatchObject(USED_UP)
    expect(await stored('wh_2')).toMatchObject(USED_UP)
    expect(await errorsOf('wh_2')).toEqual([
      'Monthly capacity limit exceeded. Visit https://headgate.example/settings/billing to upgrade your scaling policy for continued service.',
    ])
    await nextEvent(db, ['wh_2'])
    expect(await kindsFor('wh_2')).toEqual(['error'])
  })

  test('one that is unpaused is paused again, with its error event', async () => {
    await changeWebhook(db, TEAM_A, 'wh_1', PAUSED)
    expect(await unpause('wh_1')).toMatchObject(USED_UP)
    expect(await stored('wh_1')).toMatchObject(USED_UP)
    expect(await errorsOf('wh_1')).toHaveLength(1)
    await nextEvent(db, ['wh_1'])
    expect(await kindsFor('wh_1')).toEqual(['error'])
  })

  test('unpausing again and again piles up no errors, and sends the one that waits', async () => {
    await unpause('wh_1')
    const later = { kind: 'retry', dueAtMs: NOW_MS + 9_000 } as const
    await settle(db, await waitingIds(db, 'wh_1', 'error'), later)
    expect(await errorsOf('wh_1')).toEqual([])
    for (let at = 0; at < 5; at++) expect(await unpause('wh_1')).toMatchObject(USED_UP)
    expect(await errorsOf('wh_1')).toHaveLength(1)

    await settle(db, await waitingIds(db, 'wh_1', 'error'), { kind: 'delivered' })
    await unpause('wh_1')
    expect(await errorsOf('wh_1')).toHaveLength(1)
  })

  test('an error that is under way meanwhile is sent anew, and arrives after the pause', async () => {
    await unpause('wh_1')
    const [underWay] = await waiting(db, 'wh_1', 'error')
    await unpause('wh_1')
    const arrived = outcomeOf(underWay!, { next: { kind: 'delivered' } })
    expect(await settleOutcomes(db, [arrived])).toEqual(new Set())
    expect(await waitingIds(db, 'wh_1', 'error')).toEqual([underWay!.id])
  })

  test('pausing, renaming and creating for another team are what they always are', async () => {
    const manual = { state: 'paused', reason: 'MANUAL' }
    expect(await change('wh_1', PAUSED)).toMatchObject(manual)
    expect(await change('wh_1', { name: 'New' })).toMatchObject({ ...manual, name: 'New' })
    expect(await create('wh_b', { teamId: TEAM_B })).toMatchObject({ state: 'active' })
    expect(await errorsOf('wh_1')).toEqual([])
  })

  test('a team that may grow past it goes on', async () => {
    await db.query(sql`UPDATE teams SET autoscaling = 1 WHERE id = ${TEAM_A}`)
    expect(await create('wh_2')).toMatchObject({ state: 'active', reason: null })
    expect(await unpause('wh_1')).toMatchObject({ state: 'active', reason: null })
  })

  test('whoever comes first, the pause of all or an unpause, each is paused and told', async () => {
    const pause = { teamId: TEAM_A, message: 'used up', nowMs: NOW_MS, tiers: TIERS }
    await Promise.all([pauseTeamOverLimit(db, pause), unpause('wh_1'), create('wh_2')])
    for (const id of ['wh_1', 'wh_2']) {
      expect(await stored(id)).toMatchObject(USED_UP)
      expect((await errorsOf(id)).length).toBeGreaterThan(0)
    }
  })
})

describe('while a team has more undelivered than it may', () => {
  const fill = (bytes: number) => nextEvent(db, ['wh_1'], { data: 'x'.repeat(bytes) })

  test('a new webhook is paused at once, with its error event', async () => {
    await fill(LIMIT)
    expect(await create('wh_2')).toMatchObject(FULL)
    expect(await errorsOf('wh_2')).toEqual([expect.stringMatching(/^Backlog limit exceeded: /)])
    expect(await create('wh_b', { teamId: TEAM_B })).toMatchObject({ state: 'active' })
  })

  test('one may be unpaused to get rid of it, but not once it is twice as much', async () => {
    await fill(LIMIT)
    expect(await pauseFullBacklog(db, TEAM_A, RULES)).toEqual([1])
    expect(await unpause('wh_1')).toMatchObject({ state: 'active' })
    expect(await pauseFullBacklog(db, TEAM_A, RULES)).toEqual([])
    await fill(LIMIT)
    expect(await pauseFullBacklog(db, TEAM_A, RULES)).toEqual([1])
    expect(await unpause('wh_1')).toMatchObject(FULL)
    expect(await errorsOf('wh_1')).toHaveLength(1)
  })

  test('what failed counts as what waits does, until it is delivered or its webhook goes', async () => {
    const ids = await fill(LIMIT)
    await settle(db, ids, { kind: 'failed' })
    expect(await create('wh_2')).toMatchObject(FULL)
    await db.transaction((tx) => cancelDeliveries(tx, { webhook: 1, teamId: TEAM_A }))
    expect(await create('wh_3')).toMatchObject({ state: 'active' })
  })
})

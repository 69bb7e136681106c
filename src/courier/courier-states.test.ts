import { describe, expect, test } from 'bun:test'
import {
  type CourierStage,
  courierStage,
  SIGNING_KEY,
} from '../../tests/support/deliveries/courier-stage.ts'
import { TEAM_A, webhookCalled } from '../../tests/support/deliveries/webhook-store.ts'
import { type Secrets, signingKeyPlace } from '../ports/secrets.ts'
import { recordUsage } from '../tables/usage/usage.ts'
import { createWebhook, deleteWebhook, findWebhook } from '../tables/webhooks/webhooks.ts'

const SECOND = 1000
const MINUTE = 60_000
const PAUSED = { standing: { state: 'paused', reason: 'MANUAL' } } as const
const ACTIVE = { standing: { state: 'active', reason: null } } as const

describe('a paused webhook', () => {
  test('is sent nothing, and everything that was committed once it is unpaused', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => ({ status: 500 })
    stage.open()
    const failed = await stage.block(id)
    await stage.rest()
    await stage.change(id, PAUSED)
    await stage.clock.advance(MINUTE)
    expect(stage.sentNumbers()).toEqual([failed])

    stage.egress.script = () => ({})
    await stage.change(id, ACTIVE)
    await stage.rest()
    expect(stage.sentNumbers()).toEqual([failed, failed])
  })

  test('keeps what was committed before, in order', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    const numbers = [await stage.block(id), await stage.block(id), await stage.block(id)]
    await stage.change(id, PAUSED)
    stage.open()
    await stage.clock.advance(MINUTE)
    expect(stage.egress.sent).toHaveLength(0)
    await stage.change(id, ACTIVE)
    await stage.rest()
    expect(stage.sentNumbers()).toEqual(numbers)
  })

  test('is noticed within a second when nobody says so', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.open()
    await stage.block(id)
    stage.signals.publish = async () => {}
    await stage.change(id, PAUSED)
    await stage.change(id, ACTIVE)
    await stage.change(id, { url: 'https://elsewhere.example/' })
    await stage.clock.advance(SECOND)
    await stage.block(id)
    expect(stage.egress.sent.at(-1)?.url).toBe('https://elsewhere.example/')
  })
})

describe('a destination that answers 410', () => {
  test('pauses its webhook, and the delivery waits for whoever unpauses it', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => ({ status: 410 })
    stage.open()
    const first = await stage.block(id)
    await stage.rest()
    expect(await standing(stage, id)).toEqual(['paused', 'DESTINATION_GONE'])
    await stage.clock.advance(10 * MINUTE)
    expect(stage.sentNumbers()).toEqual([first])
    expect(await stage.rows()).toMatchObject([{ state: 'waiting', attempts_made: 1 }])

    stage.egress.script = () => ({})
    await stage.change(id, ACTIVE)
    expect(await stage.rows()).toMatchObject([{ state: 'delivered', attempts_made: 2 }])
  })

  test('does not pause a webhook that leads elsewhere by now', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => null
    stage.open()
    await stage.block(id)
    await stage.change(id, { url: 'https://elsewhere.example/' })
    stage.egress.script = () => ({})
    stage.egress.sent[0]?.answer({ status: 410 })
    await stage.rest()
    expect(await standing(stage, id)).toEqual(['active', null])
    expect(await stage.rows()).toMatchObject([{ state: 'delivered' }])
  })

  test('pauses a webhook that led elsewhere only until the outcome was committed', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => null
    stage.open()
    await stage.block(id)
    const { url = '' } = stage.egress.sent[0] ?? {}
    await stage.change(id, { url: 'https://elsewhere.example/' })
    stage.egress.sent[0]?.answer({ status: 410 })
    await stage.clock.advance(1)
    await stage.change(id, { url })
    await stage.rest()
    expect(await standing(stage, id)).toEqual(['paused', 'DESTINATION_GONE'])
    expect(stage.egress.sent).toHaveLength(1)
  })

  test('is not asked again while the store cannot pause its webhook, which it does then', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => null
    stage.open()
    await stage.block(id)
    stage.database.down = true
    stage.egress.sent[0]?.answer({ status: 410 })
    await stage.clock.advance(MINUTE)
    stage.database.down = false
    await stage.clock.advance(10 * SECOND)
    expect(stage.egress.sent).toHaveLength(1)
    expect(await standing(stage, id)).toEqual(['paused', 'DESTINATION_GONE'])
    expect(await stage.rows()).toMatchObject([{ state: 'waiting', attempts_made: 1 }])
  })
})

describe('a month that is used up', () => {
  test('pauses all webhooks of the team and tells each of them once', async () => {
    const stage = await courierStage({ monthlyCu: 100 })
    const ids = [await stage.webhook('wh_a'), await stage.webhook('wh_b')]
    const resting = await stage.webhook('wh_c', { state: 'paused', reason: 'MANUAL' })
    stage.open()
    for (let at = 0; at < 20; at++) await stage.block(...ids)
    await stage.clock.advance(2 * SECOND)

    const errors = stage.egress.sent.filter(({ json }) => json.event.error)
    expect(errors.map(({ json }) => json.webhookId).toSorted()).toEqual(ids)
    const [{ json } = { json: null }] = errors
    expect(json).toEqual({
      webhookId: json.webhookId,
      id: json.id,
      createdAt: json.createdAt,
      type: 'GRAPHQL',
      event: {
        error:
          'Monthly capacity limit exceeded. Visit https://headgate.example/settings/billing to upgrade your scaling policy for continued service.',
      },
    })
    for (const id of ids) {
      expect(await standing(stage, id)).toEqual(['paused', 'MONTHLY_CAPACITY_EXCEEDED'])
    }
    expect(await standing(stage, resting)).toEqual(['paused', 'MANUAL'])

    // Nothing follows, however long nobody unpauses them.
    const sent = stage.egress.sent.length
    await stage.clock.advance(10 * MINUTE)
    expect(stage.egress.sent).toHaveLength(sent)
  })

  test('is noticed when calls use it up', async () => {
    const stage = await courierStage({ monthlyCu: 100 })
    const id = await stage.webhook('wh_a')
    stage.open()
    const atMs = stage.clock.nowMs()
    const row = { teamId: TEAM_A, appId: 'app_a', network: 'ETH_MAINNET', method: 'eth_call' }
    const rows = [{ ...row, hourMs: atMs, calls: 1, centiCu: 10_000, bytes: 0 }]
    await recordUsage(stage.database, { writer: 'w', sequence: 1, atMs, rows })
    await stage.clock.advance(SECOND)
    await stage.rest()
    expect(stage.egress.sent.map(({ json }) => json.event.error !== undefined)).toEqual([true])
    expect(await standing(stage, id)).toEqual(['paused', 'MONTHLY_CAPACITY_EXCEEDED'])
  })

  test('is not told again to a destination that is gone', async () => {
    const stage = await courierStage({ monthlyCu: 0, retryDelaysMs: [15 * SECOND, MINUTE] })
    await stage.webhook('wh_a')
    stage.egress.script = () => ({ status: 410 })
    stage.open()
    await stage.clock.advance(10 * MINUTE)
    expect(stage.egress.sent).toHaveLength(1)
    expect(await stage.rows()).toMatchObject([{ kind: 'error', state: 'failed' }])
  })
})

describe('a deleted webhook', () => {
  test('is sent nothing more', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => ({ status: 500 })
    stage.open()
    await stage.block(id)
    await stage.rest()
    await deleteWebhook(stage.database, TEAM_A, id)
    await stage.clock.advance(10 * MINUTE)
    expect(stage.egress.sent).toHaveLength(1)
    expect(await stage.rows()).toMatchObject([{ state: 'cancelled' }])
  })
})

describe('a webhook whose key cannot be read', () => {
  const moved = ({ seal }: Secrets) => seal(SIGNING_KEY, signingKeyPlace('wh_good'))

  test.each<[string, (secrets: Secrets) => string]>([
    ['sealed with another secret', () => 'nonsense'],
    ['of another form', ({ seal }) => seal('whsec_?', signingKeyPlace('wh_bad'))],
    ['of another webhook', moved],
  ])('%s gets nothing, is told of once, and holds up nobody', async (_, sealed) => {
    const stage = await courierStage()
    const bad = webhookCalled('wh_bad')
    await createWebhook(stage.database, bad, sealed(stage.secrets), 1000)
    const good = await stage.webhook('wh_good')
    stage.open()
    await stage.block(bad.id, good)
    await stage.clock.advance(MINUTE)
    expect(stage.egress.sent.map(({ json }) => json.webhookId)).toEqual([good])
    const told = stage.telemetry.events.filter((event) => event === 'signing_key_unreadable')
    expect(told).toHaveLength(1)
  })

  test('is sent to again once it has a new key', async () => {
    const stage = await courierStage()
    const bad = webhookCalled('wh_bad')
    await createWebhook(stage.database, bad, moved(stage.secrets), 1000)
    stage.open()
    const sealed = stage.secrets.seal(SIGNING_KEY, signingKeyPlace(bad.id))
    await stage.change(bad.id, { newKey: { sealed, previousUntilMs: Number.MAX_SAFE_INTEGER } })
    await stage.block(bad.id)
    expect(stage.egress.sent.map(({ json }) => json.webhookId)).toEqual([bad.id])
  })
})

async function standing({ database }: CourierStage, id: string) {
  const found = await findWebhook(database, TEAM_A, id)
  return [found?.webhook.state, found?.webhook.reason]
}

import { describe, expect, test } from 'bun:test'
import { type CourierStage, courierStage } from '../../tests/support/deliveries/courier-stage.ts'
import { TEAM_A, TEAM_B } from '../../tests/support/deliveries/webhook-store.ts'
import { sql } from '../ports/database.ts'
import { findWebhook } from '../tables/webhooks/webhooks.ts'

const SECOND = 1000
const MINUTE = 60_000
const ACTIVE = { standing: { state: 'active', reason: null } } as const

/** Room for nine small results with their places in the log. */
const LIMIT = 10_000

const MESSAGE =
  'Backlog limit exceeded: more results are undelivered than your plan allows. Unpause the ' +
  'webhook once its destination accepts deliveries, or visit ' +
  'https://headgate.example/settings/billing to upgrade.'

describe('a backlog', () => {
  test('above the limit pauses all webhooks of the team and tells each of them once', async () => {
    const stage = await courierStage({ undeliveredBytesMax: LIMIT })
    const ids = [await stage.webhook('wh_a'), await stage.webhook('wh_b')]
    const theirs = await stage.webhook('wh_theirs', { teamId: TEAM_B })
    refuseData(stage)
    stage.open()
    for (let at = 0; at < 7; at++) await stage.block(...ids, theirs)
    await stage.clock.advance(5 * SECOND)
    for (const id of ids) expect(await standing(stage, id)).toEqual(['active', null])

    await stage.clock.advance(10 * SECOND)
    for (const id of ids) expect(await standing(stage, id)).toEqual(['paused', 'BACKLOG_FULL'])
    expect(await standing(stage, theirs, TEAM_B)).toEqual(['active', null])
    await stage.clock.advance(10 * MINUTE)
    const errors = stage.egress.sent.filter(({ json }) => json.event.error)
    expect(errors.map(({ json }) => json.webhookId).toSorted()).toEqual(ids)
    expect(errors[0]?.json.event).toEqual({ error: MESSAGE })
    expect(await stage.billed()).toEqual({ calls: 0, bytes: 0, centi_cu: 0 })
  })

  test('far above the limit pauses them at the next look', async () => {
    const stage = await courierStage({ undeliveredBytesMax: LIMIT })
    const id = await stage.webhook('wh_a')
    refuseData(stage)
    stage.open()
    for (let at = 0; at < 20; at++) await stage.block(id)
    await stage.clock.advance(SECOND)
    expect(await standing(stage, id)).toEqual(['paused', 'BACKLOG_FULL'])
  })

  test('that is sent within some seconds pauses nobody', async () => {
    const stage = await courierStage({ undeliveredBytesMax: LIMIT })
    const ids = Array.from({ length: 15 }, (_, at) => `wh_${at}`)
    for (const id of ids) await stage.webhook(id)
    stage.open()
    for (let at = 0; at < 10; at++) {
      stage.egress.script = () => null
      await stage.block(...ids)
      await stage.clock.advance(4 * SECOND)
      for (const one of stage.egress.sent) one.answer({ status: 200 })
      await stage.clock.advance(2 * SECOND)
    }
    for (const id of ids) expect(await standing(stage, id)).toEqual(['active', null])
    expect(await undelivered(stage)).toBe(0)
  })

  test('goes out after unpausing, and is paused again only when it does not go down', async () => {
    const stage = await courierStage({
      undeliveredBytesMax: LIMIT,
      retryDelaysMs: [MINUTE],
    })
    const id = await stage.webhook('wh_a')
    refuseData(stage)
    stage.open()
    for (let at = 0; at < 12; at++) await stage.block(id)
    await stage.clock.advance(20 * SECOND)
    expect(await standing(stage, id)).toEqual(['paused', 'BACKLOG_FULL'])

    stage.egress.script = () => ({ status: 200 })
    await stage.change(id, ACTIVE, stage.rules())
    expect(await standing(stage, id)).toEqual(['active', null])
    await stage.clock.advance(5 * MINUTE)
    expect(await standing(stage, id)).toEqual(['active', null])
    expect(await undelivered(stage)).toBe(0)
    expect((await stage.rows()).map(({ state }) => state)).not.toContain('waiting')

    // From here on the limit is what it was.
    refuseData(stage)
    for (let at = 0; at < 12; at++) await stage.block(id)
    await stage.clock.advance(20 * SECOND)
    expect(await standing(stage, id)).toEqual(['paused', 'BACKLOG_FULL'])
    await stage.change(id, ACTIVE, stage.rules())
    for (let at = 0; at < 12; at++) await stage.block(id)
    await stage.clock.advance(2 * SECOND)
    expect(await standing(stage, id)).toEqual(['paused', 'BACKLOG_FULL'])
    // Twice the limit is too far: nothing more is added by unpausing.
    await stage.change(id, ACTIVE, stage.rules())
    expect(await standing(stage, id)).toEqual(['paused', 'BACKLOG_FULL'])
  })
})

/** Destinations take errors and nothing else. */
function refuseData(stage: CourierStage): void {
  stage.egress.script = ({ body }) => ({ status: body.includes('"error"') ? 200 : 404 })
}

async function undelivered({ database }: CourierStage): Promise<number> {
  const [row] = await database.query<{ bytes: number }>(sql`
    SELECT CAST(SUM(bytes) AS BIGINT) AS bytes FROM team_backlogs WHERE team_id = ${TEAM_A}`)
  return row?.bytes ?? 0
}

async function standing({ database }: CourierStage, id: string, teamId = TEAM_A) {
  const found = await findWebhook(database, teamId, id)
  return [found?.webhook.state, found?.webhook.reason]
}

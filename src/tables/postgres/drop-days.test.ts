import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshPostgres } from '../../../tests/fresh-store.ts'
import {
  NOW_MS,
  nextEvent,
  settle,
  statesOf,
} from '../../../tests/support/deliveries/delivery-store.ts'
import { contradiction, miscount } from '../../../tests/support/deliveries/stored-deliveries.ts'
import {
  addWebhooks,
  insertTeams,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { lacksPostgres } from '../../../tests/support/product/world.ts'
import { Failure } from '../../core/errors.ts'
import { type Database, sql } from '../../ports/database.ts'
import { listDeliveryPage } from '../deliveries/log/delivery-page.ts'
import { resendDelivery } from '../deliveries/resend-delivery.ts'
import { dropOldDays, pruneDelivered } from '../deliveries/retention.ts'
import { beginDay, dayOf, dayOfEvent } from './event-days.ts'

const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
const LIMITS = { bytesMax: Number.MAX_SAFE_INTEGER, rowsMax: 1_000 }

describe.skipIf(lacksPostgres())('days on PostgreSQL', () => {
  let db: Database
  beforeEach(async () => {
    db = await freshPostgres()
    await insertTeams(db)
    await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'))
    await begin(NOW_MS)
  })
  afterEach(async () => {
    expect(await contradiction(db)).toBeNull()
    expect(await miscount(db)).toBeNull()
    await db.close()
  })

  const begin = (nowMs: number) => db.transaction((tx) => beginDay(tx, nowMs))
  const drop = (nowMs: number) => db.perform(dropOldDays, [nowMs, nowMs - WEEK_MS])

  const idsLeft = async () =>
    (await listDeliveryPage(db, TEAM_A, { limit: 1_000 })).map(({ id }) => id).toSorted()

  const partitions = async () =>
    (
      await db.query<{ relname: string }>(sql`
        SELECT relname FROM pg_class
        WHERE relispartition AND relkind = 'r' AND relname LIKE 'deliveries_%'`)
    )
      .map(({ relname }) => Number(relname.slice('deliveries_'.length)))
      .sort((a, b) => a - b)

  const events = async () =>
    (await db.query<{ event: number }>(sql`SELECT event FROM events ORDER BY event`)).map(
      ({ event }) => event,
    )

  test('an event stands in the partition of its day, and numbers grow over days', async () => {
    const day = dayOf(NOW_MS)
    await nextEvent(db, ['wh_1'])
    await begin(NOW_MS + DAY_MS)
    await begin(NOW_MS)
    await nextEvent(db, ['wh_1'])
    await begin(NOW_MS + 2 * DAY_MS)
    await nextEvent(db, ['wh_1'])
    expect((await events()).map(dayOfEvent)).toEqual([day, day + 1, day + 2])
    expect(await events()).toEqual((await events()).toSorted((a, b) => a - b))
  })

  test('many that begin the same day do it once', async () => {
    const later = NOW_MS + 5 * DAY_MS
    await Promise.all(Array.from({ length: 5 }, () => begin(later)))
    expect(await partitions()).toContain(dayOf(later) + 2)
    await nextEvent(db, ['wh_1'])
    expect((await events()).map(dayOfEvent)).toEqual([dayOf(later)])
  })

  test('a day that is old goes as a whole, without a trace', async () => {
    const ids = [...(await nextEvent(db, ['wh_1', 'wh_2'])), ...(await nextEvent(db, ['wh_1']))]
    await settle(db, ids, { kind: 'delivered' })
    const later = NOW_MS + 8 * DAY_MS
    await begin(later)
    const young = await nextEvent(db, ['wh_1'], { atMs: later })
    await settle(db, young, { kind: 'delivered' }, { startedAtMs: later })

    expect(await drop(NOW_MS + WEEK_MS - 1)).toEqual({ removed: 0, eventsBeforeMs: 0 })
    expect(await idsLeft()).toEqual([...ids, ...young].toSorted())
    expect(await drop(later)).toMatchObject({ removed: 3 })
    expect(await idsLeft()).toEqual(young)
    // The day's tables, empty now, go with the next look, as those of days without events.
    await drop(later)
    expect(await partitions()).toEqual([0, 1, 2].map((ahead) => dayOf(later) + ahead))
  })

  test('what waits, has failed or was done late stays, with its result and its log', async () => {
    const [done = '', failed = ''] = await nextEvent(db, ['wh_1', 'wh_2'])
    await settle(db, [done], { kind: 'delivered' })
    await settle(db, [failed], { kind: 'failed' })
    const [late = ''] = await nextEvent(db, ['wh_1'])
    const [waiting = ''] = await nextEvent(db, ['wh_2'])
    const later = NOW_MS + 8 * DAY_MS
    await settle(db, [late], { kind: 'delivered' }, { startedAtMs: later - DAY_MS })

    expect(await drop(later)).toMatchObject({ removed: 1 })
    const left = [failed, late, waiting]
    expect(await idsLeft()).toEqual(left.toSorted())
    expect(await statesOf(db, left)).toEqual(['failed', 'delivered', 'waiting'])

    await resendDelivery(db, TEAM_A, failed, later)
    await settle(db, [failed, waiting], { kind: 'delivered' }, { startedAtMs: later })
    const end = later + WEEK_MS + 10
    expect(await pruneDelivered(db, { ...LIMITS, olderThanMs: end }, 0)).toBe(3)
    expect(await idsLeft()).toEqual([])
    expect(await partitions()).toContain(dayOf(NOW_MS))
    await drop(end)
    expect(await partitions()).not.toContain(dayOf(NOW_MS))
  })

  test('a day that another transaction holds stays, and the server is not thought away', async () => {
    await settle(db, await nextEvent(db, ['wh_1']), { kind: 'delivered' })
    const later = NOW_MS + 8 * DAY_MS
    const [held, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = db.transaction(async (tx) => {
      await tx.query(sql`UPDATE deliveries SET done_at_ms = done_at_ms`)
      held.resolve()
      await letGo.promise
    })
    await held.promise
    const thrown = await drop(later).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(Error)
    expect(thrown).not.toBeInstanceOf(Failure)
    letGo.resolve()
    await holding
    expect(await drop(later)).toMatchObject({ removed: 1 })
  })

  test('deliveries of an old day are settled while others drop it', async () => {
    const ids: string[] = []
    for (let at = 0; at < 20; at++) ids.push(...(await nextEvent(db, ['wh_1'])))
    await settle(db, ids.slice(0, 10), { kind: 'delivered' })
    const later = NOW_MS + 8 * DAY_MS
    const dropping = Promise.all(Array.from({ length: 4 }, () => drop(later)))
    for (const id of ids.slice(10)) {
      // The table may be gone when its turn has come: whoever settles tries again, as a courier.
      for (let tries = 0; ; tries++) {
        try {
          await settle(db, [id], { kind: 'delivered' }, { startedAtMs: later })
          break
        } catch (thrown) {
          if (tries === 10) throw thrown
        }
      }
    }
    await dropping
    expect(await idsLeft()).toEqual(ids.slice(10).toSorted())
  })
})

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { seedsTo } from '../../../tests/support/basics/each-seed.ts'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { sized } from '../../../tests/support/basics/sized.ts'
import {
  billOf,
  deliveryCalled,
  eventTo,
  factsOf,
  fenceOf,
  NOW_MS,
  outcomeOf,
  settleHeld,
  statesOf,
  waiting,
  waitingIds,
} from '../../../tests/support/deliveries/delivery-store.ts'
import {
  type AttemptOutcome,
  findDeliveryWithAttempts,
  resendDelivery,
} from '../../../tests/support/deliveries/delivery-tables.ts'
import {
  addWebhooks,
  HOSTILE_TEXTS,
  insertTeams,
  NETWORK,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { faultyDatabase } from '../../../tests/support/store/faulty-database.ts'
import type { Database } from '../../ports/database.ts'

const HOUR_MS = Date.UTC(2026, 10, 15, 4)
const CENTI_CU_PER_BYTE = 4

let db: Database
let fence: Awaited<ReturnType<typeof fenceOf>>
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, webhookCalled('wh_1'))
  fence = await fenceOf(db)
})
afterEach(() => db.close())

/** So many deliveries to wh_1, read to be attempted. */
async function attempted(count: number) {
  const events = []
  for (let at = 0; at < count; at++) events.push(await eventTo(db, [['wh_1']]))
  return events.flatMap(({ deliveries }) => deliveries)
}

const settle = (...outcomes: AttemptOutcome[]) => settleHeld(db, fence, outcomes)

const attemptsOf = async (id: string) =>
  (await findDeliveryWithAttempts(db, TEAM_A, id))?.attempts ?? []

const NO_BILL = { lines: [], months: [] }

describe('what becomes of a delivery', () => {
  test('accepted, it is delivered and on the bill', async () => {
    const [one] = await attempted(1)
    expect(await settle(outcomeOf(one!))).toEqual(new Set([0]))
    expect(await deliveryCalled(db, one!.id)).toMatchObject({
      state: 'delivered',
      attemptsMade: 1,
      bodyBytes: 2_000,
      doneAtMs: NOW_MS + 6,
      dueAtMs: null,
    })
    expect(await billOf(db)).toEqual({
      lines: [
        {
          hour_ms: HOUR_MS,
          app_id: 'app_1',
          network: NETWORK,
          method: 'webhook',
          calls: 1,
          centi_cu: 8_000,
          bytes: 2_000,
        },
      ],
      months: [{ month: '2026-11', centi_cu: 8_000 }],
    })
  })

  test('refused, it waits for its retry and costs nothing', async () => {
    const [one] = await attempted(1)
    const next = { kind: 'retry', dueAtMs: NOW_MS + 15_000 } as const
    await settle(outcomeOf(one!, { next }))
    expect(await deliveryCalled(db, one!.id)).toMatchObject({
      state: 'waiting',
      attemptsMade: 1,
      dueAtMs: NOW_MS + 15_000,
      doneAtMs: null,
    })
    expect(await billOf(db)).toEqual(NO_BILL)
    expect(await waitingIds(db, 'wh_1', 'retry', NOW_MS + 15_000)).toEqual([one!.id])
  })

  test('given up, it has failed and stays', async () => {
    const [one] = await attempted(1)
    await settle(outcomeOf(one!, { next: { kind: 'failed' } }))
    expect(await deliveryCalled(db, one!.id)).toMatchObject({ state: 'failed', attemptsMade: 1 })
    expect(await billOf(db)).toEqual(NO_BILL)
  })

  test('never attempted, it is where it was: nothing has to be given back', async () => {
    const all = await attempted(2)
    await settle(outcomeOf(all[0]!))
    expect(await waiting(db, 'wh_1', 'new')).toEqual([all[1]!])
  })

  test('its attempts are told in order, to the letter, whatever the destination answered', async () => {
    const [one] = await attempted(1)
    const answers = [...HOSTILE_TEXTS, '\0\ud800\n{"a":1}\n', '']
    const attempts = answers.map((bodyStart, at) => {
      const [status, fault] = at === 0 ? [null, 'timeout'] : [500 + at, null]
      const ms = { lookup: 0.25, connect: 0.1 + 0.2, tls: 0, answer: at / 3, total: 1e-7 }
      const queue = at === 0 ? 'new' : 'retry'
      return factsOf({ bodyStart, startedAtMs: NOW_MS + at, status, fault, ms, queue })
    })
    for (const [at, attempt] of attempts.entries()) {
      const next = { kind: 'retry', dueAtMs: NOW_MS } as const
      await settle(outcomeOf(one!, { next, attempt, attemptsMade: at }))
    }
    expect(await attemptsOf(one!.id)).toEqual(attempts)
  })

  test('of very many attempts the last are told, and the row stays small', async () => {
    const [one] = await attempted(1)
    const bodyStart = 'x'.repeat(4_096)
    for (let at = 0; at < 100; at++) {
      const attempt = factsOf({ bodyStart, startedAtMs: NOW_MS + at })
      expect(await settle(outcomeOf(one!, { attempt, version: at }))).toEqual(new Set([0]))
      await resendDelivery(db, TEAM_A, one!.id, NOW_MS)
    }
    const kept = await attemptsOf(one!.id)
    expect(kept.at(-1)?.startedAtMs).toBe(NOW_MS + 99)
    expect(kept.length).toBeLessThan(20)
  })

  test('of an unknown one nothing does', async () => {
    const [one] = await attempted(1)
    expect(await settle(outcomeOf({ ...one!, event: 99 }))).toEqual(new Set())
    expect(await settle(outcomeOf({ ...one!, webhook: 99 }))).toEqual(new Set())
    expect(await settle()).toEqual(new Set())
    expect(await billOf(db)).toEqual(NO_BILL)
  })
})

describe('the bill', () => {
  test('is the same when the answer of a commit is lost and it is written again', async () => {
    const outcomes = (await attempted(5)).map((one) => outcomeOf(one))
    const faulty = faultyDatabase(db)
    faulty.losesAnswers = true
    expect(await failureOf(settleHeld(faulty, fence, outcomes))).toBeInstanceOf(Error)
    faulty.losesAnswers = false
    expect(await settleHeld(faulty, fence, outcomes)).toEqual(new Set())
    expect((await billOf(db)).lines).toMatchObject([{ calls: 5, centi_cu: 40_000, bytes: 10_000 }])
  })

  test('names the hour and the month of the acceptance', async () => {
    const [before, after] = await attempted(2)
    const lastMs = Date.UTC(2026, 11, 1) - 7
    const attempt = factsOf({ startedAtMs: lastMs })
    const slow = { lookup: 0, connect: 0, tls: 0, answer: 7, total: 6.6 }
    await settle(
      outcomeOf(before!, { attempt }),
      outcomeOf(after!, { attempt: { ...attempt, ms: slow } }),
    )
    const { lines, months } = await billOf(db)
    expect(lines.map(({ hour_ms }) => hour_ms)).toEqual([
      Date.UTC(2026, 10, 30, 23),
      Date.UTC(2026, 11, 1),
    ])
    expect(months.map(({ month }) => month)).toEqual(['2026-11', '2026-12'])
  })

  test('leaves the app empty for a webhook without one', async () => {
    const [one] = await attempted(1)
    const bill = { teamId: TEAM_B, appId: null, network: NETWORK, centiCu: 4, bytes: 1 }
    await settle(outcomeOf(one!, { bill }))
    expect((await billOf(db, TEAM_B)).lines).toMatchObject([{ app_id: '', centi_cu: 4 }])
  })

  test('cannot be written for what was not accepted, nor twice in one go', async () => {
    const [one] = await attempted(1)
    const accepted = outcomeOf(one!)
    const wrong = { ...accepted, next: { kind: 'failed' } } as AttemptOutcome
    expect(await failureOf(settle(wrong))).toBeInstanceOf(Error)
    expect(await statesOf(db, [one!.id])).toEqual(['waiting'])
    expect(await settle(accepted, accepted)).toEqual(new Set([0]))
    expect((await billOf(db)).lines).toMatchObject([{ calls: 1 }])
  })

  test.each(seedsTo(sized(1, 3)))(
    'adds up to the bytes accepted, whatever came in between (%#)',
    async (seed) => {
      const chance = seededChance(seed)
      const all = await attempted(150)
      const renewed = all.filter(() => chance.fraction() < 0.2)
      // Somebody else's attempt was written first.
      await settle(
        ...renewed.map((one) => outcomeOf(one, { next: { kind: 'retry', dueAtMs: NOW_MS } })),
      )
      let acceptedBytes = 0
      const outcomes = all.map((one) => {
        const isAccepted = chance.fraction() < 0.6
        const bodyBytes = chance.between(1, 100_000)
        if (!renewed.includes(one) && isAccepted) acceptedBytes += bodyBytes
        const kind = isAccepted ? 'delivered' : chance.pick(['retry', 'failed'] as const)
        return outcomeOf(one, { bodyBytes, next: { kind, dueAtMs: NOW_MS } })
      })
      const held = await settle(...outcomes)
      expect(held).toEqual(new Set(all.flatMap((one, at) => (renewed.includes(one) ? [] : [at]))))
      const { lines, months } = await billOf(db)
      const centiCu = acceptedBytes * CENTI_CU_PER_BYTE
      expect(lines).toMatchObject([{ bytes: acceptedBytes, centi_cu: centiCu }])
      expect(months).toMatchObject([{ centi_cu: centiCu }])
    },
  )
})

test('hundreds of outcomes are one transaction of few statements', async () => {
  const all = await attempted(256)
  let statements = 0
  const counted: Database = {
    ...db,
    query: () => Promise.reject(new Error('everything belongs into the transaction')),
    perform: (procedure, args) =>
      db.transaction((tx) =>
        procedure.run(
          {
            ...tx,
            query(statement) {
              statements += 1
              return tx.query(statement)
            },
          },
          args,
        ),
      ),
  }
  await settleHeld(
    counted,
    fence,
    all.map((one) => outcomeOf(one)),
  )
  expect(statements).toBeLessThan(10)
  expect((await billOf(db)).lines).toMatchObject([{ calls: 256 }])
})

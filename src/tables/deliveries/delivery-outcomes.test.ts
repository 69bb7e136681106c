import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import {
  billOf,
  claim,
  factsOf,
  LEASE_MS,
  NOW_MS,
  nextEvent,
  outcomeOf,
  readyIds,
  rowOf,
  statesOf,
} from '../../../tests/support/delivery-store.ts'
import { failureOf } from '../../../tests/support/failure-of.ts'
import { faultyDatabase } from '../../../tests/support/faulty-database.ts'
import { seededChance } from '../../../tests/support/seeded-chance.ts'
import {
  addWebhooks,
  HOSTILE_TEXTS,
  insertTeams,
  NETWORK,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from '../../../tests/support/webhook-store.ts'
import { deliveryCentiCu } from '../../core/delivery/delivery-price.ts'
import type { Database } from '../../ports/database.ts'
import { deleteWebhook } from '../webhooks/webhooks.ts'
import { findDeliveryWithAttempts, resendDelivery } from './delivery-log.ts'
import { type AttemptOutcome, writeOutcomes } from './delivery-outcomes.ts'

const HOUR_MS = Date.UTC(2026, 10, 15, 4)

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, webhookCalled('wh_1'))
})
afterEach(() => db.close())

/** So many deliveries, claimed under that name. */
async function claimed(count: number, lease: string): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at++) ids.push(...(await nextEvent(db, ['wh_1'])))
  await claim(db, ids, lease)
  return ids
}

const attemptsOf = async (id: string) =>
  (await findDeliveryWithAttempts(db, TEAM_A, id))?.attempts ?? []

describe('what becomes of a delivery', () => {
  test('accepted, it is delivered and on the bill', async () => {
    const [id = ''] = await claimed(1, 'lease')
    expect(await writeOutcomes(db, [outcomeOf(id, 'lease')])).toEqual(new Set([id]))
    expect(await rowOf(db, id)).toMatchObject({
      state: 'delivered',
      attempts_made: 1,
      body_bytes: 2_000,
      done_at_ms: NOW_MS + 6,
      lease: null,
      lease_until_ms: 0,
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
    const [id = ''] = await claimed(1, 'lease')
    const next = { kind: 'retry', dueAtMs: NOW_MS + 15_000 } as const
    await writeOutcomes(db, [outcomeOf(id, 'lease', { next })])
    expect(await rowOf(db, id)).toMatchObject({
      state: 'waiting',
      attempts_made: 1,
      due_at_ms: NOW_MS + 15_000,
      done_at_ms: null,
    })
    expect(await billOf(db)).toEqual({ lines: [], months: [] })
    expect(await claim(db, [id], 'next', NOW_MS + 15_000)).toEqual(new Set([id]))
  })

  test('given up, it has failed and stays', async () => {
    const [id = ''] = await claimed(1, 'lease')
    await writeOutcomes(db, [outcomeOf(id, 'lease', { next: { kind: 'failed' } })])
    expect(await rowOf(db, id)).toMatchObject({ state: 'failed', attempts_made: 1 })
    expect(await billOf(db)).toEqual({ lines: [], months: [] })
  })

  test('released, it is as if it had never been claimed', async () => {
    const [id = ''] = await claimed(1, 'lease')
    const next = { kind: 'released', dueAtMs: NOW_MS } as const
    await writeOutcomes(db, [outcomeOf(id, 'lease', { next })])
    expect(await rowOf(db, id)).toMatchObject({ attempts_made: 0, body_bytes: null })
    expect(await attemptsOf(id)).toEqual([])
    expect(await readyIds(db, 'wh_1', 'first')).toEqual([id])
  })

  test('its attempts are told in order, to the letter, whatever the destination answered', async () => {
    const [id = ''] = await claimed(1, 'lease')
    const answers = [...HOSTILE_TEXTS, '\0\ud800\n{"a":1}\n', '']
    const attempts = answers.map((bodyStart, at) =>
      factsOf({ bodyStart, startedAtMs: NOW_MS + at, status: at === 0 ? null : 500 + at }),
    )
    for (const [at, attempt] of attempts.entries()) {
      const lease = `lease-${at}`
      await claim(db, [id], lease, NOW_MS + LEASE_MS)
      const next = { kind: 'retry', dueAtMs: NOW_MS } as const
      await writeOutcomes(db, [outcomeOf(id, lease, { next, attempt, attemptsMade: at })])
    }
    expect(await attemptsOf(id)).toEqual(attempts)
  })

  test('of very many attempts the last are told, and the row stays small', async () => {
    const [id = ''] = await claimed(1, 'lease')
    const bodyStart = 'x'.repeat(4_096)
    for (let at = 0; at < 100; at++) {
      await resendDelivery(db, TEAM_A, id, NOW_MS)
      await claim(db, [id], `lease-${at}`, NOW_MS + LEASE_MS)
      const attempt = factsOf({ bodyStart, startedAtMs: NOW_MS + at })
      await writeOutcomes(db, [outcomeOf(id, `lease-${at}`, { attempt })])
    }
    const kept = await attemptsOf(id)
    expect(kept.at(-1)?.startedAtMs).toBe(NOW_MS + 99)
    expect(kept.length).toBeLessThan(20)
  })
})

describe('a lease that is lost', () => {
  test('neither overwrites nor bills: the one that holds it now counts', async () => {
    const ids = await claimed(2, 'old')
    await claim(db, ids, 'new', NOW_MS + LEASE_MS)
    const late = ids.map((id) => outcomeOf(id, 'old'))
    expect(await writeOutcomes(db, late)).toEqual(new Set())
    expect(await statesOf(db, ids)).toEqual(['waiting', 'waiting'])
    expect(await billOf(db)).toEqual({ lines: [], months: [] })
    expect(await attemptsOf(ids[0]!)).toEqual([])

    expect(await writeOutcomes(db, [outcomeOf(ids[0]!, 'new')])).toEqual(new Set([ids[0]!]))
    expect(await writeOutcomes(db, late)).toEqual(new Set())
    expect((await billOf(db)).months).toEqual([{ month: '2026-11', centi_cu: 8_000 }])
  })

  test('is the fault of its own outcome alone, not of others in the same commit', async () => {
    const ids = await claimed(3, 'lease')
    await claim(db, [ids[1]!], 'other', NOW_MS + LEASE_MS)
    const outcomes = ids.map((id) => outcomeOf(id, 'lease'))
    expect(await writeOutcomes(db, outcomes)).toEqual(new Set([ids[0]!, ids[2]!]))
    expect((await billOf(db)).lines).toMatchObject([{ calls: 2, bytes: 4_000 }])
  })

  test('that has lapsed but was taken by nobody still counts: the attempt was made', async () => {
    const [id = ''] = await claimed(1, 'lease')
    expect(await readyIds(db, 'wh_1', 'first', NOW_MS + LEASE_MS)).toEqual([id])
    expect(await writeOutcomes(db, [outcomeOf(id, 'lease')])).toEqual(new Set([id]))
    expect(await readyIds(db, 'wh_1', 'first', NOW_MS + LEASE_MS)).toEqual([])
  })

  test('of an unknown delivery is nothing', async () => {
    expect(await writeOutcomes(db, [outcomeOf('whevt_none', 'lease')])).toEqual(new Set())
    expect(await writeOutcomes(db, [])).toEqual(new Set())
    expect(await billOf(db)).toEqual({ lines: [], months: [] })
  })
})

describe('a delivery whose webhook was deleted during its attempt', () => {
  test('and that was accepted is delivered and billed', async () => {
    const [id = ''] = await claimed(1, 'lease')
    await deleteWebhook(db, TEAM_A, 'wh_1')
    expect(await writeOutcomes(db, [outcomeOf(id, 'lease')])).toEqual(new Set([id]))
    expect(await statesOf(db, [id])).toEqual(['delivered'])
    expect((await billOf(db)).lines).toMatchObject([{ calls: 1 }])
  })

  test.each(['retry', 'failed', 'released'] as const)(
    'and that was not (%s) stays cancelled',
    async (kind) => {
      const [id = ''] = await claimed(1, 'lease')
      await deleteWebhook(db, TEAM_A, 'wh_1')
      await writeOutcomes(db, [outcomeOf(id, 'lease', { next: { kind, dueAtMs: NOW_MS } })])
      expect(await statesOf(db, [id])).toEqual(['cancelled'])
    },
  )
})

describe('the bill', () => {
  test('is the same when the answer of a commit is lost and it is written again', async () => {
    const ids = await claimed(5, 'lease')
    const outcomes = ids.map((id) => outcomeOf(id, 'lease'))
    const faulty = faultyDatabase(db)
    faulty.losesAnswers = true
    expect(await failureOf(writeOutcomes(faulty, outcomes))).toBeInstanceOf(Error)
    faulty.losesAnswers = false
    expect(await writeOutcomes(faulty, outcomes)).toEqual(new Set())
    expect((await billOf(db)).lines).toMatchObject([{ calls: 5, centi_cu: 40_000, bytes: 10_000 }])
  })

  test('names the hour and the month of the acceptance', async () => {
    const [before = '', after = ''] = await claimed(2, 'lease')
    const lastMs = Date.UTC(2026, 11, 1) - 7
    const attempt = factsOf({ startedAtMs: lastMs })
    const slow = { lookup: 0, connect: 0, answer: 7, total: 6.6 }
    await writeOutcomes(db, [
      outcomeOf(before, 'lease', { attempt }),
      outcomeOf(after, 'lease', { attempt: { ...attempt, ms: slow } }),
    ])
    const { lines, months } = await billOf(db)
    expect(lines.map(({ hour_ms }) => hour_ms)).toEqual([
      Date.UTC(2026, 10, 30, 23),
      Date.UTC(2026, 11, 1),
    ])
    expect(months.map(({ month }) => month)).toEqual(['2026-11', '2026-12'])
  })

  test('leaves the app empty for a webhook without one', async () => {
    const [id = ''] = await claimed(1, 'lease')
    const bill = { teamId: TEAM_B, appId: null, network: NETWORK, centiCu: 4, bytes: 1 }
    await writeOutcomes(db, [outcomeOf(id, 'lease', { bill })])
    expect((await billOf(db, TEAM_B)).lines).toMatchObject([{ app_id: '', centi_cu: 4 }])
  })

  test('cannot be written for what was not accepted, nor twice in one go', async () => {
    const [id = ''] = await claimed(1, 'lease')
    const accepted = outcomeOf(id, 'lease')
    const wrong = { ...accepted, next: { kind: 'failed' } } as AttemptOutcome
    expect(await failureOf(writeOutcomes(db, [wrong]))).toBeInstanceOf(Error)
    expect(await failureOf(writeOutcomes(db, [accepted, accepted]))).toBeInstanceOf(Error)
    expect(await statesOf(db, [id])).toEqual(['waiting'])
  })

  test.each([1, 2, 3])('adds up to the bytes accepted, whoever loses leases (%#)', async (seed) => {
    const chance = seededChance(seed)
    const ids = await claimed(150, 'mine')
    const stolen = ids.filter(() => chance.fraction() < 0.2)
    await claim(db, stolen, 'theirs', NOW_MS + LEASE_MS)
    let acceptedBytes = 0
    const outcomes = ids.map((id) => {
      const isAccepted = chance.fraction() < 0.6
      const bodyBytes = chance.between(1, 100_000)
      if (!stolen.includes(id) && isAccepted) acceptedBytes += bodyBytes
      const next = isAccepted ? 'delivered' : chance.pick(['retry', 'failed', 'released'] as const)
      return outcomeOf(id, 'mine', { bodyBytes, next: { kind: next, dueAtMs: NOW_MS } })
    })
    const held = await writeOutcomes(db, outcomes)
    expect(held.size).toBe(ids.length - stolen.length)
    expect(await statesOf(db, stolen)).toEqual(stolen.map(() => 'waiting'))

    const { lines, months } = await billOf(db)
    expect(lines).toMatchObject([
      { bytes: acceptedBytes, centi_cu: deliveryCentiCu(acceptedBytes) },
    ])
    expect(months).toMatchObject([{ centi_cu: deliveryCentiCu(acceptedBytes) }])
  })
})

test('hundreds of outcomes are one commit of few statements', async () => {
  const ids = await claimed(256, 'lease')
  let statements = 0
  const counted: Database = {
    ...db,
    query: () => Promise.reject(new Error('everything belongs into the transaction')),
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          ...tx,
          query(statement) {
            statements += 1
            return tx.query(statement)
          },
        }),
      ),
  }
  await writeOutcomes(
    counted,
    ids.map((id) => outcomeOf(id, 'lease')),
  )
  expect(statements).toBeLessThan(10)
  expect((await billOf(db)).lines).toMatchObject([{ calls: 256 }])
})

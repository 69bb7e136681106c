import { afterEach, beforeEach, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import type { Spending } from '../../core/billing/upstream-budget.ts'
import type { Database } from '../../ports/database.ts'
import { accountSpends, upstreamSpends } from './upstream-spend.ts'
import { recordUsage } from './usage.ts'

const NOVEMBER_MS = Date.parse('2026-11-01T00:00:00Z')
const OCTOBER_MS = Date.parse('2026-10-01T00:00:00Z')

let db: Database

beforeEach(async () => {
  db = await freshStore()
})
afterEach(() => db.close())

function row(more: Partial<Spending> = {}): Spending {
  const place = { account: 'vendor', network: 'ETH', upstream: 'a', periodStartMs: NOVEMBER_MS }
  return { ...place, requests: 1, credits: 26, ...more }
}

function batch(writer: string, sequence: number, ...spends: Spending[]) {
  return { writer, sequence, atMs: NOVEMBER_MS, rows: [], spends }
}

test('what several processes spend adds up, and a batch that comes twice counts once', async () => {
  const first = batch('w1', 1, row(), row({ network: 'BASE', credits: 4 }), row({ credits: 10 }))
  expect(await recordUsage(db, first)).toBe(true)
  expect(await recordUsage(db, batch('w2', 1, row({ requests: 3, credits: 100 })))).toBe(true)
  expect(await recordUsage(db, first)).toBe(false)
  await recordUsage(db, batch('w2', 2, row({ account: 'other', upstream: 'b' })))
  const sums = await accountSpends(db, NOVEMBER_MS)
  expect(new Map(sums.map(({ account, credits }) => [account, credits]))).toEqual(
    new Map([
      ['vendor', 140],
      ['other', 26],
    ]),
  )
  expect(await upstreamSpends(db, 0)).toEqual([
    row({ account: 'other', upstream: 'b' }),
    row({ network: 'BASE', credits: 4 }),
    row({ requests: 5, credits: 136 }),
  ])
})

test('months are apart, newest first, and credits stay exact', async () => {
  const much = 2 ** 52
  await recordUsage(db, batch('w', 1, row({ periodStartMs: OCTOBER_MS, credits: much }), row()))
  await recordUsage(db, batch('w', 2, row({ periodStartMs: OCTOBER_MS, credits: 1 })))
  const spends = await upstreamSpends(db, OCTOBER_MS)
  expect(spends.map(({ credits }) => credits)).toEqual([26, much + 1])
  expect(await accountSpends(db, NOVEMBER_MS)).toHaveLength(1)
})

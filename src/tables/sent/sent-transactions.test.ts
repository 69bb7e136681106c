import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import type { Database } from '../../ports/database.ts'
import * as sent from './sent-transactions.ts'

const NETWORK = 'ETH_MAINNET'
const hashOf = (at: number) => `0x${at.toString(16).padStart(64, '0')}`

let db: Database
beforeEach(async () => {
  db = await freshStore()
})
afterEach(() => db.close())

function sentAt(at: number, more: Partial<sent.NewSent> = {}): sent.NewSent {
  const usual = { appId: 'app_a', network: NETWORK, upstreams: ['a'], isFollowed: true }
  return { ...usual, hash: hashOf(at), sentAtMs: at, ...more }
}

const log = async (page: Partial<Parameters<typeof sent.listSent>[2]> = {}, app = 'app_a') =>
  sent.listSent(db, app, { state: null, after: null, limit: 100, ...page })
const states = async (app = 'app_a') => (await log({}, app)).map(({ state }) => state)

describe('the log of an app', () => {
  test('is listed newest first, by page and by state', async () => {
    const rows = [1, 2, 3, 3].map((at, nth) => sentAt(at, { hash: hashOf(nth) }))
    await sent.recordSent(db, rows, 'us', 10)
    expect((await log()).map(({ hash }) => Number(hash))).toEqual([3, 2, 1, 0])
    const [first, second] = await log({ limit: 2 })
    expect(first).toEqual({
      appId: 'app_a',
      network: NETWORK,
      hash: hashOf(3),
      state: 'pending',
      blockNumber: null,
      upstreams: ['a'],
      sentAtMs: 3,
      updatedAtMs: 10,
    })
    expect((await log({ after: second ?? null })).map(({ hash }) => Number(hash))).toEqual([1, 0])
    await sent.settleSent(db, NETWORK, [{ hash: hashOf(1), state: 'mined', blockNumber: 7 }], 20)
    expect(await log({ state: 'mined' })).toMatchObject([
      { hash: hashOf(1), blockNumber: 7, updatedAtMs: 20 },
    ])
    expect(await log({}, 'app_b')).toEqual([])
  })

  test('has what became of a transaction for each app that sent it, and nothing after that', async () => {
    await sent.recordSent(db, [sentAt(1), sentAt(1, { appId: 'app_b' })], 'us', 10)
    await sent.recordSent(db, [sentAt(1, { network: 'OTHER' })], 'us', 10)
    const mined = { hash: hashOf(1), state: 'failed', blockNumber: 7 } as const
    await sent.settleSent(db, NETWORK, [mined], 20)
    expect([(await states()).sort(), await states('app_b')]).toEqual([
      ['failed', 'pending'],
      ['failed'],
    ])
    await sent.settleSent(db, NETWORK, [{ ...mined, state: 'dropped' }], 30)
    expect(await states('app_b')).toEqual(['failed'])
  })

  test('takes a transaction up again that was dropped, and leaves one that is mined', async () => {
    await sent.recordSent(db, [sentAt(1), sentAt(2)], 'us', 10)
    const changes = [
      { hash: hashOf(1), state: 'dropped', blockNumber: null },
      { hash: hashOf(2), state: 'mined', blockNumber: 5 },
    ] as const
    await sent.settleSent(db, NETWORK, changes, 20)
    await sent.recordSent(db, [sentAt(1, { upstreams: ['a', 'b'] }), sentAt(2)], 'us', 30)
    expect(await states()).toEqual(['mined', 'pending'])
    expect((await log())[1]?.upstreams).toEqual(['a', 'b'])
  })

  test('loses what is too old, and all but the newest of an app', async () => {
    const rows = [1, 2, 3, 4, 5].map((at) => sentAt(at))
    await sent.recordSent(db, [...rows, sentAt(1, { appId: 'app_b' })], 'us', 10)
    await sent.pruneSent(db, { beforeMs: 2, perAppMax: 3 })
    expect((await log()).map(({ sentAtMs }) => sentAtMs)).toEqual([5, 4, 3])
    expect(await log({}, 'app_b')).toEqual([])
  })
})

describe('a transaction that nobody follows', () => {
  const take = (holder: string, nowMs: number, limit = 100) =>
    sent.takeOverSent(db, NETWORK, holder, { beforeMs: nowMs - 60, nowMs, limit })
  const hashes = (taken: sent.TakenOver[]) => taken.map(({ hash }) => Number(hash)).sort()

  test('is taken over by one of those who look, once its follower is silent', async () => {
    await sent.recordSent(db, [sentAt(1), sentAt(2)], 'gone', 100)
    expect(await take('us', 150)).toEqual([])
    await sent.settleSent(db, NETWORK, [{ hash: hashOf(2), state: 'mined', blockNumber: 1 }], 150)
    const both = await Promise.all([take('us', 200), take('them', 200)])
    expect(both.map(hashes).sort()).toEqual([[], [1]])
    expect(await take('others', 210)).toEqual([])
  })

  test('is not taken from one who says that he follows it', async () => {
    await sent.recordSent(db, [sentAt(1)], 'they', 100)
    await sent.holdSent(db, NETWORK, 'they', 190)
    expect(await take('us', 200)).toEqual([])
    await sent.holdSent(db, NETWORK, 'they', 0)
    expect(hashes(await take('us', 200))).toEqual([1])
  })

  test('was never followed, or is one of many', async () => {
    const rows = [1, 2, 3].map((at) => sentAt(at, { isFollowed: false }))
    await sent.recordSent(db, rows, 'they', 100)
    expect((await take('us', 100, 2)).length).toBe(2)
    expect((await take('us', 100, 2)).length).toBe(1)
  })
})

test('a deleted app leaves no log', async () => {
  await sent.recordSent(db, [sentAt(1)], 'us', 10)
  await sent.forgetSent(db, 'app_a')
  expect(await log()).toEqual([])
})

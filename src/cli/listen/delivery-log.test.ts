import { beforeEach, describe, expect, test } from 'bun:test'
import { type ListedDelivery, openDeliveryLog, type ReadLogPages } from './delivery-log.ts'

const MINUTE = 60_000

let stored: ListedDelivery[]
let pageSize: number
beforeEach(() => {
  stored = []
  pageSize = 3
})

/** The log as the service has it: newest first, in pages. */
const read: ReadLogPages = async function* ({ webhook_id, after = '0', limit }) {
  const found = stored
    .filter((one) => webhook_id === undefined || one.webhook_id === webhook_id)
    .filter(({ time_created }) => time_created >= Number(after))
    .toReversed()
  const size = Math.min(limit, pageSize)
  for (let at = 0; at < found.length; at += size) yield { data: found.slice(at, at + size) }
}

const made = (id: string, createdAtMs: number, more: Partial<ListedDelivery> = {}) => {
  const one = { id, webhook_id: 'wh_a', time_created: createdAtMs, time_done: null, ...more }
  return { status: 'delivered', attempts_made: 1, ...one } as ListedDelivery
}

const idsOf = (deliveries: readonly ListedDelivery[]) => deliveries.map(({ id }) => id)

const logSince = (sinceMs: number | null, webhooks: string[] = []) =>
  openDeliveryLog(read, { webhooks, sinceMs })

describe('the log of deliveries', () => {
  test('tells of each once, oldest first, over many pages', async () => {
    const log = logSince(0)
    stored = Array.from({ length: 10 }, (_, at) => made(`d${at}`, at * MINUTE))
    expect(idsOf(await log.news())).toEqual(idsOf(stored))
    stored.push(made('new', 10 * MINUTE))
    expect(idsOf(await log.news())).toEqual(['new'])
    expect(await log.news()).toEqual([])
  })

  test('begins at its end, unless told otherwise', async () => {
    stored = [made('old', 1 * MINUTE), made('newest', 9 * MINUTE)]
    const log = logSince(null)
    await log.skip()
    stored.push(made('next', 9 * MINUTE))
    expect(idsOf(await log.news())).toEqual(['next'])
    expect(idsOf(await logSince(2 * MINUTE).news())).toEqual(['newest', 'next'])
  })

  test('tells of what is in an empty log later', async () => {
    const log = logSince(null)
    await log.skip()
    stored.push(made('first', 7 * MINUTE))
    expect(idsOf(await log.news())).toEqual(['first'])
  })

  test('misses none that shows up late', async () => {
    const log = logSince(0)
    stored = [made('b', 5 * MINUTE)]
    await log.news()
    stored = [made('a', 5 * MINUTE - 9000), ...stored]
    expect(idsOf(await log.news())).toEqual(['a'])
  })

  test('has the chosen webhooks only', async () => {
    stored = ['wh_a', 'wh_b', 'wh_c'].map((id) => made(`of ${id}`, MINUTE, { webhook_id: id }))
    const news = await logSince(0, ['wh_c', 'wh_a']).news()
    expect(idsOf(news).toSorted()).toEqual(['of wh_a', 'of wh_c'])
  })

  test('knows what is sent again from what is only done', async () => {
    const log = logSince(0)
    stored = [made('a', 5 * MINUTE)]
    await log.news()
    expect(log.isAgain(made('a', 5 * MINUTE, { time_done: 1 }))).toBe(false)
    expect(log.isAgain(made('a', 5 * MINUTE, { time_done: 1 }))).toBe(false)
    const resent = made('a', 5 * MINUTE, { status: 'waiting', attempts_made: 0 })
    expect(log.isAgain(resent)).toBe(true)
    expect(log.isAgain({ ...resent, status: 'delivered', time_done: 9 })).toBe(false)
    // Two changes within a moment come as one.
    expect(log.isAgain({ ...resent, status: 'delivered', time_done: 12 })).toBe(true)
  })

  test('takes an old delivery for news only when it begins anew', async () => {
    const log = logSince(9 * MINUTE)
    const old = made('old', MINUTE, { status: 'waiting' })
    expect([log.isAgain(old), log.isDue(old)]).toEqual([false, false])
    expect(log.isAgain({ ...old, attempts_made: 0 })).toBe(true)
    const next = made('next', 10 * MINUTE, { status: 'waiting', attempts_made: 0 })
    expect([log.isAgain(next), log.isDue(next)]).toEqual([false, true])
  })
})

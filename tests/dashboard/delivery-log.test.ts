import { describe, expect, test } from 'bun:test'
import {
  type DeliveryLog,
  openDeliveryLog,
} from '../../dashboard/pages/webhook/log/delivery-log.ts'
import type { WireDelivery } from '../../src/http/contract/contract.ts'
import { until } from '../support/basics/until.ts'

describe('a log of 100,000 deliveries', () => {
  test('is read ahead of the reader, with a call for many rows', async () => {
    const { log, reads, deliveries } = await openedLog(100_000)
    for (let from = 0; from < 99_900; from += 400) {
      log.look(from + 60)
      await until(() => log.rowAt(from + 59) !== undefined, 'the rows in view are there')
    }
    await until(() => log.state().isWhole, 'the oldest row is there')
    // One page of 100 and 200 of 500, and no call more.
    expect(reads.length).toBeLessThanOrEqual(201)
    expect(log.state().count).toBe(100_000)
    expect(log.rowAt(700)?.id).toBe(deliveries[700]?.id ?? '')
  })
})

describe('new deliveries', () => {
  test('come in at the top, and changes of known ones stay in their place', async () => {
    const { log } = await openedLog(50)
    log.hear([deliveryOf(51)])
    log.hear([
      { ...deliveryOf(51), status: 'delivered' },
      { ...deliveryOf(7), status: 'failed' },
    ])
    expect(log.state().count).toBe(51)
    expect(log.rowAt(0)).toMatchObject({ id: 'd51', status: 'delivered' })
    expect(log.rowAt(log.placeOf('d7'))).toMatchObject({ status: 'failed' })
  })

  test('gather while the list is held, and come in when it is released', async () => {
    const { log } = await openedLog(50)
    log.hold(true)
    log.hear([deliveryOf(51), deliveryOf(52)])
    log.hear([{ ...deliveryOf(51), attempts_made: 2 }])
    expect(log.state()).toMatchObject({ count: 50, newer: 2 })
    log.hold(false)
    expect(log.state()).toMatchObject({ count: 52, newer: 0 })
    expect([log.rowAt(0)?.id, log.rowAt(1)?.id]).toEqual(['d52', 'd51'])
    expect(log.rowAt(1)?.attempts_made).toBe(2)
  })

  test('more than can be counted are read anew when the list is released', async () => {
    const { log, deliveries, reads } = await openedLog(50)
    log.hold(true)
    const many = Array.from({ length: 1500 }, (_, at) => deliveryOf(51 + at))
    log.hear(many)
    expect(log.state()).toMatchObject({ newer: 1000, isMoreNewer: true })
    deliveries.unshift(...many.toReversed())
    const before = reads.length
    log.hold(false)
    await until(() => log.rowAt(0)?.id === 'd1550', 'the newest are there')
    expect(reads[before]).toEqual({ cursor: null, limit: 100 })
  })

  test('that were missed are read once nobody holds the list', async () => {
    const { log, deliveries } = await openedLog(50)
    log.hold(true)
    deliveries.unshift(deliveryOf(51))
    log.miss()
    expect(log.state()).toMatchObject({ count: 50, newer: 0, isMoreNewer: true })
    log.hold(false)
    await until(() => log.rowAt(0)?.id === 'd51', 'the newest is there')
    deliveries.unshift(deliveryOf(52))
    log.miss()
    await until(() => log.rowAt(0)?.id === 'd52', 'the newest is there')
    expect(log.state().isMoreNewer).toBe(false)
  })

  test('of other filters, and old ones that were not read, are left out', async () => {
    const { log } = await openedLog(5000)
    log.hear([
      { ...deliveryOf(5001), status: 'cancelled' },
      { ...deliveryOf(0), id: 'unread' },
    ])
    expect(log.placeOf('d5001')).toBe(-1)
    expect(log.placeOf('unread')).toBe(-1)
  })

  test('never let the list grow without end', async () => {
    const { log, deliveries } = await openedLog(100)
    for (let at = 101; at < 2200; at++) {
      deliveries.unshift(deliveryOf(at))
      log.hear([deliveryOf(at)])
    }
    await until(() => log.state().count < 2000, 'the newest page was read anew')
    expect(log.rowAt(0)?.id).toBe('d2199')
  })
})

describe('pages', () => {
  test('without a match are passed over, a few at a time', async () => {
    const { log, reads } = await openedLog(20_000, ({ block_number: at }) => (at ?? 0) < 200)
    log.look(60)
    await until(() => log.state().isPausing, 'it waits for the reader')
    const before = reads.length
    expect(before).toBeLessThanOrEqual(12)
    log.goOn()
    await until(() => reads.length > before, 'it goes on')
  })

  test('that cannot be read are told of, and read when the reader wants it', async () => {
    const { log, fail } = await openedLog(5000)
    await until(() => log.state().count > 1500, 'what is near is there')
    const { count } = log.state()
    fail(new Error('The store is away'))
    log.look(1460)
    await until(() => log.state().error !== undefined, 'the fault is told')
    fail(null)
    log.goOn()
    await until(() => log.state().count > count, 'it goes on')
    expect(log.state().error).toBeUndefined()
  })
})

type Asked = { cursor: string | null; limit: number }

/** A log over a service that has as many deliveries, newest first, once its first page is there. */
async function openedLog(count: number, isFound: (one: WireDelivery) => boolean = () => true) {
  const deliveries = Array.from({ length: count }, (_, at) => deliveryOf(count - at))
  const reads: Asked[] = []
  let fault: Error | null = null
  const log: DeliveryLog = openDeliveryLog({
    async read(cursor, limit) {
      reads.push({ cursor, limit })
      await Promise.resolve()
      if (fault) throw fault
      const from = cursor === null ? 0 : deliveries.findIndex(({ id }) => id === cursor) + 1
      const page = deliveries.slice(from, from + limit)
      const last = from + limit < deliveries.length ? page.at(-1) : undefined
      const cursors = last ? { after: last.id } : {}
      return { data: page.filter(isFound), pagination: { cursors } }
    },
    isMeant: ({ status }) => status !== 'cancelled',
    changed: () => {},
  })
  log.restart()
  await until(() => !log.state().isLoading, 'the first page is there')
  const fail = (next: Error | null) => {
    fault = next
  }
  return { log, deliveries, reads, fail }
}

function deliveryOf(at: number): WireDelivery {
  return {
    id: `d${at}`,
    webhook_id: 'wh_1',
    network: 'ETH_MAINNET',
    kind: 'data',
    status: 'waiting',
    sequence_number: String(1_000_000_000_000 + at),
    block_number: at,
    block_hash: `0x${at}`,
    replay: false,
    rerun: false,
    superseded: false,
    attempts_made: 0,
    status_code: null,
    fault: null,
    took_ms: null,
    bytes: null,
    time_created: 1_763_164_800_000 + at * 1000,
    time_due: null,
    time_done: null,
  }
}

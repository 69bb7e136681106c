import { describe, expect, test } from 'bun:test'
import { aDelivery } from '../../../tests/support/deliveries/queue-model.ts'
import {
  allocate,
  grow,
  over,
  takeAll,
  wanting,
} from '../../../tests/support/deliveries/scheduled-webhooks.ts'
import { noteOutcome } from '../../core/delivery/host-health.ts'
import {
  allocateSlots,
  BYTES_MAX,
  endGrant,
  probeTripped,
  SLOTS_MAX,
  type SlotGrant,
  takeBytes,
} from './allocate-slots.ts'
import { enlist, openSchedule } from './schedule.ts'
import { beginLoad, endLoad, remind, settled, started } from './webhook-queue.ts'

const SECOND = 1000
const HOST = 'https://one.example/'
const DELIVERY = aDelivery({ event: 1, sequenceNumber: 1 })

describe('slots', () => {
  test('a host gets no more than it can take, and its webhooks share that', () => {
    const schedule = openSchedule()
    for (let at = 0; at < 3; at++) wanting(schedule, at, HOST)
    expect(allocate(schedule).map(({ slots }) => slots)).toEqual([1, 1, 1])
    expect(allocate(schedule)).toEqual([])
  })

  test('one webhook alone may use all that a new host takes', () => {
    const schedule = openSchedule()
    wanting(schedule, 1, HOST)
    expect(allocate(schedule)).toMatchObject([{ slots: 4, lane: 'new', isUnproven: true }])
  })

  test('a webhook never has more than eight in flight', () => {
    const schedule = openSchedule()
    grow(wanting(schedule, 1, HOST), 60)
    expect(allocate(schedule)).toMatchObject([{ slots: 8 }])
  })

  test('a webhook in order has one, until its outcome is committed', () => {
    const schedule = openSchedule()
    const webhook = wanting(schedule, 1, HOST, { ordered: true })
    const [grant] = allocate(schedule) as [SlotGrant]
    expect(grant).toMatchObject({ slots: 1, lane: 'ordered' })
    started(webhook.queue, DELIVERY)
    endGrant(schedule, grant, 1)
    expect(allocate(schedule)).toEqual([])
    over(schedule, grant)
    expect(allocate(schedule)).toEqual([])

    settled(webhook.queue, DELIVERY.event, false)
    enlist(schedule, webhook)
    expect(allocate(schedule)).toMatchObject([{ lane: 'ordered' }])
  })

  test('what was not needed is free again', () => {
    const schedule = openSchedule()
    const { queue } = wanting(schedule, 1, HOST)
    const [grant] = allocate(schedule) as [SlotGrant]
    endLoad(queue, beginLoad(queue, 'new', 4, 0), false)
    endGrant(schedule, grant, 1)
    expect(schedule).toMatchObject({ slots: 1, unprovenSlots: 1 })
    over(schedule, grant)
    expect(schedule).toMatchObject({ slots: 0, unprovenSlots: 0, bytes: 0 })
    expect(allocate(schedule)).toEqual([])
  })

  test('a hint that comes while the outbox is read is not forgotten', () => {
    const schedule = openSchedule()
    const { queue } = wanting(schedule, 1, HOST)
    const [grant] = allocate(schedule) as [SlotGrant]
    const load = beginLoad(queue, 'new', 4, 0)
    remind(queue, ['new'])
    endLoad(queue, load, false)
    endGrant(schedule, grant, 0)
    expect(allocate(schedule)).toHaveLength(1)
  })

  test('hosts take turns, so that none waits for another', () => {
    const schedule = openSchedule()
    for (let at = 0; at < 400; at++) wanting(schedule, at, `https://h${at}.example/`)
    const grants = [...allocateSlots(schedule, 0, 32), ...allocateSlots(schedule, 0, 32)]
    expect(new Set(grants.map(({ host }) => host.name)).size).toBe(grants.length)
    expect(grants).toHaveLength(16)
  })
})

describe('hosts that may hang', () => {
  test('leave half of all slots to those that answer', () => {
    const schedule = openSchedule()
    for (let at = 0; at < SLOTS_MAX; at++) wanting(schedule, at, `https://h${at}.example/`)
    takeAll(schedule)
    expect(schedule.slots).toBeLessThanOrEqual(SLOTS_MAX / 2 + 8)

    const healthy = wanting(schedule, SLOTS_MAX, 'https://healthy.example/')
    healthy.host.isProven = true
    expect(allocate(schedule).map(({ webhook }) => webhook)).toContain(healthy)
  })

  test('get what others leave as soon as one of those is over', () => {
    const schedule = openSchedule()
    for (let at = 0; at < SLOTS_MAX; at++) wanting(schedule, at, `https://h${at}.example/`)
    const [grant] = takeAll(schedule) as [SlotGrant]
    expect(allocate(schedule)).toEqual([])
    for (let at = grant.slots; at > 0; at--) over(schedule, grant)
    expect(allocate(schedule).length).toBeGreaterThan(0)
  })

  test('hold no more than half of the bytes', () => {
    const schedule = openSchedule()
    wanting(schedule, 1, HOST)
    const [grant] = allocate(schedule) as [SlotGrant]
    expect(takeBytes(schedule, grant, BYTES_MAX / 2)).toBe(true)
    expect(takeBytes(schedule, grant, 1)).toBe(false)
    wanting(schedule, 2, 'https://two.example/', { teamId: 'team_b' }).host.isProven = true
    const [sure] = allocate(schedule) as [SlotGrant]
    expect(takeBytes(schedule, sure, BYTES_MAX / 2)).toBe(true)
    expect(takeBytes(schedule, sure, 1)).toBe(false)
  })

  test('still get a single body that is larger than what is allowed', () => {
    const schedule = openSchedule()
    wanting(schedule, 1, HOST)
    const [grant] = allocate(schedule) as [SlotGrant]
    expect(takeBytes(schedule, grant, BYTES_MAX * 2)).toBe(true)
    expect(takeBytes(schedule, grant, 1)).toBe(false)
  })

  test('that find no room for a body wait until another body is gone', () => {
    const schedule = openSchedule()
    wanting(schedule, 1, HOST)
    const [grant] = allocate(schedule) as [SlotGrant]
    expect(takeBytes(schedule, grant, BYTES_MAX * 2)).toBe(true)
    expect(takeBytes(schedule, grant, 1)).toBe(false)
    endGrant(schedule, grant, 1)
    expect(allocate(schedule)).toEqual([])
    over(schedule, grant)
    expect(allocate(schedule)).toHaveLength(1)
  })
})

describe('retries and replays', () => {
  test('leave most of a host to what is new', () => {
    const schedule = openSchedule()
    grow(wanting(schedule, 1, HOST), 20)
    wanting(schedule, 2, HOST, {}, ['retry'])
    const grants = allocate(schedule)
    const slotsOf = (lane: string) =>
      grants.filter((grant) => grant.lane === lane).reduce((sum, { slots }) => sum + slots, 0)
    expect(slotsOf('new')).toBe(8)
    expect(slotsOf('retry')).toBe(6)
  })

  test('may use all of a host that nothing new waits for', () => {
    const schedule = openSchedule()
    wanting(schedule, 1, HOST, {}, ['retry'])
    expect(allocate(schedule)).toMatchObject([{ lane: 'retry', slots: 4 }])
  })

  test('never take more than three tenths of all slots, so that a block finds some', () => {
    const schedule = openSchedule()
    for (let at = 0; at < SLOTS_MAX; at++) {
      const differing = { teamId: `team_${at}` }
      const webhook = wanting(schedule, at, `https://h${at}.example/`, differing, ['retry'])
      webhook.host.isProven = true
    }
    takeAll(schedule)
    expect(schedule.retrySlots).toBe(Math.floor(SLOTS_MAX * 0.3))
    expect(schedule.slots).toBe(schedule.retrySlots)
  })
})

describe('a host whose circuit breaker is open', () => {
  test('gets nothing until its probe is due, and then one delivery', () => {
    const schedule = openSchedule()
    const webhook = wanting(schedule, 1, HOST, {}, ['new', 'retry'])
    for (let at = 0; at < 5; at++) {
      noteOutcome(webhook.host.health, { status: null, fault: 'connect', startedAtMs: 0 }, 0)
    }
    expect(allocate(schedule)).toEqual([])
    enlist(schedule, webhook)
    probeTripped(schedule, 4 * SECOND)
    expect(allocate(schedule, 4 * SECOND)).toEqual([])

    probeTripped(schedule, 5 * SECOND)
    expect(allocate(schedule, 5 * SECOND)).toMatchObject([{ lane: 'new', slots: 1 }])
  })
})

describe('a paused webhook', () => {
  test('gets errors only', () => {
    const schedule = openSchedule()
    wanting(schedule, 1, HOST, { state: 'paused' }, ['new', 'retry', 'error'])
    expect(allocate(schedule)).toMatchObject([{ lane: 'error', slots: 1 }])
  })

  test('gets its error once everything in flight has ended', () => {
    const schedule = openSchedule()
    grow(wanting(schedule, 1, HOST), 8)
    const [grant] = allocate(schedule) as [SlotGrant]
    endGrant(schedule, grant, 2)
    wanting(schedule, 1, HOST, { state: 'paused' }, ['error'])
    expect(allocate(schedule)).toEqual([])
    over(schedule, grant)
    expect(allocate(schedule)).toEqual([])
    over(schedule, grant)
    expect(allocate(schedule)).toMatchObject([{ lane: 'error', slots: 1 }])
  })
})

describe('a webhook that moves', () => {
  test('leaves its old host, which is forgotten', () => {
    const schedule = openSchedule()
    wanting(schedule, 1, HOST)
    wanting(schedule, 1, 'http://two.example:8080/x')
    expect([...schedule.hosts.keys()]).toEqual(['team_a http://two.example:8080'])
    expect(allocate(schedule)).toMatchObject([{ host: { name: 'two.example:8080' } }])
  })

  test('between two paths of one server stays there', () => {
    const schedule = openSchedule()
    wanting(schedule, 1, 'https://one.example/a')
    wanting(schedule, 1, 'https://one.example:443/b')
    expect([...schedule.hosts.values()]).toMatchObject([{ name: 'one.example:443', webhooks: 1 }])
  })
})

describe('memory', () => {
  test('is bounded: idle webhooks make room, and busy ones are not dropped', () => {
    const schedule = openSchedule()
    for (let at = 0; at < 30_000; at++) {
      wanting(schedule, at, `https://h${at}.example/`, {}, at < 10 ? ['new'] : [])
    }
    expect(schedule.webhooks.size).toBe(20_000)
    expect(schedule.hosts.size).toBe(20_000)
    for (let at = 0; at < 10; at++) expect(schedule.webhooks.has(at)).toBe(true)
  })
})

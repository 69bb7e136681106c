import { describe, expect, test } from 'bun:test'
import { grow, sent, takeAll, wanting } from '../../../tests/support/schedule-lines.ts'
import { noteOutcome } from '../../core/delivery/host-health.ts'
import {
  BYTES_MAX,
  endTurn,
  PLACES_MAX,
  pickTurns,
  type Turn,
  takeBytes,
  unpark,
} from './pick-turns.ts'
import { enlist, openSchedule } from './schedule.ts'

const SECOND = 1000

describe('places', () => {
  test('a host gets no more than it can take, and its webhooks share that', () => {
    const schedule = openSchedule()
    for (let at = 0; at < 3; at++) wanting(schedule, `wh_${at}`, 'https://one.example/')
    const turns = pickTurns(schedule, 0)
    expect(turns.map(({ places }) => places)).toEqual([1, 1, 1])
    expect(pickTurns(schedule, 0)).toEqual([])
  })

  test('one webhook alone may use all that a new host takes', () => {
    const schedule = openSchedule()
    wanting(schedule, 'wh_a', 'https://one.example/')
    expect(pickTurns(schedule, 0)).toMatchObject([{ places: 4, lane: 'first', doubtful: true }])
  })

  test('a webhook never has more than eight on their way', () => {
    const schedule = openSchedule()
    const line = wanting(schedule, 'wh_a', 'https://one.example/')
    grow(line, 60)
    expect(pickTurns(schedule, 0)).toMatchObject([{ places: 8 }])
  })

  test('a webhook in order has one', () => {
    const schedule = openSchedule()
    const line = wanting(schedule, 'wh_a', 'https://one.example/', { ordered: true })
    const [turn] = pickTurns(schedule, 0)
    expect(turn).toMatchObject({ places: 1, lane: 'ordered' })
    line.held.add('whevt_1')
    endTurn(schedule, turn as Turn, 1, true)
    expect(pickTurns(schedule, 0)).toEqual([])
    sent(schedule, turn as Turn)
    expect(pickTurns(schedule, 0)).toEqual([])

    line.held.clear()
    enlist(schedule, line)
    expect(pickTurns(schedule, 0)).toMatchObject([{ lane: 'ordered' }])
  })

  test('what was not needed is free again', () => {
    const schedule = openSchedule()
    wanting(schedule, 'wh_a', 'https://one.example/')
    const [turn] = pickTurns(schedule, 0)
    endTurn(schedule, turn as Turn, 1, false)
    expect(schedule).toMatchObject({ inFlight: 1, doubtfulInFlight: 1 })
    sent(schedule, turn as Turn)
    expect(schedule).toMatchObject({ inFlight: 0, doubtfulInFlight: 0, bytes: 0 })
    expect(pickTurns(schedule, 0)).toEqual([])
  })

  test('a reminder that comes while the table is read is not forgotten', () => {
    const schedule = openSchedule()
    const line = wanting(schedule, 'wh_a', 'https://one.example/')
    const [turn] = pickTurns(schedule, 0)
    line.reminders += 1
    endTurn(schedule, turn as Turn, 0, false)
    expect(pickTurns(schedule, 0)).toHaveLength(1)
  })

  test('hosts take turns, so that none waits for another', () => {
    const schedule = openSchedule()
    for (let at = 0; at < 400; at++) wanting(schedule, `wh_${at}`, `https://h${at}.example/`)
    const [first, second] = [pickTurns(schedule, 0), pickTurns(schedule, 0)]
    const hosts = new Set([...first, ...second].map(({ host }) => host.name))
    expect(hosts.size).toBe(first.length + second.length)
  })
})

describe('hosts that may hang', () => {
  test('leave half of all places to those that answer', () => {
    const schedule = openSchedule()
    for (let at = 0; at < PLACES_MAX; at++) wanting(schedule, `wh_${at}`, `https://h${at}.example/`)
    takeAll(schedule)
    expect(schedule.inFlight).toBeLessThanOrEqual(PLACES_MAX / 2 + 8)

    const healthy = wanting(schedule, 'wh_healthy', 'https://healthy.example/')
    healthy.host.answers = true
    expect(pickTurns(schedule, 0).map(({ line }) => line)).toContain(healthy)
  })

  test('get what others leave as soon as one of those is over', () => {
    const schedule = openSchedule()
    for (let at = 0; at < PLACES_MAX; at++) wanting(schedule, `wh_${at}`, `https://h${at}.example/`)
    const taken = takeAll(schedule)
    expect(pickTurns(schedule, 0)).toEqual([])
    const [turn] = taken
    for (let at = turn?.places ?? 0; at > 0; at--) sent(schedule, turn as Turn)
    expect(pickTurns(schedule, 0).length).toBeGreaterThan(0)
  })

  test('hold no more than half of the bytes', () => {
    const schedule = openSchedule()
    wanting(schedule, 'wh_a', 'https://one.example/')
    const [turn] = pickTurns(schedule, 0) as [Turn]
    expect(takeBytes(schedule, turn, BYTES_MAX / 2)).toBe(true)
    expect(takeBytes(schedule, turn, 1)).toBe(false)
    wanting(schedule, 'wh_b', 'https://two.example/', { teamId: 'team_b' }).host.answers = true
    const [sure] = pickTurns(schedule, 0) as [Turn]
    expect(takeBytes(schedule, sure, BYTES_MAX / 2)).toBe(true)
    expect(takeBytes(schedule, sure, 1)).toBe(false)
  })

  test('still get a single body that is larger than what is allowed', () => {
    const schedule = openSchedule()
    wanting(schedule, 'wh_a', 'https://one.example/')
    const [turn] = pickTurns(schedule, 0) as [Turn]
    expect(takeBytes(schedule, turn, BYTES_MAX * 2)).toBe(true)
    expect(takeBytes(schedule, turn, 1)).toBe(false)
  })
})

describe('retries and replays', () => {
  test('leave most of a host to what is new', () => {
    const schedule = openSchedule()
    const line = wanting(schedule, 'wh_a', 'https://one.example/')
    grow(line, 20)
    const late = wanting(schedule, 'wh_b', 'https://one.example/', {}, true)
    late.wants.first = false
    late.host.fresh.delete(late)
    const places = (lane: string) =>
      turns.filter((turn) => turn.lane === lane).reduce((sum, turn) => sum + turn.places, 0)
    const turns = pickTurns(schedule, 0)
    expect(places('first')).toBe(8)
    expect(places('retry')).toBe(6)
  })

  test('may use all of a host that nothing new waits for', () => {
    const schedule = openSchedule()
    const line = wanting(schedule, 'wh_a', 'https://one.example/', {}, true)
    line.wants.first = false
    line.host.fresh.clear()
    expect(pickTurns(schedule, 0)).toMatchObject([{ lane: 'retry', places: 4 }])
  })

  test('never take more than three tenths of all places, so that a block finds some', () => {
    const schedule = openSchedule()
    for (let at = 0; at < PLACES_MAX; at++) {
      const teamId = `team_${at}`
      const line = wanting(schedule, `wh_${at}`, `https://h${at}.example/`, { teamId }, true)
      line.wants.first = false
      line.host.fresh.clear()
      line.host.answers = true
    }
    takeAll(schedule)
    expect(schedule.retriesInFlight).toBe(Math.floor(PLACES_MAX * 0.3))
    expect(schedule.inFlight).toBe(schedule.retriesInFlight)
  })
})

describe('a host that was given up', () => {
  test('gets nothing until its probe is due, and then one delivery', () => {
    const schedule = openSchedule()
    const line = wanting(schedule, 'wh_a', 'https://one.example/', {}, true)
    for (let at = 0; at < 5; at++) {
      noteOutcome(line.host.health, { status: null, fault: 'connect', startedAtMs: 0 }, 0)
    }
    expect(pickTurns(schedule, 0)).toEqual([])
    enlist(schedule, line)
    unpark(schedule, 4 * SECOND)
    expect(pickTurns(schedule, 4 * SECOND)).toEqual([])

    unpark(schedule, 5 * SECOND)
    expect(pickTurns(schedule, 5 * SECOND)).toMatchObject([{ lane: 'first', places: 1 }])
  })
})

describe('a paused webhook', () => {
  test('is looked at for errors only', () => {
    const schedule = openSchedule()
    wanting(schedule, 'wh_a', 'https://one.example/', { state: 'paused' }, true)
    expect(pickTurns(schedule, 0)).toMatchObject([{ lane: 'errors', places: 1 }])
  })

  test('gets its error once everything on its way has ended', () => {
    const schedule = openSchedule()
    grow(wanting(schedule, 'wh_a', 'https://one.example/'), 8)
    const [turn] = pickTurns(schedule, 0) as [Turn]
    endTurn(schedule, turn, 2, false)
    wanting(schedule, 'wh_a', 'https://one.example/', { state: 'paused' })
    expect(pickTurns(schedule, 0)).toEqual([])
    sent(schedule, turn)
    expect(pickTurns(schedule, 0)).toEqual([])
    sent(schedule, turn)
    expect(pickTurns(schedule, 0)).toMatchObject([{ lane: 'errors', places: 1 }])
  })
})

describe('a webhook that moves', () => {
  test('leaves its old host, which is forgotten', () => {
    const schedule = openSchedule()
    wanting(schedule, 'wh_a', 'https://one.example/')
    wanting(schedule, 'wh_a', 'http://two.example:8080/x')
    expect([...schedule.hosts.keys()]).toEqual(['team_a http://two.example:8080'])
    expect(pickTurns(schedule, 0)).toMatchObject([{ host: { name: 'two.example:8080' } }])
  })

  test('between two paths of one server stays there', () => {
    const schedule = openSchedule()
    wanting(schedule, 'wh_a', 'https://one.example/a')
    wanting(schedule, 'wh_a', 'https://one.example:443/b')
    expect([...schedule.hosts.values()]).toMatchObject([{ name: 'one.example:443', lines: 1 }])
  })
})

describe('memory', () => {
  test('is bounded: idle webhooks make room, and busy ones are not dropped', () => {
    const schedule = openSchedule()
    for (let at = 0; at < 30_000; at++) {
      const line = wanting(schedule, `wh_${at}`, `https://h${at}.example/`)
      if (at >= 10) line.wants.first = false
    }
    expect(schedule.lines.size).toBe(20_000)
    expect(schedule.hosts.size).toBe(20_000)
    for (let at = 0; at < 10; at++) expect(schedule.lines.has(`wh_${at}`)).toBe(true)
  })
})

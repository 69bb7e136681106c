import { describe, expect, test } from 'bun:test'
import { testClock } from '../../../tests/support/test-clock.ts'
import { openIdleWires } from './idle-wires.ts'
import type { Wire } from './wire.ts'

const IDLE_MAX = 2000
const IDLE_PER_PLACE_MAX = 64
const LONG_MS = 60_000

describe('idle connections', () => {
  test('are taken by where they lead, the last one first', () => {
    const { idle } = emptyPool()
    const [one, two, other] = [makeWire(), makeWire(), makeWire()]
    idle.keep('a', one, LONG_MS)
    idle.keep('b', other, LONG_MS)
    idle.keep('a', two, LONG_MS)
    expect(idle.take('a')).toBe(two)
    expect(idle.take('a')).toBe(one)
    expect(idle.take('a')).toBeUndefined()
    expect(idle.count()).toBe(1)
  })

  test('are not taken when their time is over, even if nobody has swept yet', () => {
    const { clock, idle } = emptyPool()
    const wire = makeWire()
    idle.keep('a', wire, 500)
    clock.skip(500)
    expect(idle.take('a')).toBeUndefined()
    expect(wire.ended).toBe(true)
  })

  test('leave when the other side does', () => {
    const { idle } = emptyPool()
    const wire = makeWire()
    idle.keep('a', wire, LONG_MS)
    wire.holder?.closed(false)
    expect(idle.take('a')).toBeUndefined()
    expect(idle.count()).toBe(0)
  })

  test('are limited in all: the one unused for longest goes', () => {
    const { idle } = emptyPool()
    const wires = Array.from({ length: IDLE_MAX + 1 }, makeWire)
    for (const [at, wire] of wires.entries()) {
      idle.keep(`place ${at % (IDLE_MAX / 20)}`, wire, LONG_MS)
    }
    expect(idle.count()).toBe(IDLE_MAX)
    expect(wires.map(({ ended }) => ended)).toEqual([true, ...wires.slice(1).map(() => false)])
  })

  test('are limited for each place: the new one goes', () => {
    const { idle } = emptyPool()
    const wires = Array.from({ length: IDLE_PER_PLACE_MAX + 1 }, makeWire)
    for (const wire of wires) idle.keep('a', wire, LONG_MS)
    expect(wires.filter(({ ended }) => ended)).toEqual(wires.slice(-1))
  })

  test('all end at the close, and so does one that comes later', () => {
    const { clock, idle } = emptyPool()
    const [early, late] = [makeWire(), makeWire()]
    idle.keep('a', early, LONG_MS)
    idle.close()
    idle.keep('a', late, LONG_MS)
    expect([early.ended, late.ended]).toEqual([true, true])
    expect(idle.count()).toBe(0)
    expect(clock.timers()).toBe(0)
  })
})

function emptyPool() {
  const clock = testClock()
  return { clock, idle: openIdleWires({ clock }) }
}

function makeWire(): Wire & { ended: boolean } {
  const wire = {
    ended: false,
    remoteAddress: null,
    holder: null,
    write: () => 0,
    end() {
      wire.ended = true
    },
    terminate() {
      wire.ended = true
    },
  }
  return wire
}

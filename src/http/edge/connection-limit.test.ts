import { expect, test } from 'bun:test'
import { quietTelemetry } from '../../../tests/support/basics/quiet-telemetry.ts'
import { testClock } from '../../../tests/support/basics/test-clock.ts'
import { limitConnections } from './connection-limit.ts'

/** A process that may have 1,000 descriptors open, and what the gate did there. */
function crowd(options: { max?: number | null; connectionsMax?: number } = {}) {
  const clock = testClock()
  const telemetry = quietTelemetry()
  const seen = { open: 40, aside: 0, isOpen: true, mayOpen: true }
  const max = options.max === undefined ? 1000 : options.max
  const end = limitConnections({
    clock,
    telemetry,
    connectionsMax: options.connectionsMax,
    descriptors: {
      max,
      lowestFree: () => (seen.open + seen.aside < 1000 ? seen.open + seen.aside : Infinity),
      count: () => seen.open + seen.aside,
      setAside(count) {
        seen.aside = count
        return () => {
          seen.aside = 0
        }
      },
    },
    close() {
      seen.isOpen = false
    },
    open() {
      seen.isOpen = seen.mayOpen
      return seen.mayOpen
    },
  })
  return { clock, seen, end, events: telemetry.events }
}

test('connections are refused from four fifths of the limit on, until a tenth is free', async () => {
  const { clock, seen, end, events } = crowd()
  expect(seen.aside).toBeGreaterThan(0)
  await clock.advance(1000)
  expect(seen.isOpen).toBe(true)

  seen.open = 800
  await clock.advance(100)
  expect([seen.isOpen, seen.aside]).toEqual([false, 0])
  seen.open = 730
  await clock.advance(2000)
  expect(seen.isOpen).toBe(false)
  seen.open = 700
  await clock.advance(1000)
  expect(seen.isOpen).toBe(true)
  expect(seen.aside).toBeGreaterThan(0)
  expect(events).toEqual(['connections_refused', 'connections_accepted'])

  end()
  expect([seen.aside, clock.timers()]).toEqual([0, 0])
})

test('a rush that takes all descriptors is noticed, and what was set aside is free', async () => {
  const { clock, seen } = crowd()
  seen.open = 1000 - seen.aside
  await clock.advance(100)
  expect([seen.isOpen, seen.aside]).toEqual([false, 0])
})

test('a port that cannot be had again at once is asked for again', async () => {
  const { clock, seen } = crowd()
  seen.open = 900
  seen.mayOpen = false
  await clock.advance(100)
  seen.open = 40
  await clock.advance(3000)
  expect(seen.isOpen).toBe(false)
  seen.mayOpen = true
  await clock.advance(1000)
  expect(seen.isOpen).toBe(true)
})

test('a configured number wins, and without any nothing is watched', async () => {
  const configured = crowd({ max: null, connectionsMax: 200 })
  configured.seen.open = 200
  await configured.clock.advance(100)
  expect(configured.seen.isOpen).toBe(false)
  expect(crowd({ max: null }).clock.timers()).toBe(0)
})

import { beforeEach, describe, expect, test } from 'bun:test'
import { type QuietTelemetry, quietTelemetry } from '../../tests/support/basics/quiet-telemetry.ts'
import { type TestClock, testClock } from '../../tests/support/basics/test-clock.ts'
import { testWorld } from '../../tests/support/basics/test-world.ts'
import { openInProcessSignals } from '../embedded/in-process-signals.ts'
import {
  frameSignals,
  type LimitExchange,
  openLimitExchange,
  PACE_BETWEEN_MACHINES,
} from './limit-exchange.ts'
import { type LimitHub, openLimitHub } from './limit-hub.ts'

const PACE = { periodMs: 20, urgentShare: 1 / 128, gapMs: 1 }

let clock: TestClock
let telemetry: QuietTelemetry

beforeEach(() => {
  clock = testClock()
  telemetry = quietTelemetry()
})

describe('the hub of the limits', () => {
  test('tells each process what the others took together, and never its own', async () => {
    const hub = openLimitHub(testWorld({ clock, telemetry }), null, PACE)
    const [a, b, c] = [process(hub), process(hub), process(hub)]
    a.exchange.took('team x', 100, 10, 500)
    b.exchange.took('team x', 20, 2, 500)
    b.exchange.took('team y', 3, 0, null)
    await clock.advance(100)
    expect(a.heard).toEqual({ 'team x': [20, 2], 'team y': [3, 0] })
    expect(b.heard).toEqual({ 'team x': [100, 10] })
    expect(c.heard).toEqual({ 'team x': [120, 12], 'team y': [3, 0] })
    expect([a.frames, b.frames, c.frames]).toEqual([1, 1, 1])
  })

  test('tells a process that comes later what is missing in each bucket', async () => {
    const hub = openLimitHub(testWorld({ clock, telemetry }), null, PACE)
    const early = process(hub)
    early.exchange.took('team x', 500_000, 0, 500)
    early.exchange.took('team y', 100, 0, 500)
    await clock.advance(2000)
    const late = process(hub)
    await clock.advance(100)
    // Of 5,000 CU two seconds have brought back 1,000; of one CU everything.
    expect(late.heard).toEqual({ 'team x': [400_000, 0] })
  })

  test('does not wait for its tick when much was taken', async () => {
    const hub = openLimitHub(testWorld({ clock, telemetry }), null, PACE)
    const [a, b] = [process(hub), process(hub)]
    await clock.advance(1000)
    a.exchange.took('team x', 50_000, 0, 500)
    await clock.advance(2)
    expect(b.heard).toEqual({ 'team x': [50_000, 0] })
  })

  test('is one member of the exchange between machines', async () => {
    const signals = openInProcessSignals()
    const machine = (name: string) => {
      const carrier = frameSignals(signals, name)
      const outside = openLimitExchange(clock, telemetry, carrier, PACE_BETWEEN_MACHINES)
      return openLimitHub(testWorld({ clock, telemetry }), outside, PACE)
    }
    const [here, there] = [machine('one'), machine('two')]
    const [a, b, c, d] = [process(here), process(here), process(there), process(there)]
    a.exchange.took('team x', 100, 10, 500)
    c.exchange.took('team x', 7, 0, 500)
    await clock.advance(200)
    expect(a.heard).toEqual({ 'team x': [7, 0] })
    expect(b.heard).toEqual({ 'team x': [107, 10] })
    expect(c.heard).toEqual({ 'team x': [100, 10] })
    expect(d.heard).toEqual({ 'team x': [107, 10] })
  })

  test('ignores what it cannot read, and counts it', async () => {
    const hub = openLimitHub(testWorld({ clock, telemetry }), null, PACE)
    const other = process(hub)
    const member = hub.join(() => {})
    for (const garbage of ['', '[]', '["limits1",[1,2,3,4]]', '["limits0"]', '\u0000'.repeat(99)]) {
      member.receive(garbage)
    }
    await clock.advance(100)
    expect(other.heard).toEqual({})
    expect(telemetry.counts.get('headgate_limit_frames_ignored_total')).toBe(5)
  })
})

/** A worker's end of the exchange, with the sums of what it heard. */
function process(hub: LimitHub) {
  let hear = (_frame: string) => {}
  const seen: { exchange: LimitExchange; heard: Record<string, number[]>; frames: number } = {
    exchange: openLimitExchange(
      clock,
      telemetry,
      {
        send: (frame) => member.receive(frame),
        subscribe: (listener) => {
          hear = listener
          return () => {}
        },
      },
      PACE,
    ),
    heard: {},
    frames: 0,
  }
  seen.exchange.subscribe((key, { throughputCentiCu, billedCentiCu }) => {
    const [throughput = 0, billed = 0] = seen.heard[key] ?? []
    seen.heard[key] = [throughput + throughputCentiCu, billed + billedCentiCu]
  })
  const member = hub.join((frame) => {
    seen.frames++
    hear(frame)
  })
  return seen
}

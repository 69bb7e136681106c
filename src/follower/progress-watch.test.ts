import { beforeEach, expect, test } from 'bun:test'
import { quietTelemetry } from '../../tests/support/basics/quiet-telemetry.ts'
import { type TestClock, testClock } from '../../tests/support/basics/test-clock.ts'
import { testWorld } from '../../tests/support/basics/test-world.ts'
import { openProgressWatch, type ProgressWatch } from './progress-watch.ts'

const BLOCK_MS = 12_000
/** Five block times, and the second in which nobody looks. */
const BOUND_MS = 5 * BLOCK_MS + 2000

let clock: TestClock
let tip: number | null
let head: number | null
let isOurs: boolean
let told: string[]
let gauge: () => number
let watch: ProgressWatch

beforeEach(() => {
  clock = testClock()
  told = []
  tip = 100
  head = 100
  isOurs = true
  watch = open(BLOCK_MS)
})

function open(blockTimeMs: number): ProgressWatch {
  const telemetry = quietTelemetry()
  telemetry.log = (_level, event, fields) =>
    void told.push(`${event} ${fields.number} of ${fields.head}`)
  telemetry.gauge = (name, _labels, read) => {
    expect<string>(name).toBe('headgate_follower_behind_seconds')
    gauge = read
    return () => {}
  }
  const standing = { tip: () => tip, head: () => head, isOurs: () => isOurs }
  return openProgressWatch(
    testWorld({ clock, telemetry }),
    { id: 'ETH_MAINNET', blockTimeMs },
    standing,
  )
}

test('a follower that stands still is behind, and is told of once until it has caught up', async () => {
  await clock.advance(5000)
  head = 101
  await clock.advance(BOUND_MS - 4000)
  expect(watch.isBehind()).toBe(false)
  head = 105
  await clock.advance(4000)
  expect(watch.isBehind()).toBe(true)
  expect(gauge()).toBeGreaterThan(60)
  await clock.advance(100_000)
  expect(told).toEqual(['follower_behind 100 of 105'])

  tip = 105
  expect(watch.isBehind()).toBe(false)
  expect(gauge()).toBe(0)
  await clock.advance(2000)
  expect(told.slice(1)).toEqual(['follower_caught_up 105 of 105'])
})

test('one that is always a block or two late, and moves, is not', async () => {
  for (let block = 0; block < 200; block++) {
    head = 101 + block
    tip = 99 + block
    await clock.advance(1000)
    expect(watch.isBehind()).toBe(false)
  }
  expect(told).toEqual([])
})

test('one with a long way to catch up with is, however fast it is', async () => {
  head = 100_000
  for (let second = 0; second < 100; second++) {
    tip = 100 + second * 100
    await clock.advance(1000)
  }
  expect(watch.isBehind()).toBe(true)
})

test('one without any block yet is, when it gets none', async () => {
  tip = null
  await clock.advance(BOUND_MS)
  expect(watch.isBehind()).toBe(true)
})

test('a head that was taken back need not be reached', async () => {
  head = 105
  await clock.advance(3000)
  head = 103
  tip = 103
  await clock.advance(BOUND_MS)
  expect(watch.isBehind()).toBe(false)
})

test.each([
  ['another process follows', { isOurs: false }],
  ['nobody knows the head', { head: null }],
])('it is not judged while %s', async (_title, change) => {
  head = 105
  await clock.advance(3000)
  if ('isOurs' in change) isOurs = change.isOurs
  else head = change.head
  await clock.advance(BOUND_MS)
  expect(watch.isBehind()).toBe(false)
  expect(told).toEqual([])
})

test('with short blocks it is given ten seconds', async () => {
  watch = open(250)
  head = 101
  await clock.advance(9000)
  expect(watch.isBehind()).toBe(false)
  await clock.advance(3000)
  expect(watch.isBehind()).toBe(true)
})

test('nobody looks any more after it was stopped', async () => {
  watch.stop()
  head = 105
  await clock.advance(BOUND_MS * 2)
  expect(told).toEqual([])
})

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { quietTelemetry } from '../../../tests/support/basics/quiet-telemetry.ts'
import { type TestClock, testClock } from '../../../tests/support/basics/test-clock.ts'
import { testWorld } from '../../../tests/support/basics/test-world.ts'
import { watchDisk } from './disk-watch.ts'

const MIB = 1024 * 1024
const GIB = 1024 * MIB
const LOOK_EVERY_MS = 2000

let clock: TestClock
let telemetry: ReturnType<typeof quietTelemetry>
let disk: { freeBytes: number; totalBytes: number }
let stop: () => void

beforeEach(() => {
  clock = testClock()
  telemetry = quietTelemetry()
  disk = { freeBytes: 100 * GIB, totalBytes: 1000 * GIB }
  stop = () => {}
})

afterEach(() => stop())

function watch(freeBytesMin?: number) {
  const watched = watchDisk(testWorld({ clock, telemetry }), '/data', freeBytesMin, () => disk)
  stop = watched.stop
  return watched.room
}

test.each([
  ['a large disk', 1000 * GIB, 512 * MIB],
  ['a small one', 10 * GIB, 0.01 * 10 * GIB],
])('the floor of %s is 512 MiB or 1 %%, whichever is less', (_title, totalBytes, floorBytes) => {
  disk = { totalBytes, freeBytes: floorBytes }
  const room = watch()
  expect(room()).toEqual({ freeBytes: floorBytes, floorBytes, isLow: false })
})

test('a floor that is configured counts as it is, and 0 is none', async () => {
  const room = watch(200 * GIB)
  expect(room().isLow).toBe(true)
  stop()
  disk.freeBytes = 0
  expect(watch(0)().isLow).toBe(false)
})

test('a disk that fills up, and is emptied again, is noticed and told of once each', async () => {
  const room = watch(GIB)
  expect(telemetry.events).toEqual([])
  disk.freeBytes = GIB - 1
  await clock.advance(LOOK_EVERY_MS)
  expect(room()).toMatchObject({ isLow: true, freeBytes: GIB - 1 })
  await clock.advance(10 * LOOK_EVERY_MS)
  expect(telemetry.events).toEqual(['disk_low'])

  disk.freeBytes = GIB
  await clock.advance(LOOK_EVERY_MS)
  expect(room().isLow).toBe(false)
  expect(telemetry.events).toEqual(['disk_low', 'disk_has_room'])
})

test('a look that fails changes nothing and ends nothing', async () => {
  let isBroken = false
  const measure = () => {
    if (isBroken) throw new Error('EIO')
    return disk
  }
  const watched = watchDisk(testWorld({ clock, telemetry }), '/data', GIB, measure)
  stop = watched.stop
  isBroken = true
  await clock.advance(LOOK_EVERY_MS)
  expect(watched.room()).toMatchObject({ freeBytes: 100 * GIB, isLow: false })
  isBroken = false
  disk.freeBytes = 1
  await clock.advance(LOOK_EVERY_MS)
  expect(watched.room().isLow).toBe(true)
})

test('the disk of a folder is measured by the system, and nothing is left when it is over', () => {
  const watched = watchDisk(testWorld({ clock, telemetry }), tmpdir(), undefined)
  const { blocks, bsize } = statfsSync(tmpdir())
  expect(watched.room().freeBytes).toBeGreaterThan(0)
  expect(watched.room().freeBytes).toBeLessThanOrEqual(blocks * bsize)
  watched.stop()
  expect(clock.timers()).toBe(0)
})

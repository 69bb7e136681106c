import { describe, expect, test } from 'bun:test'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import type { SpillFile } from '../../ports/spill.ts'
import { openByteLog } from './byte-log.ts'

/** A disk that can be made to wait, to fail and to be full. */
function disk({ room = 1e9, fails = false } = {}) {
  const state = { usedBytes: 0, files: 0, held: Promise.resolve() }
  const create = async (): Promise<SpillFile> => {
    let bytes = new Uint8Array()
    state.files++
    return {
      async append(more) {
        await state.held
        if (fails) throw new Error('the disk at /secret is broken')
        bytes = new Uint8Array(Buffer.concat([bytes, more]))
      },
      async read(at, into) {
        await state.held
        into.set(bytes.subarray(at, at + into.length))
      },
      async remove() {
        state.files--
      },
    }
  }
  const budget = {
    take(bytes: number) {
      if (state.usedBytes + bytes > room) return false
      state.usedBytes += bytes
      return true
    },
    give(bytes: number) {
      state.usedBytes -= bytes
    },
  }
  return { state, needs: { spill: { create, clear: async () => {} }, budget } }
}

const bytesOf = (count: number, first = 0) =>
  Uint8Array.from({ length: count }, (_, at) => (first + at) % 251)

test('what is small stays in memory', async () => {
  const { state, needs } = disk()
  const log = openByteLog(needs, 1000)
  log.append(bytesOf(900))
  expect([...(await log.read(10, 20))]).toEqual([...bytesOf(10, 10)])
  await log.settled()
  expect([state.files, state.usedBytes]).toEqual([0, 0])
})

test('whatever was appended is read from any place, while it moves to the disk', async () => {
  const { state, needs } = disk()
  const log = openByteLog(needs, 20_000)
  const chance = seededChance(3)
  let appended = 0
  for (let step = 0; step < 60; step++) {
    const count = chance.between(0, 3000)
    log.append(bytesOf(count, appended))
    appended += count
    const from = chance.between(0, appended)
    const to = chance.between(from, appended)
    expect(Buffer.from(await log.read(from, to)).equals(bytesOf(to - from, from))).toBe(true)
    await log.settled()
  }
  expect(log.bytes).toBe(appended)
  expect(state.files).toBe(1)
})

test('what is unloaded leaves little in memory, and stays what it was', async () => {
  const { state, needs } = disk()
  const log = openByteLog(needs, 1_000_000)
  log.append(bytesOf(100_000))
  expect(state.usedBytes).toBe(0)
  log.unload()
  while (state.usedBytes < 60_000) await Bun.sleep(1)
  const all = await log.read(0, 100_000)
  expect(Buffer.from(all).equals(bytesOf(100_000))).toBe(true)
  log.append(bytesOf(5, 1))
  expect([...(await log.read(100_000, 100_005))]).toEqual([1, 2, 3, 4, 5])
})

test('what is unloaded holds no memory for what may never come', async () => {
  const { state, needs } = disk()
  const log = openByteLog(needs, 1_000_000)
  log.append(bytesOf(530_000))
  log.unload()
  while (state.usedBytes < 500_000) await Bun.sleep(1)
  await Bun.sleep(1)
  const last = await log.read(529_990, 530_000)
  expect(last.buffer.byteLength).toBeLessThanOrEqual(32 * 1024)
  log.append(bytesOf(9000))
  expect((await log.read(530_000, 539_000)).length).toBe(9000)
})

test('a slow disk makes whoever appends wait, and nobody who reads memory', async () => {
  const { state, needs } = disk()
  const { promise, resolve } = Promise.withResolvers<void>()
  state.held = promise
  const log = openByteLog(needs, 0)
  log.append(bytesOf(5 * 1024 * 1024))
  let isSettled = false
  const settled = log.settled().then(() => {
    isSettled = true
  })
  expect((await log.read(0, 3)).length).toBe(3)
  expect(isSettled).toBe(false)
  resolve()
  await settled
})

describe('a disk without room', () => {
  test('is told to whoever appends', async () => {
    const { needs } = disk({ room: 10 })
    const log = openByteLog(needs, 0)
    log.append(bytesOf(5000))
    await Bun.sleep(1)
    expect(await failureOf(log.settled())).toMatchObject({ code: 'spill_failed' })
  })

  test('or that fails tells nothing of where it is', async () => {
    const { needs } = disk({ fails: true })
    const log = openByteLog(needs, 0)
    log.append(bytesOf(5000))
    await Bun.sleep(1)
    const failure = await failureOf(log.settled())
    expect(failure).toMatchObject({ code: 'spill_failed' })
    expect(failure.message).not.toContain('secret')
  })
})

test('what is removed gives its room back at once', async () => {
  const { state, needs } = disk()
  const log = openByteLog(needs, 0)
  log.append(bytesOf(50_000))
  while (state.usedBytes === 0) await Bun.sleep(1)
  const removed = log.remove()
  expect(state.usedBytes).toBe(0)
  await removed
  expect(state.files).toBe(0)
  await log.remove()
  expect(state.usedBytes).toBe(0)
})

test('what is removed to make room for its own bytes keeps none of it', async () => {
  const { state, needs } = disk()
  const { take } = needs.budget
  let removed: Promise<void> | null = null
  const budget = {
    ...needs.budget,
    take(bytes: number) {
      // As when all room is in use and nothing was unused for longer than this.
      if (state.usedBytes > 0) removed = log.remove()
      return take(bytes)
    },
  }
  const log = openByteLog({ ...needs, budget }, 1_000_000)
  log.append(bytesOf(600_000))
  log.unload()
  while (removed === null) await Bun.sleep(1)
  await removed
  expect([state.files, state.usedBytes]).toEqual([0, 0])
})

import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { settled } from '../../../tests/support/basics/test-clock.ts'
import { openSemaphore } from './semaphore.ts'

describe('a semaphore', () => {
  test('gives out as many permits as it has, and one more for each that comes back', () => {
    const semaphore = openSemaphore(2, 0)
    const first = semaphore.tryAcquire()
    expect(semaphore.tryAcquire()).not.toBeNull()
    expect(semaphore.tryAcquire()).toBeNull()
    first?.()
    expect(semaphore.taken).toBe(1)
    expect(semaphore.tryAcquire()).not.toBeNull()
  })

  test('counts a permit once, however often it is given back', async () => {
    const semaphore = openSemaphore(1, 10)
    const first = await semaphore.acquire()
    first?.()
    first?.()
    expect(semaphore.taken).toBe(0)
    const second = await semaphore.acquire()
    const third = semaphore.acquire()
    first?.()
    await settled()
    expect(semaphore.taken).toBe(1)
    second?.()
    expect(await third).not.toBeNull()
  })

  test('serves those who wait in the order they came, and lets nobody overtake them', async () => {
    const semaphore = openSemaphore(1, 10)
    const release = semaphore.tryAcquire()
    const served: number[] = []
    const waiting = [1, 2, 3].map(async (who) => {
      const mine = await semaphore.acquire()
      served.push(who)
      await settled()
      mine?.()
    })
    release?.()
    // The permit is on its way to the first who waits.
    expect(semaphore.tryAcquire()).toBeNull()
    await Promise.all(waiting)
    expect(served).toEqual([1, 2, 3])
  })

  test('sends away whoever would have to wait behind too many', async () => {
    const semaphore = openSemaphore(1, 1)
    const release = semaphore.tryAcquire()
    const waits = semaphore.acquire()
    expect(await semaphore.acquire()).toBeNull()
    release?.()
    expect(await waits).not.toBeNull()
  })

  test('without permits serves nobody', async () => {
    const semaphore = openSemaphore(0, 0)
    expect(semaphore.tryAcquire()).toBeNull()
    expect(await semaphore.acquire()).toBeNull()
  })

  test('keeps its limit and loses no permit, in whatever order they come and go', async () => {
    const chance = seededChance(7)
    const semaphore = openSemaphore(3, 20)
    let running = 0
    let most = 0
    const come = async () => {
      for (let wait = chance.between(0, 5); wait > 0; wait--) await Promise.resolve()
      const release = await semaphore.acquire()
      if (!release) return
      most = Math.max(most, ++running)
      for (let work = chance.between(0, 5); work > 0; work--) await Promise.resolve()
      running--
      release()
      if (chance.fraction() < 0.3) release()
    }
    await Promise.all(Array.from({ length: 200 }, come))
    expect(most).toBe(3)
    expect(semaphore.taken).toBe(0)
  })
})

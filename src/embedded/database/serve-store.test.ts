import { expect, test } from 'bun:test'
import { openDiskSync } from './serve-store.ts'

/** A disk that takes what it is asked to take when told so. */
function slowDisk() {
  const waiting: PromiseWithResolvers<void>[] = []
  const sync = () => {
    const one = Promise.withResolvers<void>()
    waiting.push(one)
    return one.promise
  }
  return { sync, asked: () => waiting.length, next: (at: number) => waiting[at] }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('nothing is said before a sync that began after it was written', async () => {
  const disk = slowDisk()
  const { whenSafe } = openDiskSync(disk.sync)
  const said: string[] = []
  whenSafe(() => said.push('first'))
  whenSafe(() => said.push('second'))
  await settled()
  expect({ said, asked: disk.asked() }).toEqual({ said: [], asked: 1 })

  disk.next(0)?.resolve()
  await settled()
  // The second came while the disk was busy, and may not be a part of what it took.
  expect({ said, asked: disk.asked() }).toEqual({ said: ['first'], asked: 2 })
  disk.next(1)?.resolve()
  await settled()
  expect(said).toEqual(['first', 'second'])
})

test('what comes while the disk is busy shares the next sync', async () => {
  const disk = slowDisk()
  const { whenSafe, rest } = openDiskSync(disk.sync)
  const said: number[] = []
  whenSafe(() => said.push(0))
  await settled()
  for (let at = 1; at <= 50; at++) whenSafe(() => said.push(at))
  disk.next(0)?.resolve()
  await settled()
  expect(disk.asked()).toBe(2)
  disk.next(1)?.resolve()
  await rest()
  expect(said).toEqual(Array.from({ length: 51 }, (_, at) => at))
})

test('a disk that fails is told to those who waited for it, and to nobody else', async () => {
  const disk = slowDisk()
  const { whenSafe } = openDiskSync(disk.sync)
  const faults: unknown[] = []
  whenSafe((fault) => faults.push(fault))
  await settled()
  disk.next(0)?.reject(new Error('no space'))
  await settled()
  whenSafe((fault) => faults.push(fault))
  await settled()
  disk.next(1)?.resolve()
  await settled()
  expect(faults).toEqual([new Error('no space'), null])
})

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Job, Queue } from '../../src/ports/queue.ts'

/** What every driver must do. At least once and in no order, so no test counts on more. */
export function queueConformance(driver: string, open: () => Promise<Queue>): void {
  describe(`${driver} queue`, () => {
    let queue: Queue
    beforeEach(async () => {
      queue = await open()
    })
    afterEach(() => queue.close())

    test('every job reaches a worker, also those that were there before it', async () => {
      const seen = new Set<string>()
      await queue.enqueue(jobs(50))
      await queue.work({ topic: 'exam', concurrencyMax: 4 }, async (job) => {
        expect(job.topic).toBe('exam')
        seen.add(job.id)
      })
      await queue.enqueue(jobs(100))
      await until(() => seen.size === 100)
      expect(seen).toEqual(new Set(jobs(100).map((job) => job.id)))
    })

    test('a worker hears only of its topic', async () => {
      const seen: string[] = []
      await queue.work({ topic: 'exam', concurrencyMax: 1 }, async (job) => {
        seen.push(`${job.topic} ${job.id}`)
      })
      await queue.enqueue([
        { topic: 'other', id: '1' },
        { topic: 'exam', id: '2' },
      ])
      await until(() => seen.length > 0)
      expect(new Set(seen)).toEqual(new Set(['exam 2']))
    })

    test('a worker has as many jobs in hand as it allows, and never more', async () => {
      const done = new Set<string>()
      let inHand = 0
      let inHandMost = 0
      const full = Promise.withResolvers<void>()
      await queue.work({ topic: 'exam', concurrencyMax: 5 }, async (job) => {
        inHand += 1
        inHandMost = Math.max(inHandMost, inHand)
        // The first five wait for each other, which they can only do side by side.
        if (inHand === 5) full.resolve()
        await full.promise
        await Bun.sleep(0)
        inHand -= 1
        done.add(job.id)
      })
      await queue.enqueue(jobs(30))
      await until(() => done.size === 30)
      expect(inHandMost).toBe(5)
    })

    test('a job that fails stops no other', async () => {
      const seen = new Set<string>()
      await queue.work({ topic: 'exam', concurrencyMax: 1 }, (job) => {
        seen.add(job.id)
        if (job.id === '3') throw new Error('before any promise')
        if (Number(job.id) % 2 === 0) return Promise.reject(new Error('this one fails'))
        return Promise.resolve()
      })
      await queue.enqueue(jobs(20))
      await until(() => seen.size === 20)
      expect(seen.size).toBe(20)
    })

    sharingExam(() => queue)
    stoppingExam(() => queue)
  })
}

function sharingExam(queue: () => Queue): void {
  test('what a stopped worker left is done by the next', async () => {
    const release = Promise.withResolvers<void>()
    const begun = new Set<string>()
    const stop = await queue().work({ topic: 'exam', concurrencyMax: 1 }, async (job) => {
      begun.add(job.id)
      await release.promise
    })
    await queue().enqueue(jobs(10))
    await until(() => begun.size === 1)
    const stopping = stop()
    release.resolve()
    await stopping

    await queue().work({ topic: 'exam', concurrencyMax: 3 }, async (job) => {
      begun.add(job.id)
    })
    await until(() => begun.size === 10)
    expect(begun.size).toBe(10)
  })

  test('two workers share the jobs', async () => {
    const seen = new Set<string>()
    const both = Promise.withResolvers<void>()
    const busy = new Set<number>()
    for (const worker of [1, 2]) {
      await queue().work({ topic: 'exam', concurrencyMax: 1 }, async (job) => {
        busy.add(worker)
        if (busy.size === 2) both.resolve()
        await both.promise
        seen.add(job.id)
      })
    }
    await queue().enqueue(jobs(10))
    await until(() => seen.size === 10)
    expect(busy).toEqual(new Set([1, 2]))
  })
}

function stoppingExam(queue: () => Queue): void {
  test('stopping a worker waits for the job in its hand and takes no further one', async () => {
    const release = Promise.withResolvers<void>()
    const begun: string[] = []
    const ended: string[] = []
    const stop = await queue().work({ topic: 'exam', concurrencyMax: 1 }, async (job) => {
      begun.push(job.id)
      await release.promise
      ended.push(job.id)
    })
    await queue().enqueue(jobs(3))
    await until(() => begun.length === 1)

    let stopped = false
    const stopping = stop().then(() => {
      stopped = true
    })
    await Bun.sleep(0)
    expect(stopped).toBe(false)
    release.resolve()
    await stopping
    expect(ended).toEqual(begun)
    expect(begun).toHaveLength(1)
  })

  test('closing waits for the jobs in hand', async () => {
    const release = Promise.withResolvers<void>()
    const events: string[] = []
    await queue().work({ topic: 'exam', concurrencyMax: 1 }, async () => {
      events.push('begun')
      await release.promise
      events.push('ended')
    })
    await queue().enqueue(jobs(1))
    await until(() => events.length === 1)
    const closing = queue()
      .close()
      .then(() => events.push('closed'))
    await Bun.sleep(0)
    release.resolve()
    await closing
    expect(events).toEqual(['begun', 'ended', 'closed'])
  })
}

function jobs(count: number): Job[] {
  return Array.from({ length: count }, (_, index) => ({ topic: 'exam', id: String(index + 1) }))
}

/** The test's own deadline ends a wait in vain. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(1)
}

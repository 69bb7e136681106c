import { expect, test } from 'bun:test'
import { queueConformance } from '../../tests/conformance/queue-conformance.ts'
import { openInProcessQueue, WAITING_JOBS_MAX } from './in-process-queue.ts'

queueConformance('in-process', async () => openInProcessQueue())

test('what does not fit is dropped, and there is room again once jobs are done', async () => {
  const queue = openInProcessQueue()
  const jobs = Array.from({ length: WAITING_JOBS_MAX + 10 }, (_, index) => ({
    topic: index % 2 === 0 ? 'even' : 'odd',
    id: String(index),
  }))
  await queue.enqueue(jobs)

  const handled: string[] = []
  let lastHandled = Promise.withResolvers<void>()
  for (const topic of ['even', 'odd']) {
    await queue.work({ topic, concurrencyMax: 10 }, async (job) => {
      handled.push(job.id)
      if (handled.length >= WAITING_JOBS_MAX) lastHandled.resolve()
    })
  }
  await lastHandled.promise
  expect(handled).toHaveLength(WAITING_JOBS_MAX)
  expect(new Set(handled)).toEqual(new Set(jobs.slice(0, WAITING_JOBS_MAX).map((job) => job.id)))

  lastHandled = Promise.withResolvers<void>()
  await queue.enqueue([{ topic: 'odd', id: 'late' }])
  await lastHandled.promise
  expect(handled.at(-1)).toBe('late')
  await queue.close()
})

test('a job that waits already is not added again, one in hand is', async () => {
  const queue = openInProcessQueue()
  const handled: string[] = []
  const begun = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const job = { topic: 'exam', id: '1' }
  await queue.enqueue([job, job])
  await queue.enqueue([job])
  const stop = await queue.work({ topic: 'exam', concurrencyMax: 1 }, async ({ id }) => {
    handled.push(id)
    begun.resolve()
    await release.promise
  })
  await begun.promise
  // Its row may have changed since it was read, so this reminder counts.
  await queue.enqueue([job, { topic: 'exam', id: '2' }])
  release.resolve()
  while (handled.length < 3) await Bun.sleep(1)
  await stop()
  expect(handled).toEqual(['1', '1', '2'])
})

test('after closing, jobs are dropped and workers refused', async () => {
  const queue = openInProcessQueue()
  await queue.close()
  await queue.enqueue([{ topic: 'exam', id: '1' }])
  const late = queue.work({ topic: 'exam', concurrencyMax: 1 }, async () => {})
  await expect(late).rejects.toThrow('closed')
  await queue.close()
})

import { describe, expect, test } from 'bun:test'
import { testClock } from '../../../tests/support/basics/test-clock.ts'
import { openShareQueues, openWaitQueue } from './wait-queue.ts'

describe('the queue of calls that wait for a place', () => {
  test('sends them off in the order they came, until one finds no place', () => {
    const { queue, wait } = newQueue()
    const [a, b, c] = [wait(), wait(), wait()]
    const sent: unknown[] = []
    queue.drain((next) => sent.push(next) <= 2)
    expect(sent).toEqual([a, b, c])
    expect(queue.length).toBe(1)
  })

  test('a call that waited too long fails, and those behind it stay', async () => {
    const { queue, wait, clock } = newQueue()
    const first = wait()
    await clock.advance(6000)
    const second = wait()
    await clock.advance(5000)
    expect([first.failed, second.failed]).toEqual(['upstream_timed_out', ''])
    expect(queue.length).toBe(1)
  })

  test('a call that was sent off does not fail later', async () => {
    const { queue, wait, clock } = newQueue()
    const only = wait()
    queue.drain(() => true)
    await clock.advance(60_000)
    expect([only.failed, queue.length]).toEqual(['', 0])
  })

  test('is bounded: beyond ten thousand a call is refused at once', () => {
    const { queue, wait } = newQueue()
    for (let waiting = 0; waiting < 10_000; waiting++) wait()
    expect(wait().failed).toBe('upstream_unreachable')
    expect(queue.length).toBe(10_000)
  })
})

describe('the queues of callers who have their share', () => {
  test('hold up nobody else, and keep the order of each', async () => {
    const clock = testClock()
    const queues = openShareQueues<Call>(clock)
    const wait = (share: string) => {
      const call = newCall()
      queues.enqueue(share, call)
      return call
    }
    const [a, b, c, d] = [wait('greedy'), wait('greedy'), wait('modest'), wait('modest')]
    const sent: unknown[] = []
    queues.drain((call) => {
      if (call === a || call === b) return false
      return sent.push(call) > 0
    })
    expect(sent).toEqual([c, d])
    expect(queues.length).toBe(1)
    queues.drain((call) => call === a)
    await clock.advance(10_000)
    expect([a.failed, b.failed, c.failed]).toEqual(['', 'upstream_timed_out', ''])
    queues.drain(() => true)
    expect(queues.length).toBe(0)
  })
})

type Call = { failed: string; reject(failure: { code: string }): void }

function newQueue() {
  const clock = testClock()
  const queue = openWaitQueue<Call>(clock)
  const wait = () => {
    const call = newCall()
    queue.enqueue(call)
    return call
  }
  return { clock, queue, wait }
}

function newCall(): Call {
  const call: Call = {
    failed: '',
    reject({ code }) {
      call.failed = code
    },
  }
  return call
}

import { describe, expect, test } from 'bun:test'
import { testClock } from '../../../tests/support/test-clock.ts'
import { openShareLines, openWaitingLine } from './waiting-line.ts'

describe('the line of calls that wait for a place', () => {
  test('sends them off in the order they came, until one finds no place', () => {
    const { line, run } = newLine()
    const [a, b, c] = [run(), run(), run()]
    const sent: unknown[] = []
    line.move((next) => sent.push(next) <= 2)
    expect(sent).toEqual([a, b, c])
    expect(line.length).toBe(1)
  })

  test('a call that waited too long fails, and those behind it stay', async () => {
    const { line, run, clock } = newLine()
    const first = run()
    await clock.advance(6000)
    const second = run()
    await clock.advance(5000)
    expect([first.failed, second.failed]).toEqual(['upstream_timed_out', ''])
    expect(line.length).toBe(1)
  })

  test('a call that was sent off does not fail later', async () => {
    const { line, run, clock } = newLine()
    const only = run()
    line.move(() => true)
    await clock.advance(60_000)
    expect([only.failed, line.length]).toEqual(['', 0])
  })

  test('is bounded: beyond ten thousand a call is refused at once', () => {
    const { line, run } = newLine()
    for (let waiting = 0; waiting < 10_000; waiting++) run()
    expect(run().failed).toBe('upstream_unreachable')
    expect(line.length).toBe(10_000)
  })
})

describe('the lines of callers who have their share', () => {
  test('hold up nobody else, and keep the order of each', async () => {
    const clock = testClock()
    const lines = openShareLines<Call>(clock)
    const run = (share: string) => {
      const call = newCall()
      lines.join(share, call)
      return call
    }
    const [a, b, c, d] = [run('greedy'), run('greedy'), run('modest'), run('modest')]
    const sent: unknown[] = []
    lines.move((call) => {
      if (call === a || call === b) return false
      return sent.push(call) > 0
    })
    expect(sent).toEqual([c, d])
    expect(lines.length).toBe(1)
    lines.move((call) => call === a)
    await clock.advance(10_000)
    expect([a.failed, b.failed, c.failed]).toEqual(['', 'upstream_timed_out', ''])
    lines.move(() => true)
    expect(lines.length).toBe(0)
  })
})

type Call = { failed: string; reject(failure: { code: string }): void }

function newLine() {
  const clock = testClock()
  const line = openWaitingLine<Call>(clock)
  const run = () => {
    const call = newCall()
    line.join(call)
    return call
  }
  return { clock, line, run }
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

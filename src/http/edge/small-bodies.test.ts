import { describe, expect, test } from 'bun:test'
import { testClock } from '../../../tests/support/basics/test-clock.ts'
import { isSmall, openSmallBodies } from './small-bodies.ts'

const sent = (declared: string | null) =>
  new Request('http://gate.example/', {
    method: 'POST',
    body: '{}',
    headers: declared === null ? {} : { 'content-length': declared },
  })

describe('the deadline of small bodies', () => {
  test('cuts whoever has not sent all in time, once, and nobody else', async () => {
    const clock = testClock()
    let deadlineMs = 15_000
    const bodies = openSmallBodies({ clock, deadlineMs: () => deadlineMs })
    const cuts: string[] = []
    const sender = (name: string) => ({
      startedAtMs: clock.monotonicMs(),
      client: { cut: () => void cuts.push(name) },
    })
    const slow = sender('slow')
    const quick = sender('quick')
    bodies.begun(slow)
    bodies.begun(quick)
    await clock.advance(5000)
    bodies.ended(quick)
    bodies.begun(sender('later'))
    await clock.advance(9000)
    expect(cuts).toEqual([])
    await clock.advance(2000)
    expect(cuts).toEqual(['slow'])
    // As a reload may change it.
    deadlineMs = 12_000
    await clock.advance(2000)
    expect(cuts).toEqual(['slow', 'later'])
    bodies.ended(slow)
    await clock.advance(60_000)
    expect(cuts).toEqual(['slow', 'later'])
    expect(clock.timers()).toBe(0)
  })
})

test.each([
  ['0', true],
  ['100', true],
  ['8192', true],
  ['8193', false],
  [null, false],
])('a body of the declared length %p is small: %p', (declared, small) => {
  expect(isSmall(sent(declared))).toBe(small)
})

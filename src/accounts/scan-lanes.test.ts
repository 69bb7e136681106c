import { expect, test } from 'bun:test'
import { failureOf } from '../../tests/support/failure-of.ts'
import { testClock } from '../../tests/support/test-clock.ts'
import { openScanLanes } from './scan-lanes.ts'

test('so many run at once on each network, and the others in the order they came', async () => {
  const lanes = openScanLanes(testClock(), 2)
  const began: string[] = []
  const enter = (name: string, network = 'A') =>
    lanes.enter(network).then((leave) => {
      began.push(name)
      return leave
    })
  const [first, second, third, fourth] = ['1', '2', '3', '4'].map((name) => enter(name))
  await enter('other', 'B')
  expect(began).toEqual(['1', '2', 'other'])
  const leaveFirst = await first
  leaveFirst?.()
  leaveFirst?.()
  await third
  expect(began).toEqual(['1', '2', 'other', '3'])
  ;(await second)?.()
  await fourth
  expect(began.at(-1)).toBe('4')
  ;(await third)?.()
  ;(await fourth)?.()
  await Promise.all([enter('5'), enter('6')])
  expect(began.slice(-2)).toEqual(['5', '6'])
})

test('nobody waits for ever', async () => {
  const clock = testClock()
  const lanes = openScanLanes(clock, 1)
  const leave = await lanes.enter('A')
  const waiting = failureOf(lanes.enter('A'))
  await clock.advance(20_000)
  expect(await waiting).toMatchObject({ code: 'upstream_timed_out' })
  leave()
  await lanes.enter('A')
})

test('the line has an end', async () => {
  const lanes = openScanLanes(testClock(), 1)
  await lanes.enter('A')
  for (let at = 0; at < 64; at++) void lanes.enter('A')
  expect(await failureOf(lanes.enter('A'))).toMatchObject({ code: 'upstream_unreachable' })
})

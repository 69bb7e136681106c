import { expect, test } from 'bun:test'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { testClock } from '../../../tests/support/basics/test-clock.ts'
import { openScanSemaphore, type ScanSemaphore } from './scan-semaphore.ts'

const TEAM = new Set(['team'])

/** Notes in which order scans begin, each under its name. */
function watch(lanes: ScanSemaphore) {
  const began: string[] = []
  const enter = (name: string, teams: ReadonlySet<string> = TEAM, network = 'A') =>
    lanes.enter(network, teams).then((leave) => {
      began.push(name)
      return leave
    })
  return { began, enter }
}

test('so many of a team run at once on each network, and the others as they came', async () => {
  const { began, enter } = watch(openScanSemaphore(testClock(), { scansMax: 3 }))
  const [first, second, third, fourth] = ['1', '2', '3', '4'].map((name) => enter(name))
  await enter('other', TEAM, 'B')
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
  const lanes = openScanSemaphore(clock, { scansMax: 1 })
  const leave = await lanes.enter('A', TEAM)
  const waiting = failureOf(lanes.enter('A', TEAM))
  await clock.advance(20_000)
  expect(await waiting).toMatchObject({ code: 'upstream_timed_out' })
  leave()
  await lanes.enter('A', TEAM)
})

test('the line has an end', async () => {
  const lanes = openScanSemaphore(testClock(), { scansMax: 1 })
  await lanes.enter('A', TEAM)
  for (let at = 0; at < 64; at++) void lanes.enter('A', TEAM)
  expect(await failureOf(lanes.enter('A', TEAM))).toMatchObject({ code: 'upstream_unreachable' })
})

const MANY = new Set(['many'])
const FEW = new Set(['few'])

test('a team whose scans take all lanes leaves one to others', async () => {
  const { began, enter } = watch(openScanSemaphore(testClock(), { scansMax: 4 }))
  for (let at = 0; at < 10; at++) void enter(`many ${at}`, MANY)
  await enter('few', FEW)
  expect(began).toEqual(['many 0', 'many 1', 'many 2', 'few'])
})

test('turns go round between teams, however many of one wait', async () => {
  const { began, enter } = watch(openScanSemaphore(testClock(), { scansMax: 1 }))
  const scans = [
    ...Array.from({ length: 5 }, (_, at) => enter(`many ${at}`, MANY)),
    enter('few 0', FEW),
    enter('few 1', FEW),
    enter('third 0', new Set(['third'])),
  ]
  // Each ends as soon as it began.
  await Promise.all(scans.map(async (scan) => (await scan)()))
  expect(began).toEqual([
    'many 0',
    'few 0',
    'third 0',
    'many 1',
    'few 1',
    'many 2',
    'many 3',
    'many 4',
  ])
})

test('a scan that another team joined while it waits gets that team’s turn', async () => {
  const { began, enter } = watch(openScanSemaphore(testClock(), { scansMax: 1 }))
  const first = await enter('first', MANY)
  const both = new Set(['many'])
  const waiting = [enter('many 0', MANY), enter('many 1', MANY), enter('both', both)]
  both.add('few')
  first()
  await Promise.race(waiting)
  expect(began).toEqual(['first', 'both'])
})

test('a team that fills the line loses places in it to others, its newest first', async () => {
  const { began, enter } = watch(openScanSemaphore(testClock(), { scansMax: 1 }))
  const leave = await enter('running', MANY)
  const line = Array.from({ length: 64 }, (_, at) => enter(`many ${at}`, MANY))
  const few = enter('few', FEW)
  expect(await failureOf(line[63] as Promise<unknown>)).toMatchObject({
    code: 'upstream_unreachable',
  })
  expect(await failureOf(enter('many 64', MANY))).toMatchObject({ code: 'upstream_unreachable' })
  leave()
  ;(await few)()
  await line[0]
  expect(began).toEqual(['running', 'few', 'many 0'])
})

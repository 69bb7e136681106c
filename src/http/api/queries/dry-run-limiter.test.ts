import { describe, expect, test } from 'bun:test'
import { testClock } from '../../../../tests/support/basics/test-clock.ts'
import { Rejection } from '../../../core/errors.ts'
import { openDryRunLimiter } from './dry-run-limiter.ts'

/** Turns for work that ends when the test says so. */
function dryRuns() {
  const clock = testClock()
  const turns = openDryRunLimiter(clock)
  const open: PromiseWithResolvers<string>[] = []
  return {
    clock,
    open,
    start(teamId = 'team_a') {
      return turns.run(teamId, () => {
        const work = Promise.withResolvers<string>()
        open.push(work)
        return work.promise
      })
    },
    async endAll() {
      for (const { resolve } of open.splice(0)) resolve('done')
      await clock.advance(0)
    },
  }
}

describe('dry runs', () => {
  test('run four at a time for a team, and the fifth is told to come again', async () => {
    const runs = dryRuns()
    const first = [1, 2, 3, 4].map(() => runs.start())
    const fifth = await runs.start()
    expect(fifth).toEqual(
      new Rejection('too_many_requests', 'A team may make 4 dry runs at once.', { retryAfterS: 1 }),
    )
    await runs.endAll()
    expect(await Promise.all(first)).toEqual(['done', 'done', 'done', 'done'])
    const next = runs.start()
    await runs.endAll()
    expect(await next).toBe('done')
  })

  test('of one team leave room for those of another, up to sixteen in all', async () => {
    const runs = dryRuns()
    for (const team of ['a', 'b', 'c', 'd']) for (let at = 0; at < 4; at++) void runs.start(team)
    expect(runs.open).toHaveLength(16)
    expect(await runs.start('e')).toMatchObject({ code: 'too_many_requests' })
    await runs.endAll()
    void runs.start('e')
    expect(runs.open).toHaveLength(1)
  })

  test('are fifty in ten seconds for a team, and then it is told how long to wait', async () => {
    const runs = dryRuns()
    for (let at = 0; at < 50; at++) {
      const run = runs.start()
      await runs.endAll()
      expect(await run).toBe('done')
    }
    await runs.clock.advance(4_000)
    expect(await runs.start()).toMatchObject({
      code: 'too_many_requests',
      facts: { retryAfterS: 6 },
    })
    void runs.start('team_b')
    expect(runs.open).toHaveLength(1)
    await runs.clock.advance(6_000)
    void runs.start()
    expect(runs.open).toHaveLength(2)
  })

  test('that fail give their place back', async () => {
    const runs = dryRuns()
    for (let at = 0; at < 8; at++) {
      const run = runs.start()
      for (const { reject } of runs.open.splice(0)) reject(new Error('broken'))
      await expect(run).rejects.toThrow('broken')
    }
  })

  test('that last too long are given up, but keep their place until they end', async () => {
    const runs = dryRuns()
    const late = [1, 2, 3, 4].map(() => runs.start())
    await runs.clock.advance(45_000)
    for (const run of late) expect(await run).toMatchObject({ code: 'upstream_timeout' })
    expect(await runs.start()).toMatchObject({ code: 'too_many_requests' })
    await runs.endAll()
    void runs.start()
    expect(runs.open).toHaveLength(1)
  })

  test('that read several blocks take as many places, until all they began has ended', async () => {
    const { clock, start, open, endAll } = dryRuns()
    const turns = openDryRunLimiter(clock)
    const rest = Promise.withResolvers<void>()
    const size = { atOnce: 2, inAll: 10 }
    const large = () =>
      turns.run(
        'team_a',
        async (keep) => {
          keep(rest.promise)
          return 'done'
        },
        size,
      )
    expect([await large(), await large()]).toEqual(['done', 'done'])
    const told = { code: 'too_many_requests', message: 'A team may make 4 dry runs at once.' }
    expect(await large()).toMatchObject(told)
    expect(await turns.run('team_a', async () => 'one')).toMatchObject(told)
    rest.reject(new Error('broken'))
    await clock.advance(0)
    for (let at = 0; at < 3; at++) expect(await large()).toBe('done')
    // Five of them are as much as fifty dry runs.
    expect(await large()).toMatchObject({ code: 'too_many_requests', facts: { retryAfterS: 10 } })
    void start()
    expect(open).toHaveLength(1)
    await endAll()
  })

  test('leave no timer behind', async () => {
    const runs = dryRuns()
    const run = runs.start()
    await runs.endAll()
    await run
    expect(runs.clock.timers()).toBe(0)
  })
})

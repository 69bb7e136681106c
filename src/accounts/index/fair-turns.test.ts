import { expect, test } from 'bun:test'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { Failure } from '../../core/errors.ts'
import { openFairTurns } from './fair-turns.ts'

test('so many run at once, and turns go round between teams', async () => {
  const turns = openFairTurns(2)
  const began: string[] = []
  let atOnce = 0
  let atOnceMax = 0
  const run = (team: string, name: string) =>
    turns.run(team, async () => {
      began.push(name)
      atOnce++
      atOnceMax = Math.max(atOnceMax, atOnce)
      await Promise.resolve()
      atOnce--
      return name
    })
  const runs = [
    ...Array.from({ length: 6 }, (_, at) => run('many', `many ${at}`)),
    run('few', 'few 0'),
    run('few', 'few 1'),
    run('third', 'third 0'),
  ]
  expect((await Promise.all(runs)).at(-1)).toBe('third 0')
  expect(began.slice(0, 2)).toEqual(['many 0', 'many 1'])
  expect(began.slice(2, 7)).toEqual(['many 2', 'few 0', 'third 0', 'many 3', 'few 1'])
  expect([began.length, atOnceMax]).toEqual([9, 2])
})

test('work that fails gives its turn on', async () => {
  const turns = openFairTurns(1)
  const failing = turns.run('team', () => Promise.reject(new Failure('database_unavailable')))
  const waiting = turns.run('team', async () => 'done')
  expect(await failureOf(failing)).toMatchObject({ code: 'database_unavailable' })
  expect(await waiting).toBe('done')
  expect(await turns.run('other', async () => 'again')).toBe('again')
})

import { describe, expect, test } from 'bun:test'
import { countWalk, dispensable, openSpillRoom } from './walk-shares.ts'

type Walk = {
  name: string
  holding: { teams: Set<string>; spilledBytes: number }
  usedAtMs: number
  isIdle: boolean
}

const walk = (name: string, teams: string[], usedAtMs = 0): Walk => ({
  name,
  holding: { teams: new Set(teams), spilledBytes: 0 },
  usedAtMs,
  isIdle: true,
})

describe('the walk that is removed first', () => {
  const chosen = (walks: Walk[]) => dispensable(walks, walks, countWalk)?.name

  test('is the longest unused of the team that has most', () => {
    const walks = [
      walk('few', ['few'], 1),
      walk('many 1', ['many'], 9),
      walk('many 2', ['many'], 7),
      walk('many 3', ['many'], 8),
    ]
    expect(chosen(walks)).toBe('many 2')
  })

  test('is none that a team with less reads, too', () => {
    const both = walk('both', ['many', 'few'], 1)
    const walks = [both, walk('many 1', ['many'], 9), walk('many 2', ['many'], 8)]
    expect(chosen(walks)).toBe('many 2')
  })

  test('is the longest unused of all where every team has as many', () => {
    expect(chosen([walk('one', ['one'], 5), walk('two', ['two'], 4)])).toBe('two')
  })

  test('is none where there is none', () => {
    expect(dispensable([walk('one', ['one'])], [], countWalk)).toBeNull()
  })
})

describe('room on the disk', () => {
  /** A hundred bytes; walks take of them by their names. */
  function room(...walks: Walk[]) {
    const kept = new Map(walks.map((one) => [one.name, one]))
    const opened = openSpillRoom<Walk>(() => 100, {
      all: () => [...kept.values()],
      isIdle: ({ isIdle }) => isIdle,
      drop(one) {
        kept.delete(one.name)
        opened.budgetOf(one.holding).give(one.holding.spilledBytes)
      },
    })
    const take = (one: Walk, bytes: number) => opened.budgetOf(one.holding).take(bytes)
    return { take, names: () => [...kept.keys()], used: () => opened.usedBytes }
  }

  test('is made among the walks of a team that has more', () => {
    const [large, small] = [walk('large', ['many']), walk('small', ['few'])]
    const { take, names, used } = room(large, small)
    expect([take(large, 70), take(small, 20), take(small, 20)]).toEqual([true, true, true])
    expect([names(), used()]).toEqual([['small'], 40])
  })

  test('is not made among those of a team that has less', () => {
    const [large, small] = [walk('large', ['many']), walk('small', ['few'])]
    large.isIdle = false
    const { take, names, used } = room(large, small)
    expect([take(small, 20), take(large, 50), take(large, 20)]).toEqual([true, true, false])
    expect([names(), used()]).toEqual([['large', 'small'], 70])
  })

  test('is made among one’s own', () => {
    const [old, young, other] = [
      walk('old', ['many'], 1),
      walk('young', ['many'], 2),
      walk('other', ['few'], 0),
    ]
    const { take, names } = room(old, young, other)
    expect([take(other, 10), take(old, 40), take(young, 40)]).toEqual([true, true, true])
    expect(names()).toEqual(['young', 'other'])
  })

  test('stays free to a quarter for those who have little, whatever one team still reads', () => {
    const [large, small] = [walk('large', ['many']), walk('small', ['few'])]
    large.isIdle = false
    const { take } = room(large, small)
    expect([take(large, 75), take(large, 1), take(small, 25)]).toEqual([true, false, true])
  })
})

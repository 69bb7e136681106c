import { expect, test } from 'bun:test'
import { testClock } from '../../../tests/support/basics/test-clock.ts'
import { openGather } from './gather.ts'

const MS_MAX = 2000

function stage() {
  const clock = testClock()
  const gather = openGather<string>(clock, MS_MAX)
  const asked: string[] = []
  let lastId = 0
  /** Asks all of them; whether that is over. */
  const ask = (...members: string[]) => {
    const state = { isOver: false }
    const put = (member: string, id: number) => {
      asked.push(member)
      lastId = id
    }
    void gather.ask(members, put).then(() => {
      state.isOver = true
    })
    return state
  }
  return { clock, gather, asked, ask, lastId: () => lastId }
}

test('waits until all have answered', async () => {
  const { clock, gather, ask, lastId } = stage()
  const one = ask('a', 'b')
  gather.answered('a', lastId())
  await clock.advance(MS_MAX - 1)
  expect(one.isOver).toBe(false)
  gather.answered('b', lastId())
  await clock.advance(0)
  expect(one.isOver).toBe(true)
  expect(clock.timers()).toBe(0)
})

test('waits for nobody when there is nobody, or when the last of them is gone', async () => {
  const { clock, gather, ask } = stage()
  const none = ask()
  const one = ask('a')
  gather.leave('a')
  await clock.advance(0)
  expect([none.isOver, one.isOver]).toEqual([true, true])
})

test('one that lets the time pass holds up the others once', async () => {
  const { clock, gather, asked, ask, lastId } = stage()
  const first = ask('a', 'hangs')
  gather.answered('a', lastId())
  await clock.advance(MS_MAX - 1)
  expect(first.isOver).toBe(false)
  await clock.advance(1)
  expect(first.isOver).toBe(true)

  const second = ask('a', 'hangs')
  expect(asked).toEqual(['a', 'hangs', 'a', 'hangs'])
  gather.answered('a', lastId())
  const alone = ask('hangs')
  await clock.advance(0)
  expect([second.isOver, alone.isOver]).toEqual([true, true])
})

test('one that has answered late is waited for again', async () => {
  const { clock, gather, ask, lastId } = stage()
  ask('late')
  await clock.advance(MS_MAX)
  gather.answered('late', lastId())
  const next = ask('late')
  await clock.advance(MS_MAX - 1)
  expect(next.isOver).toBe(false)
  gather.answered('late', lastId())
  await clock.advance(0)
  expect(next.isOver).toBe(true)
})

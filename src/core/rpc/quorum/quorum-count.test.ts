import { expect, test } from 'bun:test'
import { openQuorumCount } from './quorum-count.ts'

const count = (agree: number) => openQuorumCount<string>(agree, (one, other) => one === other)

test('the answer that makes enough alike decides, and those unlike it are told', () => {
  const votes = count(2)
  expect([votes.add('a'), votes.add('b'), votes.agreed]).toEqual([false, false, null])
  expect(votes.add('b')).toBe(true)
  expect(votes.agreed).toEqual(['b', 'b'])
  expect(votes.dissenting()).toEqual(['a'])
  // One decision is enough, whatever comes later.
  expect([votes.add('a'), votes.agreed?.[0]]).toEqual([false, 'b'])
})

test('a vote is lost when too few answers are still to come', () => {
  const votes = count(3)
  expect([votes.canAgree(3), votes.canAgree(2)]).toEqual([true, false])
  votes.add('a')
  votes.add('b')
  expect([votes.sides, votes.canAgree(2), votes.canAgree(1)]).toEqual([2, true, false])
})

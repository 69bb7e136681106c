import { describe, expect, test } from 'bun:test'
import {
  type ChoiceLimits,
  corroboratedTip,
  judgeUpstreams,
  type ReportedHead,
  type UpstreamView,
} from './upstream-choice.ts'

const LIMITS: ChoiceLimits = {
  lagBlocksMax: 5,
  staleMs: 30_000,
  reportMaxAgeMs: 10_000,
  blockTimeMs: 1000,
}

describe('the tip that the upstreams agree on', () => {
  test.each([
    ['nobody has reported', [], null],
    ['a single witness is believed', [at(100)], 100],
    ['two at the same block', [at(100), at(100)], 100],
    ['of two a few blocks apart the lower is confirmed', [at(102), at(100)], 100],
    ['one liar far ahead of two', [at(9_000_000), at(100), at(100)], 100],
    ['one liar a little ahead of two', [at(103), at(100), at(99)], 100],
    ['one liar far ahead of one good, whose block is of now', [at(9_000_000), at(100)], 100],
    ['one that syncs, whose blocks are old', [at(100), at(40, { blockAgeMs: 900_000 })], 100],
    ['one that syncs beside two good', [at(100), at(100), at(40, { blockAgeMs: 900_000 })], 100],
    ['one whose head stands still', [at(100), at(50, { advancedAgoMs: 60_000 })], 100],
    ['one that does not answer any more', [at(100), at(200, { reportedAgoMs: 20_000 })], 100],
    ['one that is on another chain', [at(100), view({ chain: 'wrong', head: head(9_000) })], 100],
    [
      'one whose chain nobody checked',
      [at(100), view({ chain: 'unknown', head: head(9_000) })],
      100,
    ],
    ['one that never reported', [at(100), view({ head: null })], 100],
    [
      'all stand still: the chain does, and their word counts',
      [at(100, { advancedAgoMs: 60_000 }), at(100, { advancedAgoMs: 60_000 })],
      100,
    ],
    ['two liars in agreement cannot be told from the truth', [at(500), at(500), at(100)], 500],
    [
      'a chain that does not say how old its blocks are: one of two has fallen behind',
      [at(9_000, { blockAgeMs: null }), at(100, { blockAgeMs: null })],
      9_000,
    ],
    [
      'such a chain, one far ahead of two',
      [at(9_000, { blockAgeMs: null }), at(100, { blockAgeMs: null }), at(99)],
      100,
    ],
    [
      'a witness that fails calls still knows the tip',
      [at(100), view({ breaker: 'open', head: head(100) })],
      100,
    ],
  ] as const)('%s', (_title, views, number) => {
    expect(corroboratedTip(views, LIMITS, null)?.number ?? null).toBe(number)
  })

  const still = { advancedAgoMs: 60_000, blockAgeMs: 60_000 }
  const slot = { blockAgeMs: null }
  test.each([
    ['a liar with slots beside one other', 1_000, [at(9_000, slot), at(100, slot)], 100],
    ['a liar beside one whose blocks are old', 40_000, [at(9_000), at(100, still)], 100],
    [
      'a liar that moves while the chain rests',
      60_000,
      [at(9_000), at(100, still), at(100, still)],
      100,
    ],
    [
      'one that goes on while the others are stuck',
      60_000,
      [at(160), at(100, still), at(100, still)],
      160,
    ],
    [
      'one that goes on while the other is stuck',
      60_000,
      [at(160, slot), at(100, { ...slot, ...still })],
      160,
    ],
    ['two that were asleep for long', 0, [at(9_000), at(9_000)], 9_000],
    ['one that is alone, and was asleep', 0, [at(9_000)], 9_000],
    ['two that went on beside one that sleeps', 0, [at(9_000), at(8_999), at(100)], 8_999],
  ] as const)('with a tip of 100 known before: %s', (_title, movedAgoMs, views, number) => {
    expect(corroboratedTip(views, LIMITS, { number: 100, movedAgoMs })?.number).toBe(number)
  })

  test('has the hash that most of those at its height name', () => {
    const views = [
      at(100, { hash: '0xbad' }),
      at(100, { hash: '0xgood' }),
      at(100, { hash: '0xgood' }),
      at(101, { hash: '0xnext' }),
    ]
    expect(corroboratedTip(views, LIMITS, null)).toEqual({ number: 100, hash: '0xgood' })
  })

  test('is one of the two where two disagree, and stays the same one', () => {
    const views = [at(100, { hash: '0xone' }), at(100, { hash: '0xother' })]
    expect(corroboratedTip(views, LIMITS, null)).toEqual({ number: 100, hash: '0xone' })
    expect(corroboratedTip(views, LIMITS, null)).toEqual({ number: 100, hash: '0xone' })
  })
})

describe('why an upstream is or is not used', () => {
  test.each([
    ['works', {}, 'used', 'healthy'],
    ['is a block behind', { head: head(99) }, 'used', 'healthy'],
    ['is as far behind as allowed', { head: head(95) }, 'used', 'healthy'],
    ['is further behind', { head: head(94) }, 'excluded', '6 blocks behind'],
    ['is a block ahead', { head: head(101) }, 'used', 'healthy'],
    ['is far ahead', { head: head(9_100) }, 'excluded', '9000 blocks ahead of what others confirm'],
    ['is on another chain', { chain: 'wrong' }, 'excluded', 'on another chain'],
    ['has an unchecked chain', { chain: 'unknown' }, 'excluded', 'chain not checked yet'],
    ['never reported a head', { head: null }, 'excluded', 'has not reported a head yet'],
    [
      'stopped reporting',
      { head: head(100, { reportedAgoMs: 10_001 }) },
      'excluded',
      'has not reported a head lately',
    ],
    [
      'stands still while others move',
      { head: head(99, { advancedAgoMs: 30_001 }) },
      'excluded',
      'head is stuck',
    ],
    [
      'stands still with all others',
      { head: head(100, { advancedAgoMs: 999_999 }) },
      'used',
      'healthy',
    ],
    ['fails', { breaker: 'open' }, 'excluded', 'failing: resting before the next probe'],
    ['is being probed', { breaker: 'half_open' }, 'excluded', 'failing: being probed'],
    ['limits us', { throttled: true }, 'excluded', 'rate-limited by the upstream'],
    ['fails often', { samples: 10, errorRate: 0.6 }, 'excluded', 'error rate too high'],
    ['failed once of once', { samples: 1, errorRate: 1 }, 'used', 'healthy'],
    ['is dearer', { priority: 1 }, 'standby', 'preferred upstreams work'],
    ['is much slower', { latencyMs: 900 }, 'standby', 'much slower than the best'],
    ['is somewhat slower', { latencyMs: 60 }, 'used', 'healthy'],
    [
      'is on a wrong chain and failing',
      { chain: 'wrong', breaker: 'open' },
      'excluded',
      'on another chain',
    ],
  ] as const)('one that %s', (_title, odd, state, reason) => {
    const views = [view({ name: 'odd', ...odd }), at(100), at(100)]
    const [verdict] = judgeUpstreams(views, { number: 100, hash: '0x64' }, LIMITS)
    expect(verdict).toMatchObject({ name: 'odd', state, reason })
  })

  test('never having reported does not count as being at the tip', () => {
    const views = [view({ head: null }), at(100)]
    const [verdict] = judgeUpstreams(views, { number: 100, hash: '0x64' }, LIMITS)
    expect(verdict).toMatchObject({ state: 'excluded', lagBlocks: null })
  })

  test('before anyone has reported, all are used: somebody has to be asked', () => {
    const views = [view({ head: null, chain: 'unknown' }), view({ head: null, chain: 'unknown' })]
    const verdicts = judgeUpstreams(views, null, LIMITS)
    expect(verdicts.map(({ state }) => state)).toEqual(['used', 'used'])
  })

  test('a dearer one is used as soon as no cheaper one can be', () => {
    const views = [view({ breaker: 'open' }), view({ priority: 5 }), view({ priority: 9 })]
    const verdicts = judgeUpstreams(views, { number: 100, hash: '0x64' }, LIMITS)
    expect(verdicts.map(({ state }) => state)).toEqual(['excluded', 'used', 'standby'])
  })

  test('the lag is told in blocks, and being ahead is no lag', () => {
    const views = [at(97), at(100), at(103)]
    const verdicts = judgeUpstreams(views, { number: 100, hash: '0x64' }, LIMITS)
    expect(verdicts.map(({ lagBlocks }) => lagBlocks)).toEqual([3, 0, 0])
  })

  test('the good one of two is used, whichever of them lies', () => {
    const liarAhead = [at(9_000_000), at(100)]
    const stale = [at(100), at(40, { blockAgeMs: 900_000 })]
    expect(usedOf(liarAhead)).toEqual([false, true])
    expect(usedOf(stale)).toEqual([true, false])
  })
})

function usedOf(views: readonly UpstreamView[]): boolean[] {
  const verdicts = judgeUpstreams(views, corroboratedTip(views, LIMITS, null), LIMITS)
  return verdicts.map(({ state }) => state === 'used')
}

function at(number: number, odd: Partial<ReportedHead> = {}): UpstreamView {
  return view({ head: head(number, odd) })
}

function head(number: number, odd: Partial<ReportedHead> = {}): ReportedHead {
  return {
    number,
    hash: `0x${number.toString(16)}`,
    blockAgeMs: 2_000,
    reportedAgoMs: 100,
    advancedAgoMs: 2_000,
    ...odd,
  }
}

function view(odd: Partial<UpstreamView>): UpstreamView {
  return {
    name: 'one',
    priority: 0,
    chain: 'right',
    breaker: 'closed',
    throttled: false,
    credits: 'left',
    errorRate: 0,
    samples: 100,
    latencyMs: 10,
    head: head(100),
    ...odd,
  }
}

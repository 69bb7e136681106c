import { describe, expect, test } from 'bun:test'
import {
  accountOf,
  exactly,
  i64,
  joined,
  keyOf,
  u8,
  u16,
  u32,
  u64,
  zeros,
} from '../../../../tests/support/solana/account-bytes.ts'
import { encodeBase58, encodeKey } from '../base58.ts'
import { parseVote } from './vote.ts'

const U64_MAX = 2n ** 64n - 1n

const [NODE, WITHDRAWER, VOTER, VOTE_ACCOUNT] = [1, 2, 3, 9].map((byte) => encodeKey(keyOf(byte)))

const KEYS = joined(keyOf(1), keyOf(2))
const VOTERS = joined(u64(1n), u64(656n), keyOf(3))
const CREDITS = joined(u64(1n), u64(655n), u64(U64_MAX), u64(120_345_192n))
const LAST_TIMESTAMP = joined(u64(283_619_438n), i64(-1n))
const LANDED_VOTES = joined(u64(2n), u8(1), u64(10n), u32(31), u8(255), u64(U64_MAX), u32(1))
const ROOT = joined(u8(1), u64(283_619_407n))
const PRIOR_VOTERS = zeros(32 * 48 + 9)

/** Commission in basis points for each kind of reward, and what is still to be paid out. */
const COMMISSIONS = joined(u16(501), u16(10_000), u64(U64_MAX))
const BLS_KEY = new Uint8Array(48).fill(6)

const V1_14_11 = joined(
  joined(u32(1), KEYS, u8(7), u64(1n), u64(10n), u32(31), ROOT),
  joined(VOTERS, PRIOR_VOTERS, CREDITS, LAST_TIMESTAMP),
)
const V3 = joined(
  joined(u32(2), KEYS, u8(50), LANDED_VOTES, ROOT),
  joined(VOTERS, PRIOR_VOTERS, CREDITS, LAST_TIMESTAMP),
)
const V4_HEAD = joined(u32(3), KEYS, keyOf(4), keyOf(5), COMMISSIONS, u8(1), BLS_KEY)
const V4 = joined(V4_HEAD, LANDED_VOTES, ROOT, VOTERS, CREDITS, LAST_TIMESTAMP)

/** What all three show alike. */
const SHARED = {
  authorizedVoters: [{ authorizedVoter: VOTER, epoch: 656n }],
  authorizedWithdrawer: WITHDRAWER,
  epochCredits: [{ credits: `${U64_MAX}`, epoch: 655n, previousCredits: '120345192' }],
  lastTimestamp: { slot: 283_619_438n, timestamp: -1n },
  nodePubkey: NODE,
  priorVoters: [],
  rootSlot: 283_619_407n,
}
const VOTES = [
  { confirmationCount: 31n, latency: 1n, slot: 10n },
  { confirmationCount: 1n, latency: 255n, slot: U64_MAX },
]

/** What the states before the fourth amount to in its terms. */
const OLD_REWARDS = {
  blockRevenueCollector: NODE,
  blockRevenueCommissionBps: 10_000n,
  blsPubkeyCompressed: null,
  inflationRewardsCollector: VOTE_ACCOUNT,
  pendingDelegatorRewards: '0',
}

describe('a vote account as JSON', () => {
  test('the newest state shows who collects what, and the percentage rounded up', () => {
    expect(infoOf(V4)).toEqual({
      ...SHARED,
      blockRevenueCollector: encodeKey(keyOf(5)),
      blockRevenueCommissionBps: 10_000n,
      blsPubkeyCompressed: encodeBase58(BLS_KEY),
      commission: 6n,
      inflationRewardsCollector: encodeKey(keyOf(4)),
      inflationRewardsCommissionBps: 501n,
      pendingDelegatorRewards: `${U64_MAX}`,
      votes: VOTES,
    })
  })

  test('the state before it is shown in the same terms', () => {
    expect(infoOf(V3)).toEqual({
      ...SHARED,
      ...OLD_REWARDS,
      commission: 50n,
      inflationRewardsCommissionBps: 5_000n,
      votes: VOTES,
    })
  })

  test('the oldest state that a node reads has votes without latency', () => {
    expect(infoOf(V1_14_11)).toEqual({
      ...SHARED,
      ...OLD_REWARDS,
      commission: 7n,
      inflationRewardsCommissionBps: 700n,
      votes: [{ confirmationCount: 31n, latency: 0n, slot: 10n }],
    })
  })

  test('members stand in the order of a node', () => {
    const names = Object.keys(infoOf(V4) as object)
    expect(names).toEqual([...names].sort())
    expect(names).toHaveLength(15)
  })

  test('an account without root, votes, voters and key is shown with empty places', () => {
    const head = joined(u32(3), KEYS, keyOf(4), keyOf(5), u16(0), u16(0), u64(0n), u8(0))
    const data = joined(head, u64(0n), u8(0), u64(0n), u64(0n), LAST_TIMESTAMP)
    expect(infoOf(data)).toMatchObject({
      authorizedVoters: [],
      blsPubkeyCompressed: null,
      commission: 0n,
      epochCredits: [],
      rootSlot: null,
      votes: [],
    })
  })

  test('voters come in the order of their epochs, one for each', () => {
    const voters = [
      joined(u64(4n), u64(9n), keyOf(1)),
      joined(u64(7n), keyOf(1), u64(U64_MAX), keyOf(1), u64(7n), keyOf(3)),
    ]
    const head = joined(u32(3), KEYS, keyOf(4), keyOf(5), COMMISSIONS, u8(0), u64(0n), u8(0))
    expect(infoOf(joined(head, ...voters, u64(0n), LAST_TIMESTAMP))).toMatchObject({
      authorizedVoters: [
        { authorizedVoter: VOTER, epoch: 7n },
        { authorizedVoter: NODE, epoch: 9n },
        { authorizedVoter: NODE, epoch: U64_MAX },
      ],
    })
  })

  test('a commission beyond any percentage is shown as the largest byte', () => {
    const commissions = joined(u16(65_535), u16(0), u64(0n))
    const head = joined(u32(3), KEYS, keyOf(4), keyOf(5), commissions, u8(0), u64(0n), u8(0))
    expect(infoOf(joined(head, u64(0n), u64(0n), LAST_TIMESTAMP))).toMatchObject({
      commission: 255n,
      inflationRewardsCommissionBps: 65_535n,
    })
  })

  test.each([
    ['a state so old that nodes refuse it', joined(u32(0), V3.subarray(4))],
    ['a state that does not exist yet', joined(u32(4), V4.subarray(4))],
    ['more votes than there are bytes', joined(u32(2), KEYS, u8(0), u64(U64_MAX), zeros(3_000))],
    ['a root that is neither there nor absent', joined(V4_HEAD, LANDED_VOTES, u8(2), zeros(999))],
  ])('%s is not parsed', (_what, data) => {
    expect(parseVote(accountOf(data))).toBeNull()
  })

  test('an account that ends too early is not parsed; what follows its end does not matter', () => {
    for (const whole of [V1_14_11, V3, V4]) {
      for (let end = 0; end < whole.length; end++) {
        expect(parseVote(accountOf(whole.subarray(0, end)))).toBeNull()
      }
      const longer = accountOf(joined(whole, zeros(3_762 - whole.length)))
      expect(parseVote(longer)).toBe(parseVote(accountOf(whole)))
    }
  })
})

function infoOf(data: Uint8Array): unknown {
  const parsed = exactly(parseVote(accountOf(data))) as { info: unknown; type: string }
  expect(parsed.type).toBe('vote')
  return parsed.info
}

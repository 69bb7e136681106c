import { describe, expect, test } from 'bun:test'
import { getStakeStateAccountDecoder, type StakeStateV2 } from '@solana-program/stake'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import {
  accountOf,
  exactly,
  i64,
  joined,
  keyOf,
  randomBytes,
  u8,
  u32,
  u64,
  zeros,
} from '../../../../tests/support/solana/account-bytes.ts'
import { encodeKey } from '../base58.ts'
import { parseStake } from './stake.ts'

const U64_MAX = 2n ** 64n - 1n

const META = joined(u64(2_282_880n), keyOf(1), keyOf(2), i64(-5n), u64(U64_MAX), keyOf(3))
const STAKE = joined(keyOf(4), u64(U64_MAX), u64(386n), u64(471n), zeros(8), u64(169_965_713n))
const DELEGATED = joined(u32(2), META, STAKE, u8(0))

/** Accounts of the stake program are this long, whatever their state. */
const ACCOUNT_BYTES = 200

describe('a stake account as JSON', () => {
  test('a delegated one shows its owners, its lockup and its delegation, with all digits', () => {
    const data = joined(DELEGATED, zeros(ACCOUNT_BYTES - DELEGATED.length))
    const [staker, withdrawer, custodian, voter] = [1, 2, 3, 4].map((byte) =>
      encodeKey(keyOf(byte)),
    )
    expect(parseStake(accountOf(data))).toBe(
      `{"info":{"meta":{"authorized":{"staker":"${staker}","withdrawer":"${withdrawer}"},` +
        `"lockup":{"custodian":"${custodian}","epoch":18446744073709551615,"unixTimestamp":-5},` +
        '"rentExemptReserve":"2282880"},"stake":{"creditsObserved":169965713,' +
        '"delegation":{"activationEpoch":"386","deactivationEpoch":"471",' +
        `"stake":"18446744073709551615","voter":"${voter}"}}},"type":"delegated"}`,
    )
  })

  test('one that is only initialised has no stake', () => {
    const data = joined(u32(1), META, zeros(ACCOUNT_BYTES - META.length - 4))
    expect(exactly(parseStake(accountOf(data)))).toMatchObject({
      info: { meta: { rentExemptReserve: '2282880' }, stake: null },
      type: 'initialized',
    })
  })

  test.each([
    ['uninitialized', 0],
    ['rewardsPool', 3],
  ])('one that is %s says only that', (type, state) => {
    const data = joined(u32(state), zeros(ACCOUNT_BYTES - 4))
    expect(parseStake(accountOf(data))).toBe(`{"type":"${type}"}`)
  })

  test('a state that does not exist is not parsed', () => {
    expect(parseStake(accountOf(joined(u32(4), META, STAKE, u8(0))))).toBeNull()
  })

  test('an account that ends anywhere before its flags is not parsed', () => {
    for (let end = 0; end < DELEGATED.length; end++) {
      expect(parseStake(accountOf(DELEGATED.subarray(0, end)))).toBeNull()
    }
    expect(parseStake(accountOf(DELEGATED))).not.toBeNull()
  })

  test('any values are read as another decoder reads them', () => {
    const chance = seededChance(41)
    for (let round = 0; round < 100; round++) {
      const data = joined(u32(chance.between(1, 2)), randomBytes(chance, ACCOUNT_BYTES - 4))
      const { state } = getStakeStateAccountDecoder().decode(data)
      expect(exactly(parseStake(accountOf(data)))).toEqual(shown(state))
    }
  })
})

/** What another decoder found, under the names a node gives to it. */
function shown(state: StakeStateV2): unknown {
  if (state.__kind !== 'Initialized' && state.__kind !== 'Stake') throw new Error('no fields')
  const [meta] = state.fields
  const { rentExemptReserve, ...authorities } = meta
  const shownMeta = { ...authorities, rentExemptReserve: `${rentExemptReserve}` }
  if (state.__kind === 'Initialized') {
    return { info: { meta: shownMeta, stake: null }, type: 'initialized' }
  }

  const { delegation, creditsObserved } = state.fields[1]
  const shownDelegation = {
    activationEpoch: `${delegation.activationEpoch}`,
    deactivationEpoch: `${delegation.deactivationEpoch}`,
    stake: `${delegation.stake}`,
    voter: delegation.voterPubkey,
  }
  const stake = { creditsObserved, delegation: shownDelegation }
  return { info: { meta: shownMeta, stake }, type: 'delegated' }
}

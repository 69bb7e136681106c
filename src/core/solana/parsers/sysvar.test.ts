import { describe, expect, test } from 'bun:test'
import * as sysvars from '@solana/sysvars'
import { type Chance, seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import {
  accountOf,
  addressKey,
  exactly,
  f64,
  joined,
  keyOf,
  randomBytes,
  u8,
  u64,
  zeros,
} from '../../../../tests/support/solana/account-bytes.ts'
import { encodeKey } from '../base58.ts'
import { parseSysvar } from './sysvar.ts'

const FEES = 'SysvarFees111111111111111111111111111111111'
const REWARDS = 'SysvarRewards111111111111111111111111111111'

const CLOCK_BYTES = 40
const EPOCH_REWARDS_BYTES = 81
const RENT_BYTES = 17

/** Bits and blocks of the history, then the slot that comes next. */
const HISTORY_BYTES = 131_072
const HISTORY = {
  head: joined(u8(1), u64(16_384n)),
  tail: joined(u64(1_048_576n), u64(430_000_000n)),
}

describe('a sysvar as JSON', () => {
  test('the clock is read as another decoder reads it', () => {
    const data = randomBytes(seededChance(1), CLOCK_BYTES)
    const clock = sysvars.getSysvarClockDecoder().decode(data)
    expect(shown(sysvars.SYSVAR_CLOCK_ADDRESS, data)).toEqual({ info: clock, type: 'clock' })
  })

  test('epoch rewards are read as another decoder reads them, amounts as texts', () => {
    const data = joined(randomBytes(seededChance(2), EPOCH_REWARDS_BYTES - 1), u8(1))
    const rewards = sysvars.getSysvarEpochRewardsDecoder().decode(data)
    const { distributedRewards, totalPoints, totalRewards } = rewards
    expect(shown(sysvars.SYSVAR_EPOCH_REWARDS_ADDRESS, data)).toEqual({
      info: {
        ...rewards,
        distributedRewards: `${distributedRewards}`,
        totalPoints: `${totalPoints}`,
        totalRewards: `${totalRewards}`,
      },
      type: 'epochRewards',
    })
  })

  test('the epoch schedule is read as another decoder reads it', () => {
    const chance = seededChance(3)
    const data = joined(randomBytes(chance, 16), u8(1), randomBytes(chance, 16))
    const schedule = sysvars.getSysvarEpochScheduleDecoder().decode(data)
    expect(shown(sysvars.SYSVAR_EPOCH_SCHEDULE_ADDRESS, data)).toEqual({
      info: schedule,
      type: 'epochSchedule',
    })
  })

  test('the last restart slot is read as another decoder reads it', () => {
    const data = randomBytes(seededChance(4), 8)
    expect(shown(sysvars.SYSVAR_LAST_RESTART_SLOT_ADDRESS, data)).toEqual({
      info: sysvars.getSysvarLastRestartSlotDecoder().decode(data),
      type: 'lastRestartSlot',
    })
  })

  test('recent blockhashes are read as another decoder reads them, fees as texts', () => {
    const data = list(seededChance(5), 150, 40)
    const entries = sysvars.getSysvarRecentBlockhashesDecoder().decode(shortCounted(data))
    const info = entries.map(({ blockhash, feeCalculator }) => ({
      blockhash: `${blockhash}`,
      feeCalculator: { lamportsPerSignature: `${feeCalculator.lamportsPerSignature}` },
    }))
    const parsed = shown(sysvars.SYSVAR_RECENT_BLOCKHASHES_ADDRESS, data)
    expect(parsed).toEqual({ info, type: 'recentBlockhashes' })
  })

  test('of the rent only its price is shown, which is all that means anything', () => {
    const data = randomBytes(seededChance(6), RENT_BYTES)
    const { lamportsPerByteYear } = sysvars.getSysvarRentDecoder().decode(data)
    expect(shown(sysvars.SYSVAR_RENT_ADDRESS, data)).toEqual({
      info: { lamportsPerByte: `${lamportsPerByteYear}` },
      type: 'rent',
    })
  })

  test('slot hashes are read as another decoder reads them', () => {
    const data = list(seededChance(7), 512, 40)
    const info = sysvars.getSysvarSlotHashesDecoder().decode(shortCounted(data))
    const parsed = shown(sysvars.SYSVAR_SLOT_HASHES_ADDRESS, data)
    expect(parsed).toEqual({ info, type: 'slotHashes' })
  })

  test('the stake history is read as another decoder reads it', () => {
    const data = list(seededChance(8), 512, 32)
    const info = sysvars.getSysvarStakeHistoryDecoder().decode(data)
    const parsed = shown(sysvars.SYSVAR_STAKE_HISTORY_ADDRESS, data)
    expect(parsed).toEqual({ info, type: 'stakeHistory' })
  })

  test('the slot history is a digit for each slot, as another decoder has the bits', () => {
    const bits = randomBytes(seededChance(9), HISTORY_BYTES)
    const data = joined(HISTORY.head, bits, HISTORY.tail)
    const history = sysvars.getSysvarSlotHistoryDecoder().decode(data)
    const digits = history.bits.map((block) =>
      [...block.toString(2).padStart(64, '0')].reverse().join(''),
    )
    const parsed = shown(sysvars.SYSVAR_SLOT_HISTORY_ADDRESS, data) as { info: { bits: string } }
    expect(parsed).toMatchObject({ info: { nextSlot: 430_000_000n }, type: 'slotHistory' })
    expect(parsed.info.bits === digits.join('')).toBe(true)
  })

  test('the fees and rewards of old are still shown', () => {
    expect(parsedText(FEES, u64(2n ** 64n - 1n))).toBe(
      '{"info":{"feeCalculator":{"lamportsPerSignature":"18446744073709551615"}},"type":"fees"}',
    )
    const rewards = (value: number) => parsedText(REWARDS, joined(f64(value), f64(0)))
    expect(rewards(2)).toBe('{"info":{"validatorPointValue":2.0},"type":"rewards"}')
    expect(rewards(Number.NaN)).toBe('{"info":{"validatorPointValue":null},"type":"rewards"}')
  })

  test('a list may be followed by room for more', () => {
    const data = joined(u64(1n), u64(5n), keyOf(1), zeros(20_440))
    expect(shown(sysvars.SYSVAR_SLOT_HASHES_ADDRESS, data)).toEqual({
      info: [{ hash: encodeKey(keyOf(1)), slot: 5n }],
      type: 'slotHashes',
    })
  })

  test('an address that is no sysvar is not parsed, whatever its bytes', () => {
    expect(parsedText('SysvarC1ock11111111111111111111111111111112', zeros(CLOCK_BYTES))).toBeNull()
    expect(parsedText(sysvars.SYSVAR_INSTRUCTIONS_ADDRESS, zeros(CLOCK_BYTES))).toBeNull()
  })

  test.each([
    [sysvars.SYSVAR_CLOCK_ADDRESS, zeros(CLOCK_BYTES)],
    [sysvars.SYSVAR_EPOCH_REWARDS_ADDRESS, zeros(EPOCH_REWARDS_BYTES)],
    [sysvars.SYSVAR_EPOCH_SCHEDULE_ADDRESS, zeros(33)],
    [sysvars.SYSVAR_LAST_RESTART_SLOT_ADDRESS, zeros(8)],
    [sysvars.SYSVAR_RECENT_BLOCKHASHES_ADDRESS, joined(u64(2n), zeros(80))],
    [sysvars.SYSVAR_RENT_ADDRESS, zeros(RENT_BYTES)],
    [sysvars.SYSVAR_SLOT_HASHES_ADDRESS, joined(u64(2n), zeros(80))],
    [sysvars.SYSVAR_STAKE_HISTORY_ADDRESS, joined(u64(2n), zeros(64))],
    [FEES, zeros(8)],
    [REWARDS, zeros(16)],
  ])('%s is not parsed when it ends too early', (address, whole) => {
    expect(parsedText(address, whole)).not.toBeNull()
    for (let end = 0; end < whole.length; end++) {
      expect(parsedText(address, whole.subarray(0, end))).toBeNull()
    }
  })

  test.each([
    ['bits that were left out', joined(u8(0), HISTORY.tail)],
    ['a mark that is neither 0 nor 1', joined(u8(2), zeros(HISTORY_BYTES + 24))],
    ['too few blocks', joined(u8(1), u64(16_383n), zeros(HISTORY_BYTES - 8), HISTORY.tail)],
    ['too few bits', joined(HISTORY.head, zeros(HISTORY_BYTES), u64(1_048_575n), u64(1n))],
    ['more blocks than bytes', joined(u8(1), u64(2n ** 64n - 1n), zeros(HISTORY_BYTES + 16))],
    ['no next slot', joined(HISTORY.head, zeros(HISTORY_BYTES), u64(1_048_576n), zeros(7))],
  ])('a slot history with %s is not parsed', (_what, data) => {
    expect(parsedText(sysvars.SYSVAR_SLOT_HISTORY_ADDRESS, data)).toBeNull()
  })

  test('a truth that is neither 0 nor 1 is not parsed', () => {
    const schedule = joined(zeros(16), u8(2), zeros(16))
    expect(parsedText(sysvars.SYSVAR_EPOCH_SCHEDULE_ADDRESS, schedule)).toBeNull()
  })
})

function parsedText(address: string, data: Uint8Array): string | null {
  return parseSysvar(accountOf(data, { pubkey: addressKey(address) }))
}

function shown(address: string, data: Uint8Array): unknown {
  return exactly(parsedText(address, data))
}

/** A counted list of random items. */
function list(chance: Chance, count: number, itemBytes: number): Uint8Array {
  return joined(u64(BigInt(count)), randomBytes(chance, count * itemBytes))
}

/** That decoder expects a count of four bytes in these two; the runtime writes eight. */
function shortCounted(data: Uint8Array): Uint8Array {
  return joined(data.subarray(0, 4), data.subarray(8))
}

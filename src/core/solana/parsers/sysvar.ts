import type { Account } from '../account.ts'
import { encodeKey } from '../base58.ts'
import {
  type Bincode,
  openBincode,
  readBool,
  readBytes,
  readCount,
  readF64,
  readI64,
  readKeyText,
  readList,
  readU64,
  readU128,
} from './forms/bincode.ts'
import { floatText, parsedText } from './forms/parsed-text.ts'

const HASH_BYTES = 32
const BLOCKHASH_ENTRY_BYTES = HASH_BYTES + 8
const SLOT_HASH_BYTES = 8 + HASH_BYTES
const STAKE_HISTORY_ENTRY_BYTES = 4 * 8

/** Two fields that rent once had, a threshold and a share, are still there and mean nothing. */
const RENT_RESERVED_BYTES = 8 + 1

/** How many slots the history covers, one bit each. */
const SLOTS = 1024 * 1024
const BITS_PER_BYTE = 8
const BYTES_PER_BLOCK = 8

/** Each byte as eight digits, its lowest bit first. */
const BYTE_DIGITS = Array.from({ length: 256 }, (_, byte) =>
  [...byte.toString(2).padStart(BITS_PER_BYTE, '0')].reverse().join(''),
)

/** All of them have one owner; only the address tells them apart. */
const SYSVARS = new Map<string, readonly [type: string, infoText: (input: Bincode) => string]>([
  ['SysvarC1ock11111111111111111111111111111111', ['clock', clock]],
  ['SysvarEpochRewards1111111111111111111111111', ['epochRewards', epochRewards]],
  ['SysvarEpochSchedu1e111111111111111111111111', ['epochSchedule', epochSchedule]],
  ['SysvarFees111111111111111111111111111111111', ['fees', fees]],
  ['SysvarLastRestartS1ot1111111111111111111111', ['lastRestartSlot', lastRestartSlot]],
  ['SysvarRecentB1ockHashes11111111111111111111', ['recentBlockhashes', recentBlockhashes]],
  ['SysvarRent111111111111111111111111111111111', ['rent', rent]],
  ['SysvarRewards111111111111111111111111111111', ['rewards', rewards]],
  ['SysvarS1otHashes111111111111111111111111111', ['slotHashes', slotHashes]],
  ['SysvarS1otHistory11111111111111111111111111', ['slotHistory', slotHistory]],
  ['SysvarStakeHistory1111111111111111111111111', ['stakeHistory', stakeHistory]],
])

/** The member `parsed` of a sysvar; null for an address or bytes that are none. */
export function parseSysvar({ data, pubkey }: Account): string | null {
  const sysvar = SYSVARS.get(encodeKey(pubkey))
  if (!sysvar) return null

  const [type, infoText] = sysvar
  const input = openBincode(data)
  const text = infoText(input)
  return input.failed ? null : parsedText(type, text)
}

function clock(input: Bincode): string {
  const slot = readU64(input)
  const epochStartTimestamp = readI64(input)
  const epoch = readU64(input)
  const leaderScheduleEpoch = readU64(input)
  const unixTimestamp = readI64(input)
  const epochs = `"epoch":${epoch},"epochStartTimestamp":${epochStartTimestamp}`
  const rest = `"slot":${slot},"unixTimestamp":${unixTimestamp}`
  return `{${epochs},"leaderScheduleEpoch":${leaderScheduleEpoch},${rest}}`
}

function epochRewards(input: Bincode): string {
  const startingHeight = readU64(input)
  const numPartitions = readU64(input)
  const parentBlockhash = readKeyText(input)
  const totalPoints = readU128(input)
  const totalRewards = readU64(input)
  const distributedRewards = readU64(input)
  const active = readBool(input)
  const members = [
    `"active":${active}`,
    `"distributedRewards":"${distributedRewards}"`,
    `"distributionStartingBlockHeight":${startingHeight}`,
    `"numPartitions":${numPartitions}`,
    `"parentBlockhash":${parentBlockhash}`,
    `"totalPoints":"${totalPoints}"`,
    `"totalRewards":"${totalRewards}"`,
  ]
  return `{${members.join()}}`
}

function epochSchedule(input: Bincode): string {
  const slotsPerEpoch = readU64(input)
  const slotOffset = readU64(input)
  const warmup = readBool(input)
  const firstNormalEpoch = readU64(input)
  const firstNormalSlot = readU64(input)
  const first = `"firstNormalEpoch":${firstNormalEpoch},"firstNormalSlot":${firstNormalSlot}`
  const rest = `"slotsPerEpoch":${slotsPerEpoch},"warmup":${warmup}`
  return `{${first},"leaderScheduleSlotOffset":${slotOffset},${rest}}`
}

function fees(input: Bincode): string {
  return `{"feeCalculator":${feeCalculator(input)}}`
}

function feeCalculator(input: Bincode): string {
  return `{"lamportsPerSignature":"${readU64(input)}"}`
}

function lastRestartSlot(input: Bincode): string {
  return `{"lastRestartSlot":${readU64(input)}}`
}

function recentBlockhashes(input: Bincode): string {
  const entries = readList(
    input,
    BLOCKHASH_ENTRY_BYTES,
    (entry) => `{"blockhash":${readKeyText(entry)},"feeCalculator":${feeCalculator(entry)}}`,
  )
  return `[${entries.join()}]`
}

function rent(input: Bincode): string {
  const lamportsPerByte = readU64(input)
  readBytes(input, RENT_RESERVED_BYTES)
  return `{"lamportsPerByte":"${lamportsPerByte}"}`
}

function rewards(input: Bincode): string {
  const validatorPointValue = readF64(input)
  // A second number follows that nobody shows; without it the bytes are no rewards.
  readF64(input)
  return `{"validatorPointValue":${floatText(validatorPointValue)}}`
}

function slotHashes(input: Bincode): string {
  const entries = readList(input, SLOT_HASH_BYTES, (entry) => {
    const slot = readU64(entry)
    return `{"hash":${readKeyText(entry)},"slot":${slot}}`
  })
  return `[${entries.join()}]`
}

/** The history as a text of a million digits, the way a node sends it. */
function slotHistory(input: Bincode): string {
  const blockCount = readBool(input) ? readCount(input, BYTES_PER_BLOCK) : 0
  const bytes = readBytes(input, blockCount * BYTES_PER_BLOCK)
  const bitCount = readU64(input)
  const nextSlot = readU64(input)
  if (bitCount < BigInt(SLOTS) || bytes.length * BITS_PER_BYTE < SLOTS) input.failed = true
  if (input.failed) return ''

  return `{"bits":"${digitsOf(bytes.subarray(0, SLOTS / BITS_PER_BYTE))}","nextSlot":${nextSlot}}`
}

function digitsOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => BYTE_DIGITS[byte]).join('')
}

function stakeHistory(input: Bincode): string {
  const entries = readList(input, STAKE_HISTORY_ENTRY_BYTES, (entry) => {
    const epoch = readU64(entry)
    const effective = readU64(entry)
    const activating = readU64(entry)
    const deactivating = readU64(entry)
    const moving = `"activating":${activating},"deactivating":${deactivating}`
    return `{"epoch":${epoch},"stakeHistory":{${moving},"effective":${effective}}}`
  })
  return `[${entries.join()}]`
}

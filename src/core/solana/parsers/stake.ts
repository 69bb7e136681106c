import type { Account } from '../account.ts'
import {
  type Bincode,
  openBincode,
  readBytes,
  readI64,
  readKeyText,
  readU8,
  readU32,
  readU64,
} from './forms/bincode.ts'
import { bareParsedText, parsedText } from './forms/parsed-text.ts'

const UNINITIALIZED = 0
const INITIALIZED = 1
const DELEGATED = 2
const REWARDS_POOL = 3

/** Once the rate at which stake warms up; no longer read by anyone. */
const RESERVED_BYTES = 8

export function parseStake({ data }: Account): string | null {
  const input = openBincode(data)
  const state = readU32(input)
  if (input.failed) return null

  if (state === UNINITIALIZED) return bareParsedText('uninitialized')
  if (state === REWARDS_POOL) return bareParsedText('rewardsPool')
  if (state !== INITIALIZED && state !== DELEGATED) return null

  const meta = metaText(input)
  const stake = state === DELEGATED ? stakeText(input) : 'null'
  if (input.failed) return null

  const type = state === DELEGATED ? 'delegated' : 'initialized'
  return parsedText(type, `{"meta":${meta},"stake":${stake}}`)
}

function metaText(input: Bincode): string {
  const rentExemptReserve = readU64(input)
  const staker = readKeyText(input)
  const withdrawer = readKeyText(input)
  const unixTimestamp = readI64(input)
  const epoch = readU64(input)
  const custodian = readKeyText(input)

  const authorized = `{"staker":${staker},"withdrawer":${withdrawer}}`
  const lockup = `{"custodian":${custodian},"epoch":${epoch},"unixTimestamp":${unixTimestamp}}`
  const members = `"authorized":${authorized},"lockup":${lockup}`
  return `{${members},"rentExemptReserve":"${rentExemptReserve}"}`
}

function stakeText(input: Bincode): string {
  const voter = readKeyText(input)
  const stake = readU64(input)
  const activationEpoch = readU64(input)
  const deactivationEpoch = readU64(input)
  readBytes(input, RESERVED_BYTES)
  const creditsObserved = readU64(input)
  // The flags are not shown, but an account that ends before them is no stake account.
  readU8(input)

  const epochs = `"activationEpoch":"${activationEpoch}","deactivationEpoch":"${deactivationEpoch}"`
  const delegation = `{${epochs},"stake":"${stake}","voter":${voter}}`
  return `{"creditsObserved":${creditsObserved},"delegation":${delegation}}`
}

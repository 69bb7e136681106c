import type { Account } from '../account.ts'
import { encodeBase58, encodeKey } from '../base58.ts'
import {
  type Bincode,
  KEY_BYTES,
  openBincode,
  readBytes,
  readI64,
  readKeyText,
  readList,
  readOption,
  readU8,
  readU16,
  readU32,
  readU64,
} from './forms/bincode.ts'
import { parsedText } from './forms/parsed-text.ts'

/** The three states that a node still reads; one it read before them, number 0, it refuses. */
const V1_14_11 = 1
const V3 = 2
const V4 = 3

/** A ring of 32 former voters, each a key and two epochs, with its position and a flag. */
const PRIOR_VOTERS_BYTES = 32 * (KEY_BYTES + 8 + 8) + 8 + 1

const BLS_KEY_BYTES = 48
const LOCKOUT_BYTES = 8 + 4
const LATENCY_BYTES = 1
const AUTHORIZED_VOTER_BYTES = 8 + KEY_BYTES
const EPOCH_CREDITS_BYTES = 3 * 8

const PERCENT_BPS = 100
const COMMISSION_MAX = 255
const WHOLE_BPS = 10_000

/** The fields of the fourth version; for the older ones a node shows what they amount to. */
type Rewards = {
  inflationCollector: string
  inflationBps: number
  blockCollector: string
  blockBps: number
  pendingLamports: bigint
  blsKey: string
}

/** The member `parsed` of a vote account; null when it holds no vote state. */
export function parseVote({ data, pubkey }: Account): string | null {
  const input = openBincode(data)
  const version = readU32(input)
  if (input.failed || version < V1_14_11 || version > V4) return null

  const nodePubkey = readKeyText(input)
  const authorizedWithdrawer = readKeyText(input)
  const rewards =
    version === V4 ? readRewards(input) : rewardsBefore(readU8(input), pubkey, nodePubkey)
  const votes = votesText(input, version >= V3)
  const rootSlot = readOption(input, readU64)
  const authorizedVoters = authorizedVotersText(input)
  if (version !== V4) readBytes(input, PRIOR_VOTERS_BYTES)
  const epochCredits = readList(input, EPOCH_CREDITS_BYTES, epochCreditsText)
  const lastTimestamp = `{"slot":${readU64(input)},"timestamp":${readI64(input)}}`
  if (input.failed) return null

  const members = [
    `"authorizedVoters":${authorizedVoters}`,
    `"authorizedWithdrawer":${authorizedWithdrawer}`,
    `"blockRevenueCollector":${rewards.blockCollector}`,
    `"blockRevenueCommissionBps":${rewards.blockBps}`,
    `"blsPubkeyCompressed":${rewards.blsKey}`,
    `"commission":${commissionPercent(rewards.inflationBps)}`,
    `"epochCredits":[${epochCredits.join()}]`,
    `"inflationRewardsCollector":${rewards.inflationCollector}`,
    `"inflationRewardsCommissionBps":${rewards.inflationBps}`,
    `"lastTimestamp":${lastTimestamp}`,
    `"nodePubkey":${nodePubkey}`,
    `"pendingDelegatorRewards":"${rewards.pendingLamports}"`,
    // Kept empty for clients that ask for it: the newest state has no such list.
    '"priorVoters":[]',
    `"rootSlot":${rootSlot}`,
    `"votes":${votes}`,
  ]
  return parsedText('vote', `{${members.join()}}`)
}

function readRewards(input: Bincode): Rewards {
  const inflationCollector = readKeyText(input)
  const blockCollector = readKeyText(input)
  const inflationBps = readU16(input)
  const blockBps = readU16(input)
  const pendingLamports = readU64(input)
  const blsKey = readOption(input, (bls) => readBytes(bls, BLS_KEY_BYTES))
  return {
    inflationCollector,
    inflationBps,
    blockCollector,
    blockBps,
    pendingLamports,
    blsKey: blsKey === null ? 'null' : `"${encodeBase58(blsKey)}"`,
  }
}

function rewardsBefore(
  commissionPercentage: number,
  votePubkey: Uint8Array,
  nodePubkey: string,
): Rewards {
  return {
    inflationCollector: `"${encodeKey(votePubkey)}"`,
    inflationBps: commissionPercentage * PERCENT_BPS,
    blockCollector: nodePubkey,
    blockBps: WHOLE_BPS,
    pendingLamports: 0n,
    blsKey: 'null',
  }
}

function votesText(input: Bincode, hasLatency: boolean): string {
  const voteBytes = hasLatency ? LATENCY_BYTES + LOCKOUT_BYTES : LOCKOUT_BYTES
  const votes = readList(input, voteBytes, (vote) => {
    const latency = hasLatency ? readU8(vote) : 0
    const slot = readU64(vote)
    const confirmationCount = readU32(vote)
    return `{"confirmationCount":${confirmationCount},"latency":${latency},"slot":${slot}}`
  })
  return `[${votes.join()}]`
}

/** One voter an epoch, the last one named winning, in the order of the epochs. */
function authorizedVotersText(input: Bincode): string {
  const voters = new Map(
    readList(input, AUTHORIZED_VOTER_BYTES, (voter): [bigint, string] => [
      readU64(voter),
      readKeyText(voter),
    ]),
  )
  const texts = [...voters]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([epoch, voter]) => `{"authorizedVoter":${voter},"epoch":${epoch}}`)
  return `[${texts.join()}]`
}

function epochCreditsText(input: Bincode): string {
  const epoch = readU64(input)
  const credits = readU64(input)
  const previousCredits = readU64(input)
  return `{"credits":"${credits}","epoch":${epoch},"previousCredits":"${previousCredits}"}`
}

/** Rounded up, so that a commission never looks lower than it is. */
function commissionPercent(bps: number): number {
  return Math.min(Math.ceil(bps / PERCENT_BPS), COMMISSION_MAX)
}

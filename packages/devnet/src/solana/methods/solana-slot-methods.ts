import type { SolanaError } from '../../../../../src/core/solana/account.ts'
import { isMap, readUnsigned } from '../../../../../src/core/solana/reply/node-values.ts'
import {
  invalidParams,
  isSolanaError,
  solanaError,
} from '../../../../../src/core/solana/solana-error.ts'
import { FIRST_SLOT } from '../solana-asleep.ts'
import type { SolanaChain } from '../solana-chain.ts'
import { FIRST_FULL_EPOCH, FIRST_FULL_EPOCH_SLOT, SLOTS_PER_EPOCH } from '../solana-slots.ts'
import { NODE } from './solana-cluster-methods.ts'
import {
  inContext,
  type MethodTable,
  membersOf,
  momentOf,
  type Params,
  readKeyParam,
} from './solana-method.ts'

/** As many leaders and samples as a node lists in one answer. */
const LEADERS_MAX = 5_000n
const SAMPLES_MAX = 720n

/** Methods about slots and who leads them: here one node leads all, and each has a block. */
export const SLOT_METHODS: MethodTable = {
  getEpochSchedule: { min: 0, max: 0, answer: getEpochSchedule },
  getSlotLeader: { min: 0, max: 1, answer: getSlotLeader },
  getSlotLeaders: { min: 2, max: 2, answer: getSlotLeaders },
  getLeaderSchedule: { min: 0, max: 2, answer: getLeaderSchedule },
  getBlockProduction: { min: 0, max: 1, answer: getBlockProduction },
  getBlockCommitment: { min: 1, max: 1, answer: getBlockCommitment },
  getRecentPerformanceSamples: { min: 0, max: 1, answer: getRecentPerformanceSamples },
  getMaxRetransmitSlot: { min: 0, max: 0, answer: ({ slots }) => `${slots.now}` },
  getMaxShredInsertSlot: { min: 0, max: 0, answer: ({ slots }) => `${slots.now}` },
  minimumLedgerSlot: { min: 0, max: 0, answer: () => `${FIRST_SLOT}` },
  // A ledger in memory is never written down as a whole.
  getHighestSnapshotSlot: { min: 0, max: 0, answer: () => solanaError(-32008, 'No snapshot') },
}

function getEpochSchedule(): string {
  return JSON.stringify({
    firstNormalEpoch: FIRST_FULL_EPOCH,
    firstNormalSlot: FIRST_FULL_EPOCH_SLOT,
    leaderScheduleSlotOffset: SLOTS_PER_EPOCH,
    slotsPerEpoch: SLOTS_PER_EPOCH,
    warmup: true,
  })
}

function getSlotLeader(chain: SolanaChain, [configText]: Params) {
  const moment = momentOf(chain, configText)
  return isSolanaError(moment) ? moment : `"${NODE}"`
}

function getSlotLeaders(chain: SolanaChain, [startText = '', limitText = '']: Params) {
  const start = readUnsigned(startText, 'u64')
  if (isSolanaError(start)) return start
  const limit = readUnsigned(limitText, 'u64')
  if (isSolanaError(limit)) return limit
  if (limit > LEADERS_MAX) return invalidParams(`Invalid limit; max ${LEADERS_MAX}`)
  if (!isScheduled(chain, start)) {
    const words = `leader schedule for epoch ${epochOf(start)} is unavailable`
    return invalidParams(`Invalid slot range: ${words}`)
  }
  return `[${Array(Number(limit)).fill(`"${NODE}"`).join()}]`
}

/** `[slot?, config?]`; the config may stand in the place of the slot. */
function getLeaderSchedule(chain: SolanaChain, params: Params): string | SolanaError {
  const [slotText, configText] = isMap(params[0] ?? '') ? [undefined, params[0]] : params
  const members = membersOf(configText, 'RpcLeaderScheduleConfig')
  if (isSolanaError(members)) return members
  const identityText = members.get('identity')
  const identity = identityText === undefined ? null : readKeyParam(identityText)
  if (isSolanaError(identity)) return identity
  const moment = momentOf(chain, commitmentOf(members))
  if (isSolanaError(moment)) return moment
  const given = slotText === undefined || slotText === 'null' ? `${moment.slot}` : slotText
  const slot = readUnsigned(given, 'u64')
  if (isSolanaError(slot)) return slot
  if (!isScheduled(chain, slot)) return 'null'
  if (identityText !== undefined && identityText !== `"${NODE}"`) return '{}'
  return `{"${NODE}":[${Array.from({ length: SLOTS_PER_EPOCH }, (_, at) => at).join()}]}`
}

function getBlockProduction(chain: SolanaChain, [configText]: Params): string | SolanaError {
  const members = membersOf(configText, 'RpcBlockProductionConfig')
  if (isSolanaError(members)) return members
  const identityText = members.get('identity')
  const identity = identityText === undefined ? null : readKeyParam(identityText)
  if (isSolanaError(identity)) return identity
  const moment = momentOf(chain, commitmentOf(members))
  if (isSolanaError(moment)) return moment
  const range = readRange(members.get('range'), chain, moment.slot)
  if (isSolanaError(range)) return range
  const slots = range.last - range.first + 1n
  const isOurs = identityText === undefined || identityText === `"${NODE}"`
  const byIdentity = isOurs ? `"${NODE}":[${slots},${slots}]` : ''
  const rangeText = `{"firstSlot":${range.first},"lastSlot":${range.last}}`
  return inContext(moment.slot, `{"byIdentity":{${byIdentity}},"range":${rangeText}}`)
}

/** The slots to count; from the beginning of the epoch where none are named. */
function readRange(text: string | undefined, chain: SolanaChain, now: number) {
  const members = membersOf(text, 'RpcBlockProductionConfigRange')
  if (isSolanaError(members)) return members
  const epochBegan = now - chain.slots.epochOf(now).slotIndex
  const preset = `${Math.max(FIRST_SLOT, epochBegan)}`
  const first = readUnsigned(members.get('firstSlot') ?? preset, 'u64')
  if (isSolanaError(first)) return first
  const last = readUnsigned(members.get('lastSlot') ?? `${now}`, 'u64')
  if (isSolanaError(last)) return last
  if (last < first) {
    return invalidParams(`lastSlot, ${last}, cannot be less than firstSlot, ${first}`)
  }
  if (first < BigInt(FIRST_SLOT)) {
    return invalidParams(`firstSlot, ${first}, is too small; min ${FIRST_SLOT}`)
  }
  if (last > BigInt(now)) return invalidParams(`lastSlot, ${last}, is too large; max ${now}`)
  return { first, last }
}

/** Stake is delegated to one who never votes, so nobody has voted for a block. */
function getBlockCommitment(_chain: SolanaChain, [slotText = '']: Params) {
  const slot = readUnsigned(slotText, 'u64')
  return isSolanaError(slot) ? slot : '{"commitment":null,"totalStake":0}'
}

/** A node samples itself every minute; this one does not. */
function getRecentPerformanceSamples(_chain: SolanaChain, [limitText]: Params) {
  const limit = readUnsigned(limitText ?? `${SAMPLES_MAX}`, 'usize')
  if (isSolanaError(limit)) return limit
  return limit > SAMPLES_MAX ? invalidParams(`Invalid limit; max ${SAMPLES_MAX}`) : '[]'
}

/** A node knows the leaders of this epoch and the next. */
function isScheduled({ slots }: SolanaChain, slot: bigint): boolean {
  const { epoch } = slots.epochOf(slots.now)
  return epochOf(slot) <= BigInt(epoch + 1)
}

/** The short epochs at the beginning are long over and count as the first of full length. */
function epochOf(slot: bigint): bigint {
  const since = slot - BigInt(FIRST_FULL_EPOCH_SLOT)
  const epochs = since < 0n ? 0n : since / BigInt(SLOTS_PER_EPOCH)
  return BigInt(FIRST_FULL_EPOCH) + epochs
}

/** A config of its own, as far as it is about the time. */
function commitmentOf(members: ReadonlyMap<string, string>): string {
  const commitment = members.get('commitment')
  return commitment === undefined ? '{}' : `{"commitment":${commitment}}`
}

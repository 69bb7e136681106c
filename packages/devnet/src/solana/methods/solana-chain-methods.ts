import type { SolanaError } from '../../../../../src/core/solana/account.ts'
import { encodeKey } from '../../../../../src/core/solana/base58.ts'
import {
  isMap,
  readString,
  readUnsigned,
} from '../../../../../src/core/solana/reply/node-values.ts'
import {
  invalidParams,
  isSolanaError,
  solanaError,
} from '../../../../../src/core/solana/solana-error.ts'
import { FIRST_SLOT, GENESIS_HASH } from '../solana-asleep.ts'
import type { SolanaChain } from '../solana-chain.ts'
import { CLUSTER_METHODS } from './solana-cluster-methods.ts'
import {
  API_VERSION,
  FEATURE_SET,
  inContext,
  type MethodTable,
  momentOf,
  type Params,
  readKeyParam,
} from './solana-method.ts'
import { SLOT_METHODS } from './solana-slot-methods.ts'

/** As many slots as a node lists in one answer. */
const BLOCKS_RANGE_MAX = 500_000

const LAMPORTS_PER_SIGNATURE = 5_000n

export const CHAIN_METHODS: MethodTable = {
  ...CLUSTER_METHODS,
  ...SLOT_METHODS,
  getHealth: { min: 0, max: 0, answer: () => '"ok"' },
  getVersion: {
    min: 0,
    max: 0,
    answer: () => `{"feature-set":${FEATURE_SET},"solana-core":"${API_VERSION}"}`,
  },
  getGenesisHash: { min: 0, max: 0, answer: () => `"${GENESIS_HASH}"` },
  getFirstAvailableBlock: { min: 0, max: 0, answer: () => `${FIRST_SLOT}` },
  getSlot: { min: 0, max: 1, answer: getSlot },
  getBlockHeight: { min: 0, max: 1, answer: getBlockHeight },
  getBlocks: { min: 1, max: 3, answer: getBlocks },
  getBlocksWithLimit: { min: 2, max: 3, answer: getBlocksWithLimit },
  getBlockTime: { min: 1, max: 1, answer: getBlockTime },
  getEpochInfo: { min: 0, max: 1, answer: getEpochInfo },
  getTransactionCount: {
    min: 0,
    max: 1,
    answer: ({ transactions }) => `${transactions.count}`,
  },
  getLatestBlockhash: { min: 0, max: 1, answer: getLatestBlockhash },
  isBlockhashValid: { min: 1, max: 2, answer: isBlockhashValid },
  getMinimumBalanceForRentExemption: { min: 1, max: 2, answer: getMinimumBalance },
  getFeeForMessage: { min: 1, max: 2, answer: getFeeForMessage },
  getRecentPrioritizationFees: { min: 0, max: 1, answer: () => '[]' },
}

function getSlot(chain: SolanaChain, [configText]: Params) {
  const moment = momentOf(chain, configText)
  return isSolanaError(moment) ? moment : `${moment.slot}`
}

function getBlockHeight(chain: SolanaChain, [configText]: Params) {
  const moment = momentOf(chain, configText)
  return isSolanaError(moment) ? moment : `${chain.slots.heightOf(moment.slot)}`
}

/** `[first, last?, config?]`; the config may stand in the place of the last. */
function getBlocks(chain: SolanaChain, [firstText = '', ...rest]: Params): string | SolanaError {
  const first = readUnsigned(firstText, 'u64')
  if (isSolanaError(first)) return first
  const [lastText, configText] = isMap(rest[0] ?? '') ? [undefined, rest[0]] : rest
  const given = lastText === undefined || lastText === 'null' ? null : lastText
  const last = given === null ? null : readUnsigned(given, 'u64')
  if (isSolanaError(last)) return last
  const moment = momentOf(chain, configText)
  if (isSolanaError(moment)) return moment
  if (moment.config.commitment === 'processed') return tooSoon()

  const from = Math.max(FIRST_SLOT, Number(first))
  const to = Math.min(moment.slot, Number(last ?? BigInt(moment.slot)))
  if (to - Number(first) > BLOCKS_RANGE_MAX && last !== null) {
    return invalidParams(`Slot range too large; max ${BLOCKS_RANGE_MAX}`)
  }
  const length = Math.min(Math.max(0, to - from + 1), BLOCKS_RANGE_MAX)
  return `[${Array.from({ length }, (_, at) => from + at).join()}]`
}

function getBlocksWithLimit(
  chain: SolanaChain,
  [firstText = '', limitText = '', configText]: Params,
): string | SolanaError {
  const first = readUnsigned(firstText, 'u64')
  if (isSolanaError(first)) return first
  const limit = readUnsigned(limitText, 'usize')
  if (isSolanaError(limit)) return limit
  if (limit > BigInt(BLOCKS_RANGE_MAX)) {
    return invalidParams(`Limit too large; max ${BLOCKS_RANGE_MAX}`)
  }
  const moment = momentOf(chain, configText)
  if (isSolanaError(moment)) return moment
  if (moment.config.commitment === 'processed') return tooSoon()
  const from = Math.max(FIRST_SLOT, Number(first))
  const length = Math.min(Math.max(0, moment.slot - from + 1), Number(limit))
  return `[${Array.from({ length }, (_, at) => from + at).join()}]`
}

/** Where a node reads blocks, it has none that are not voted for yet. */
export function tooSoon(): SolanaError {
  return invalidParams('Method does not support commitment below `confirmed`')
}

function getBlockTime(chain: SolanaChain, [slotText = '']: Params): string | SolanaError {
  const slot = readUnsigned(slotText, 'u64')
  if (isSolanaError(slot)) return slot
  const found = chain.slots.find(Number(slot))
  if (found !== null) return `${found.unixSeconds}`
  if (slot < BigInt(chain.slots.now)) return 'null'
  return solanaError(-32004, `Block not available for slot ${slot}`)
}

function getEpochInfo(chain: SolanaChain, [configText]: Params) {
  const moment = momentOf(chain, configText)
  if (isSolanaError(moment)) return moment
  const { slot } = moment
  return JSON.stringify({
    absoluteSlot: slot,
    blockHeight: chain.slots.heightOf(slot),
    ...chain.slots.epochOf(slot),
    transactionCount: chain.transactions.count,
  })
}

function getLatestBlockhash(chain: SolanaChain, [configText]: Params) {
  const moment = momentOf(chain, configText)
  if (isSolanaError(moment)) return moment
  return inContext(moment.slot, blockhashText(chain, moment.slot))
}

/** The blockhash of a slot, and until when transactions may name it. */
export function blockhashText(chain: SolanaChain, slot: number): string {
  const blockhash = chain.slots.find(slot)?.blockhash ?? ''
  const height = chain.slots.lastValidHeight(slot)
  return `{"blockhash":"${blockhash}","lastValidBlockHeight":${height}}`
}

function isBlockhashValid(chain: SolanaChain, [hashText, configText]: Params) {
  const hash = readKeyParam(hashText)
  if (isSolanaError(hash)) return hash
  const moment = momentOf(chain, configText)
  if (isSolanaError(moment)) return moment
  return inContext(moment.slot, `${chain.slots.isRecent(encodeKey(hash), moment.slot)}`)
}

function getMinimumBalance(chain: SolanaChain, [bytesText = '']: Params) {
  const dataBytes = readUnsigned(bytesText, 'usize')
  return isSolanaError(dataBytes) ? dataBytes : `${chain.rentExemptLamports(dataBytes)}`
}

/** A message says in its first byte how many sign it, after one for its version if it has one. */
function getFeeForMessage(chain: SolanaChain, [messageText = '', configText]: Params) {
  const text = readString(messageText)
  if (isSolanaError(text)) return text
  const moment = momentOf(chain, configText)
  if (isSolanaError(moment)) return moment
  const message = Buffer.from(text, 'base64')
  const [first = 0, second = 0] = message
  if (message.length === 0) return invalidParams('invalid base64 encoding: InvalidLength')
  const signatures = first < 0x80 ? first : second
  return inContext(moment.slot, `${BigInt(signatures) * LAMPORTS_PER_SIGNATURE}`)
}

import { exactNumber } from '../../parse-exactly.ts'
import { FIRST_SLOT, GENESIS_HASH } from '../solana-asleep.ts'
import type { SolanaChain } from '../solana-chain.ts'
import {
  API_VERSION,
  configOf,
  inContext,
  invalidParams,
  type MethodTable,
  momentOf,
  type Params,
  readKey,
  readText,
  readWhole,
  SolanaRefusal,
  votedMoment,
} from './solana-method.ts'

/** The first four bytes of a digest over the features of the node, here of all. */
const FEATURE_SET = 1_725_507_508

const LAMPORTS_PER_SIGNATURE = 5_000

/** As many slots as a node lists in one answer. */
const BLOCKS_MAX = 500_000

export const CHAIN_METHODS: MethodTable = {
  getHealth: { min: 0, max: 0, answer: () => 'ok' },
  getVersion: {
    min: 0,
    max: 0,
    answer: () => ({ 'feature-set': FEATURE_SET, 'solana-core': API_VERSION }),
  },
  getGenesisHash: { min: 0, max: 0, answer: () => GENESIS_HASH },
  getSlot: { min: 0, max: 1, answer: (chain, [config]) => momentOf(chain, config).slot },
  getBlockHeight: { min: 0, max: 1, answer: getBlockHeight },
  getBlocks: { min: 1, max: 3, answer: getBlocks },
  getBlockTime: { min: 1, max: 1, answer: getBlockTime },
  getEpochInfo: { min: 0, max: 1, answer: getEpochInfo },
  getTransactionCount: { min: 0, max: 1, answer: ({ transactions }) => transactions.count },
  getLatestBlockhash: { min: 0, max: 1, answer: getLatestBlockhash },
  isBlockhashValid: { min: 1, max: 2, answer: isBlockhashValid },
  getMinimumBalanceForRentExemption: { min: 1, max: 2, answer: getMinimumBalance },
  getFeeForMessage: { min: 1, max: 2, answer: getFeeForMessage },
  getRecentPrioritizationFees: { min: 0, max: 1, answer: () => [] },
}

function getBlockHeight(chain: SolanaChain, [config]: Params) {
  return chain.slots.heightOf(momentOf(chain, config).slot)
}

/** `[first, last?, config?]`; the config may stand in the place of the last. */
function getBlocks(chain: SolanaChain, [first, ...rest]: Params) {
  const [last, config] = typeof rest[0] === 'number' ? rest : [null, rest[0] ?? rest[1]]
  const { slot } = votedMoment(chain, configOf(config))
  const from = Math.max(FIRST_SLOT, Number(readWhole(first)))
  const to = Math.min(slot, Number(readWhole(last ?? slot)))
  const length = Math.min(Math.max(0, to - from + 1), BLOCKS_MAX)
  return Array.from({ length }, (_, at) => from + at)
}

function getBlockTime(chain: SolanaChain, [given]: Params) {
  const slot = Number(readWhole(given))
  const found = chain.slots.find(slot)
  if (found !== null) return found.unixSeconds
  if (slot < chain.slots.now) return null
  throw new SolanaRefusal(-32004, `Block not available for slot ${slot}`)
}

function getEpochInfo(chain: SolanaChain, [config]: Params) {
  const { slot } = momentOf(chain, config)
  return {
    absoluteSlot: slot,
    blockHeight: chain.slots.heightOf(slot),
    ...chain.slots.epochOf(slot),
    transactionCount: chain.transactions.count,
  }
}

function getLatestBlockhash(chain: SolanaChain, [config]: Params) {
  const { slot } = momentOf(chain, config)
  return inContext(slot, blockhashAt(chain, slot))
}

export function blockhashAt({ slots }: SolanaChain, slot: number) {
  const blockhash = slots.find(slot)?.blockhash ?? ''
  return { blockhash, lastValidBlockHeight: slots.lastValidHeight(slot) }
}

function isBlockhashValid(chain: SolanaChain, [hash, config]: Params) {
  const { slot } = momentOf(chain, config)
  return inContext(slot, chain.slots.isRecent(readKey(hash), slot))
}

function getMinimumBalance(chain: SolanaChain, [bytes]: Params) {
  return exactNumber(chain.rentExempt(readWhole(bytes)))
}

/** A message says in its first byte how many sign it, after one for its version if it has one. */
function getFeeForMessage(chain: SolanaChain, [text, config]: Params) {
  const message = Buffer.from(readText(text), 'base64')
  const { slot } = momentOf(chain, config)
  const [first = 0, second = 0] = message
  if (message.length === 0) throw invalidParams('invalid base64 encoding: InvalidLength')
  return inContext(slot, (first < 0x80 ? first : second) * LAMPORTS_PER_SIGNATURE)
}

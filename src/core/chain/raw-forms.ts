import { isAddress, isBytes, isHash32, isQuantity } from '../hex.ts'
import { isJsonObject } from '../json/json-value.ts'
import type { RawObject } from './block.ts'

type Form = (value: unknown) => boolean

/** Members that may be missing or null, and must be of this form where they are there. */
export type Forms = readonly (readonly [name: string, form: Form])[]

const BLOOM = /^0x[0-9a-fA-F]{512}$/

const isText: Form = (value) => typeof value === 'string'

const listOf =
  (form: Form): Form =>
  (value) =>
    Array.isArray(value) && value.every(form)

const objectOf =
  (forms: Forms): Form =>
  (value) =>
    isJsonObject(value) && misshapen(value, forms) === null

/** Neither may be missing, whatever `objectOf` lets pass. */
const isAccessEntry: Form = (value) =>
  isJsonObject(value) && isAddress(value.address) && listOf(isHash32)(value.storageKeys)

const WITHDRAWAL: Forms = [
  ['index', isQuantity],
  ['validatorIndex', isQuantity],
  ['address', isAddress],
  ['amount', isQuantity],
]

export const HEADER_FORMS: Forms = [
  ['nonce', isQuantity],
  ['transactionsRoot', isHash32],
  ['stateRoot', isHash32],
  ['receiptsRoot', isHash32],
  ['miner', isAddress],
  ['extraData', isBytes],
  ['gasLimit', isQuantity],
  ['gasUsed', isQuantity],
  ['baseFeePerGas', isQuantity],
  ['blobGasUsed', isQuantity],
  ['excessBlobGas', isQuantity],
  ['timestamp', isQuantity],
  // EIP-7668 would make it empty.
  ['logsBloom', isBytes],
  ['mixHash', isHash32],
  ['difficulty', isQuantity],
  ['totalDifficulty', isQuantity],
  ['withdrawalsRoot', isHash32],
  ['withdrawals', listOf(objectOf(WITHDRAWAL))],
  ['blockAccessListHash', isHash32],
  ['slotNumber', isQuantity],
]

export const TRANSACTION_FORMS: Forms = [
  ['to', isAddress],
  ['nonce', isQuantity],
  ['value', isQuantity],
  ['gas', isQuantity],
  ['gasPrice', isQuantity],
  ['maxFeePerGas', isQuantity],
  ['maxPriorityFeePerGas', isQuantity],
  ['maxFeePerBlobGas', isQuantity],
  ['blobVersionedHashes', listOf(isHash32)],
  ['input', isBytes],
  ['type', isQuantity],
  ['accessList', listOf(isAccessEntry)],
  ['r', isQuantity],
  ['s', isQuantity],
  ['v', isQuantity],
]

export const RECEIPT_FORMS: Forms = [
  ['status', isQuantity],
  ['gasUsed', isQuantity],
  ['cumulativeGasUsed', isQuantity],
  ['effectiveGasPrice', isQuantity],
  ['contractAddress', isAddress],
]

export const FRAME_FORMS: Forms = [
  ['to', isAddress],
  ['value', isQuantity],
  ['gas', isQuantity],
  ['gasUsed', isQuantity],
  ['input', isBytes],
  ['output', isBytes],
  ['error', isText],
  ['revertReason', isText],
]

export function isBloom(value: unknown): value is string {
  return typeof value === 'string' && BLOOM.test(value)
}

/** The name of a member that is there but not of its form; null when there is none. */
export function misshapen(raw: RawObject, forms: Forms): string | null {
  for (const [name, form] of forms) {
    const value = raw[name]
    if (value !== undefined && value !== null && !form(value)) return name
  }
  return null
}

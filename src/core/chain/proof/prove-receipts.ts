import { numberToQuantity } from '../../hex.ts'
import { isJsonObject } from '../../json/json-value.ts'
import type { RawObject } from '../block.ts'
import { addToBloom, BLOOM_BYTES, type BloomBits } from '../logs-bloom.ts'
import { keccakDigits } from './keccak-digits.ts'
import { isOtherTime } from './prove-transactions.ts'
import {
  bytesDigits,
  fixedDigits,
  isAbsent,
  quantity,
  quantityDigits,
  rlpListOf,
  rlpQuantity,
  smallQuantity,
} from './raw-members.ts'
import { rlpBytes, rlpList } from './rlp.ts'
import { gasPricePaid } from './transaction-digits.ts'
import { trieRoot } from './trie-root.ts'

/** The block and the transactions that the receipts belong to, proven by now. */
type Sent = { block: RawObject; transactions: readonly RawObject[]; types: readonly number[] }

/** The address of a contract is the end of a hash. */
const ADDRESS_DIGITS = 40
const GAS_PER_BLOB = 131_072

/** Why the receipts are not those of the root; null where they are. */
export function proveReceipts(sent: Sent, receipts: unknown, known: BloomBits): string | null {
  const { block, transactions, types } = sent
  // An empty block has a list without receipts at some nodes, and no list at others.
  const list = receipts ?? []
  if (!Array.isArray(list) || list.length !== transactions.length) return 'receipts are missing'
  const values: string[] = []
  const sums = { gas: 0, logs: 0 }
  for (const [index, raw] of list.entries()) {
    const transaction = transactions[index]
    const type = types[index] ?? 0
    if (!isJsonObject(raw) || !transaction) return `receipt ${index} is no object`
    values.push(receiptDigits(raw, type, known))
    const other = otherMember(raw, transaction, type, block, sums)
    if (other !== null) return `receipt ${index} has another ${other}`
  }
  if (`0x${trieRoot(values)}` === String(block.receiptsRoot).toLowerCase()) return null
  return 'the receipts are not those of the receiptsRoot'
}

/** A receipt as its root covers it, in hex digits. Throws UnreadableMember. */
export function receiptDigits(raw: RawObject, type: number, known: BloomBits): string {
  // Before Byzantium a receipt had the state after its transaction in the place of a status.
  const outcome = isAbsent(raw.status)
    ? rlpBytes(fixedDigits(raw.root, 'root', 32))
    : rlpQuantity(raw.status, 'status')
  const gas = rlpQuantity(raw.cumulativeGasUsed, 'cumulativeGasUsed')
  const logs = rlpListOf(raw.logs, 'logs', logDigits)
  const content = rlpList(outcome + gas + rlpBytes(bloomDigits(raw, known)) + logs)
  return type === 0 ? content : `0${type}${content}`
}

function logDigits(log: RawObject): string {
  return rlpList(
    rlpBytes(fixedDigits(log.address, 'address', 20)) +
      rlpListOf(log.topics, 'topics', (topic) => rlpBytes(fixedDigits(topic, 'topics', 32))) +
      rlpBytes(bytesDigits(log.data, 'data')),
  )
}

/** Made of the logs where the node left it out. */
function bloomDigits(raw: RawObject, known: BloomBits): string {
  if (!isAbsent(raw.logsBloom)) return bytesDigits(raw.logsBloom, 'logsBloom')
  const bloom = new Uint8Array(BLOOM_BYTES)
  for (const { address, topics } of raw.logs as readonly RawObject[]) {
    for (const key of [address, ...(topics as readonly unknown[])]) {
      addToBloom(bloom, String(key).toLowerCase(), known)
    }
  }
  return bloom.toHex()
}

/** A member outside of the root that is not what follows from the others. */
function otherMember(
  raw: RawObject,
  transaction: RawObject,
  type: number,
  block: RawObject,
  sums: { gas: number; logs: number },
): string | null {
  const sum = smallQuantity(raw, 'cumulativeGasUsed')
  const own = sum - sums.gas
  sums.gas = sum
  if (differs(raw, 'gasUsed', own)) return 'gasUsed'
  if (differs(raw, 'type', type)) return 'type'
  if (isOtherPrice(raw, transaction, type, block)) return 'effectiveGasPrice'
  const blobs = Array.isArray(transaction.blobVersionedHashes)
    ? transaction.blobVersionedHashes.length
    : 0
  if (differs(raw, 'blobGasUsed', GAS_PER_BLOB * blobs)) return 'blobGasUsed'
  if (isOtherAddress(raw, transaction, 'from')) return 'from'
  if (isOtherAddress(raw, transaction, 'to')) return 'to'
  if (isOtherContract(raw, transaction)) return 'contractAddress'
  for (const log of raw.logs as readonly RawObject[]) {
    if (differs(log, 'logIndex', sums.logs++)) return 'logIndex'
    if (isOtherTime(log, block)) return 'blockTimestamp'
    if (!isAbsent(log.removed) && log.removed !== false) return 'log: it was removed'
  }
  return null
}

/** Hot path: the price stands in the transaction too, and was compared there. */
function isOtherPrice(
  raw: RawObject,
  transaction: RawObject,
  type: number,
  block: RawObject,
): boolean {
  const { effectiveGasPrice } = raw
  if (isAbsent(effectiveGasPrice) || effectiveGasPrice === transaction.gasPrice) return false
  return quantity(raw, 'effectiveGasPrice') !== gasPricePaid(transaction, type, block)
}

/** Hot path: most nodes spell a number in the one way that is asked for. */
function differs(raw: RawObject, member: string, value: number): boolean {
  const said = raw[member]
  if (isAbsent(said) || said === numberToQuantity(value)) return false
  return smallQuantity(raw, member) !== value
}

function isOtherAddress(raw: RawObject, transaction: RawObject, member: string): boolean {
  const [said, sent] = [raw[member] ?? null, transaction[member] ?? null]
  if (said === sent) return false
  if (said === null) return member in raw
  return String(said).toLowerCase() !== String(sent).toLowerCase()
}

/** A creation that failed has an address at some nodes, and none at others. */
function isOtherContract({ contractAddress, status }: RawObject, transaction: RawObject): boolean {
  if (!isAbsent(transaction.to)) return !isAbsent(contractAddress)
  if (isAbsent(contractAddress)) return status === '0x1'
  const sender = rlpBytes(fixedDigits(transaction.from, 'from', 20))
  const nonce = rlpBytes(quantityDigits(transaction.nonce, 'nonce'))
  const made = keccakDigits(rlpList(sender + nonce)).slice(-ADDRESS_DIGITS)
  return String(contractAddress).toLowerCase() !== `0x${made}`
}

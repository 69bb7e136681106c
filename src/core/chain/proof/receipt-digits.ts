import type { RawObject } from '../block.ts'
import { addToBloom, BLOOM_BYTES, type BloomBits } from '../logs-bloom.ts'
import { bytesDigits, fixedDigits, isAbsent, rlpListOf, rlpQuantity } from './raw-members.ts'
import { rlpBytes, rlpList } from './rlp.ts'

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

import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Chance } from '../support/basics/seeded-chance.ts'

export type SimLog = { address: string; topics: readonly string[]; data: string }

export type SimTransaction = {
  hash: string
  from: string
  /** Null when it creates a contract. */
  to: string | null
  value: number
  gasUsed: number
  status: 0 | 1
  logs: readonly SimLog[]
}

export type SimBlock = {
  /** Height and serial number, for whoever reads the trace. */
  name: string
  number: number
  hash: string
  parent: SimBlock | null
  parentHash: string
  timestampS: number
  transactions: readonly SimTransaction[]
  /** False for blocks that only a lying node knows. */
  honest: boolean
}

type Making = { serial: number; parent: SimBlock | null; honest: boolean; timestampS: number }

export const ADDRESSES = Array.from({ length: 5 }, (_, at) => `0x${`a${at}`.repeat(20)}`)
export const TOPICS = Array.from({ length: 4 }, (_, at) => `0x${`7${at}`.repeat(32)}`)

const TRANSACTIONS_MAX = 3
const LOGS_MAX = 2
const BLOOM_BYTES = 256

const bloomBits = new Map<string, readonly number[]>()

/** A block with a few transactions; those of `sibling` may be in it again, with other results. */
export function makeBlock(
  chance: Chance,
  { serial, parent, honest, timestampS }: Making,
  firstNumber: number,
  sibling: SimBlock | null,
): SimBlock {
  const number = parent ? parent.number + 1 : firstNumber
  const count = chance.between(0, TRANSACTIONS_MAX)
  const again = sibling && chance.fraction() < 0.5 ? sibling.transactions : []
  const transactions = Array.from({ length: Math.max(count, again.length) }, (_, at) => {
    const hash = again[at]?.hash ?? hash32('7a', serial * 16 + at)
    return makeTransaction(chance, hash)
  })
  return {
    name: `${number}.${serial}${honest ? '' : '!'}`,
    number,
    hash: hash32('b1', number * 65_536 + serial),
    parent,
    parentHash: parent?.hash ?? hash32('b0', number),
    timestampS,
    transactions,
    honest,
  }
}

/** A hash that says what it is of. */
export function hash32(prefix: string, serial: number): string {
  return `0x${prefix}${serial.toString(16).padStart(62, '0')}`
}

function makeTransaction(chance: Chance, hash: string): SimTransaction {
  const status = chance.fraction() < 0.85 ? 1 : 0
  const logs = Array.from({ length: status * chance.between(0, LOGS_MAX) }, () => ({
    address: chance.pick(ADDRESSES),
    topics: TOPICS.slice(0, chance.between(0, 2)).map(() => chance.pick(TOPICS)),
    data: `0x${chance.between(0, 0xffff).toString(16).padStart(4, '0')}`,
  }))
  return {
    hash,
    from: chance.pick(ADDRESSES),
    to: chance.fraction() < 0.9 ? chance.pick(ADDRESSES) : null,
    value: chance.between(0, 1_000_000),
    gasUsed: 21_000 + chance.between(0, 50_000),
    status,
    logs,
  }
}

/** The bloom over the logs of these transactions, in hex. */
export function bloomOf(transactions: readonly SimTransaction[]): string {
  const bloom = new Uint8Array(BLOOM_BYTES)
  for (const { logs } of transactions) {
    for (const { address, topics } of logs) {
      for (const key of [address, ...topics]) {
        for (const bit of bitsOf(key)) {
          const at = BLOOM_BYTES - 1 - (bit >> 3)
          bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7))
        }
      }
    }
  }
  return `0x${bloom.toHex()}`
}

function bitsOf(key: string): readonly number[] {
  const known = bloomBits.get(key)
  if (known) return known
  const hash = keccak_256(Uint8Array.fromHex(key.slice(2)))
  const bits = [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047)
  bloomBits.set(key, bits)
  return bits
}

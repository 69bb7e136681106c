export type WireTransaction = {
  /** Exactly the transaction: whatever followed it is cut off. */
  bytes: Uint8Array
  message: Uint8Array
  signatures: readonly Uint8Array[]
  version: 'legacy' | 0
  requiredSignatures: number
  readonlySigned: number
  readonlyUnsigned: number
  /** Without those of lookup tables. */
  keys: readonly Uint8Array[]
  recentBlockhash: Uint8Array
  instructions: readonly WireInstruction[]
  lookups: readonly WireLookup[]
}

export type WireInstruction = { programAt: number; accounts: Uint8Array; data: Uint8Array }

type WireLookup = { table: Uint8Array; writable: Uint8Array; readonly: Uint8Array }

/** The bytes that fit into one packet of the network, and so into one transaction. */
export const TRANSACTION_BYTES_MAX = 1_232

const TRUNCATED = 'io error: failed to fill whole buffer'

const UNSANITARY = 'invalid transaction: Transaction failed to sanitize accounts offsets correctly'
const DESERIALIZE = 'failed to deserialize solana_transaction::versioned::VersionedTransaction'

const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
const VERSION_FLAG = 0x80
/** Indices of accounts are single bytes. */
const ACCOUNTS_MAX = 256

type Reader = { bytes: Uint8Array; at: number }

/** Thrown inside of this file only: a reader this deep has no better way out. */
class Unreadable extends Error {}

/**
 * Reads a transaction, or says in a node's words why it is none. The machine behind ends its
 * process over bytes that it cannot read, so it is only ever given what passed here.
 */
export function readTransaction(given: Uint8Array): WireTransaction | string {
  const reader = { bytes: given, at: 0 }
  let transaction: WireTransaction
  try {
    transaction = readParts(reader)
  } catch (thrown) {
    if (thrown instanceof Unreadable) return `${DESERIALIZE}: ${thrown.message}`
    throw thrown
  }
  return isSane(transaction) ? transaction : UNSANITARY
}

export function isWritable(transaction: WireTransaction, at: number): boolean {
  const { keys, requiredSignatures, readonlySigned, readonlyUnsigned } = transaction
  if (at < requiredSignatures) return at < requiredSignatures - readonlySigned
  return at < keys.length - readonlyUnsigned
}

function readParts(reader: Reader): WireTransaction {
  const signatures = list(reader, () => take(reader, SIGNATURE_BYTES))
  const messageAt = reader.at
  const first = byte(reader)
  const version = first < VERSION_FLAG ? 'legacy' : readVersion(first)
  const requiredSignatures = version === 'legacy' ? first : byte(reader)
  const readonlySigned = byte(reader)
  const readonlyUnsigned = byte(reader)
  const keys = list(reader, () => take(reader, KEY_BYTES))
  const recentBlockhash = take(reader, KEY_BYTES)
  const instructions = list(reader, () => ({
    programAt: byte(reader),
    accounts: take(reader, length(reader)),
    data: take(reader, length(reader)),
  }))
  const lookups = version === 'legacy' ? [] : list(reader, () => readLookup(reader))
  return {
    bytes: reader.bytes.slice(0, reader.at),
    message: reader.bytes.slice(messageAt, reader.at),
    signatures,
    version,
    requiredSignatures,
    readonlySigned,
    readonlyUnsigned,
    keys,
    recentBlockhash,
    instructions,
    lookups,
  }
}

function readVersion(first: number): 0 {
  if (first === VERSION_FLAG) return 0
  throw new Unreadable(
    `invalid value: integer \`${first - VERSION_FLAG}\`, expected a valid version`,
  )
}

function readLookup(reader: Reader): WireLookup {
  return {
    table: take(reader, KEY_BYTES),
    writable: take(reader, length(reader)),
    readonly: take(reader, length(reader)),
  }
}

function isSane(transaction: WireTransaction): boolean {
  const { signatures, keys, instructions, lookups } = transaction
  const { requiredSignatures, readonlySigned, readonlyUnsigned } = transaction
  const looked = lookups.map(({ writable, readonly }) => writable.length + readonly.length)
  if (looked.includes(0)) return false
  const accounts = keys.length + looked.reduce((sum, one) => sum + one, 0)
  if (accounts > ACCOUNTS_MAX) return false
  if (signatures.length !== requiredSignatures || readonlySigned >= requiredSignatures) return false
  if (requiredSignatures + readonlyUnsigned > keys.length) return false
  return instructions.every(
    (one) =>
      one.programAt > 0 && one.programAt < keys.length && one.accounts.every((at) => at < accounts),
  )
}

function list<T>(reader: Reader, readOne: () => T): T[] {
  const count = length(reader)
  const members: T[] = []
  // Every member takes at least a byte, so a count beyond the bytes runs out of them at once.
  for (let at = 0; at < count; at++) members.push(readOne())
  return members
}

/** A number of 16 bits in one to three bytes; a longer spelling than needed is refused. */
function length(reader: Reader): number {
  let value = 0
  for (let at = 0; at < 3; at++) {
    const part = byte(reader)
    if (part === 0 && at > 0) throw new Unreadable('alias encoding')
    if (at === 2 && part > 3) throw new Unreadable('length exceeds 16 bits')
    value |= (part & 0x7f) << (7 * at)
    if (part < 0x80) return value
  }
  throw new Unreadable('length exceeds 16 bits')
}

function byte(reader: Reader): number {
  const value = reader.bytes[reader.at]
  if (value === undefined) throw new Unreadable(TRUNCATED)
  reader.at++
  return value
}

function take(reader: Reader, bytes: number): Uint8Array {
  const end = reader.at + bytes
  if (end > reader.bytes.length) throw new Unreadable(TRUNCATED)
  const taken = reader.bytes.slice(reader.at, end)
  reader.at = end
  return taken
}

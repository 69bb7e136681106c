import { assert } from '../../errors.ts'
import type { SolanaError } from '../account.ts'
import { invalidParams } from '../solana-error.ts'

/** Where a walk goes on: all a server needs to find the next page, so it keeps none itself. */
export type PageKey = {
  /** Hex of at most 16 bytes. */
  snapshot: string
  slot: bigint
  /** The last public key of the page before, 32 bytes. */
  after: Uint8Array
  queryHash: string
  expiresAtMs: number
}

/*
 * The bytes of a key: version, length of the snapshot's id, the id, slot, last public key, query
 * hash, end of its life, and the signature over all before it.
 */
const VERSION = 1
const SNAPSHOT_BYTES_MAX = 16
const WORD_BYTES = 8
const PUBKEY_BYTES = 32
const HASH_BYTES = 32
const SIGNATURE_BYTES = 32
const HEAD_BYTES = 2
const FIXED_BYTES = HEAD_BYTES + WORD_BYTES + PUBKEY_BYTES + HASH_BYTES + WORD_BYTES

/** As long as the longest key of ours is as text; longer ones are not decoded. */
const TEXT_CHARS_MAX = Math.ceil(((FIXED_BYTES + SNAPSHOT_BYTES_MAX + SIGNATURE_BYTES) * 4) / 3)

/** Signed with it, so that no other signature under the same secret passes for a page key. */
const PURPOSE = 'headgate page key\n'

const HEX = /^(?:[0-9a-f]{2})*$/

export function writePageKey(secret: Uint8Array, key: PageKey): string {
  assert(HEX.test(key.snapshot), 'the id of a snapshot is lower-case hex')
  const snapshot = Buffer.from(key.snapshot, 'hex')
  const hash = Buffer.from(key.queryHash, 'hex')
  assert(snapshot.length <= SNAPSHOT_BYTES_MAX, 'the id of a snapshot is short')
  assert(hash.length === HASH_BYTES && HEX.test(key.queryHash), 'a query hash is SHA-256 in hex')
  assert(key.after.length === PUBKEY_BYTES, 'a public key has 32 bytes')
  const expiresAt = new Uint8Array(WORD_BYTES)
  const slot = new Uint8Array(WORD_BYTES)
  new DataView(expiresAt.buffer).setBigUint64(0, BigInt(key.expiresAtMs))
  new DataView(slot.buffer).setBigUint64(0, key.slot)
  const head = [VERSION, snapshot.length]
  const body = Buffer.concat([Buffer.from(head), snapshot, slot, key.after, hash, expiresAt])
  return Buffer.concat([body, signature(secret, body)]).toString('base64url')
}

/** `foreign` is whatever we did not sign, to the last bit; only our own keys expire. */
export function readPageKey(
  secret: Uint8Array,
  text: string,
  nowMs: number,
): PageKey | 'foreign' | 'expired' {
  if (text.length > TEXT_CHARS_MAX) return 'foreign'
  const bytes = Buffer.from(text, 'base64url')
  // Decoders overlook what they do not know; a key has one spelling.
  if (bytes.toString('base64url') !== text) return 'foreign'
  const bodyBytes = bytes.length - SIGNATURE_BYTES
  if (bodyBytes < FIXED_BYTES) return 'foreign'
  const body = bytes.subarray(0, bodyBytes)
  if (!sameBytes(bytes.subarray(bodyBytes), signature(secret, body))) return 'foreign'
  // A key of another version of ours was honest once, and is of no use any more.
  if (body[0] !== VERSION) return 'expired'
  return readBody(body, nowMs)
}

export function pageKeyError(reason: 'foreign' | 'expired', version: 1 | 2): SolanaError {
  const field = version === 1 ? 'pageKey' : 'paginationKey'
  if (reason === 'expired') return invalidParams(`${field} has expired`)
  const words = 'not a key that was given for this program and config'
  return invalidParams(`Invalid params: ${field}: ${words}.`)
}

function readBody(body: Buffer, nowMs: number): PageKey | 'foreign' | 'expired' {
  const snapshotBytes = body[1] as number
  if (body.length !== FIXED_BYTES + snapshotBytes) return 'foreign'
  let at = HEAD_BYTES
  const take = (length: number): Buffer => {
    at += length
    return body.subarray(at - length, at)
  }
  const snapshot = take(snapshotBytes).toString('hex')
  const slot = take(WORD_BYTES).readBigUInt64BE()
  const after = new Uint8Array(take(PUBKEY_BYTES))
  const queryHash = take(HASH_BYTES).toString('hex')
  const expiresAtMs = Number(take(WORD_BYTES).readBigUInt64BE())
  if (nowMs >= expiresAtMs) return 'expired'
  return { snapshot, slot, after, queryHash, expiresAtMs }
}

function signature(secret: Uint8Array, body: Uint8Array): Uint8Array {
  return new Bun.CryptoHasher('sha256', secret).update(PURPOSE).update(body).digest()
}

/** Takes the same time wherever the difference lies, so that no signature can be felt out. */
function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false
  let difference = 0
  for (let at = 0; at < left.length; at++) {
    difference |= (left[at] as number) ^ (right[at] as number)
  }
  return difference === 0
}

const KEY_PREFIX = 'whsec_'
const DIGEST_BYTES = 32
const HEX_DIGEST = /^[0-9a-f]{64}$/
/** 32 bytes in base64 are 43 letters and one to fill up. */
const BASE64_DIGEST = /^v1,[A-Za-z0-9+/]{43}=$/

/** More keys at once than any rotation needs; each costs a computation for each request. */
const KEYS_MAX = 100

/** The service sends two at most; a stranger must not make us compute more than that. */
const SIGNATURES_MAX = 4

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' }

/** The keys as a list. Throws on a text that cannot be a key: a mistake in the receiver. */
export function signingKeysOf(keys: string | readonly string[]): readonly string[] {
  const list = typeof keys === 'string' ? [keys] : keys
  if (list.length === 0 || list.length > KEYS_MAX) {
    throw new TypeError(`signingKeys must be 1 to ${KEYS_MAX} keys`)
  }
  for (const key of list) {
    const isKey = typeof key === 'string' && /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(key)
    // The key itself stays out of the message, which ends up in logs.
    if (!isKey) throw new TypeError('a signing key is whsec_ and characters of base64')
  }
  return list
}

/** Whether any of the signatures is of any of the keys. Keyed with what the base64 stands for. */
export async function hasStandardSignature(
  keys: readonly string[],
  header: string,
  opening: string,
  body: Uint8Array,
): Promise<boolean> {
  // Other versions may stand beside ours, so they are passed over and not refused.
  const signatures = header.split(' ').filter((one) => BASE64_DIGEST.test(one))
  if (signatures.length > SIGNATURES_MAX) return false
  const start = new TextEncoder().encode(opening)
  const signed = new Uint8Array(start.length + body.length)
  signed.set(start)
  signed.set(body, start.length)

  const digests = signatures.map((one) => base64Bytes(one.slice('v1,'.length)))
  for (const key of keys) {
    if (await isDigestOf(base64Bytes(key.slice(KEY_PREFIX.length)), digests, signed)) return true
  }
  return false
}

/** Whether the signature is of any of the keys. Keyed with the whole text of the key. */
export async function hasPlainSignature(
  keys: readonly string[],
  signature: string,
  body: Uint8Array,
): Promise<boolean> {
  if (!HEX_DIGEST.test(signature)) return false
  const pairs = signature.match(/../g) ?? []
  const digest = Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16))
  for (const key of keys) {
    if (await isDigestOf(new TextEncoder().encode(key), [digest], body)) return true
  }
  return false
}

async function isDigestOf(
  secret: Uint8Array<ArrayBuffer>,
  digests: readonly Uint8Array[],
  signed: Uint8Array,
): Promise<boolean> {
  if (digests.length === 0) return false
  const key = await crypto.subtle.importKey('raw', secret, ALGORITHM, false, ['sign'])
  const made = await crypto.subtle.sign('HMAC', key, signed as Uint8Array<ArrayBuffer>)
  const expected = new Uint8Array(made)
  let isOne = false
  for (const digest of digests) if (isEqual(expected, digest)) isOne = true
  return isOne
}

/** Compares in constant time, so that the time taken tells nothing about the bytes. */
function isEqual(expected: Uint8Array, given: Uint8Array): boolean {
  if (expected.length !== DIGEST_BYTES || given.length !== DIGEST_BYTES) return false
  let difference = 0
  for (let at = 0; at < DIGEST_BYTES; at++) difference |= (expected[at] ?? 0) ^ (given[at] ?? 0)
  return difference === 0
}

function base64Bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

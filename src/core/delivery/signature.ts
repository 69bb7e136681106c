import { assert } from '../errors.ts'

type SignedDelivery = {
  /** The current key, and for a day after a rotation the one before it: both sign. */
  keys: readonly [current: string, previous?: string]
  deliveryId: string
  /** The time of the attempt, not of the delivery: receivers refuse old timestamps. */
  timestampS: number
  /** Exactly the bytes that are sent. */
  body: string | Uint8Array
  /** Null on errors and on the first delivery of a webhook. */
  previousSequence: number | null
  replay: boolean
  /** The block was proven by its hash. */
  isVerified?: boolean
}

const KEY_PREFIX = 'whsec_'

/** Standard Webhooks keys are base64 behind the prefix; ours are, by their length and letters. */
const KEY_FORM = /^whsec_(?:[A-Za-z0-9+/]{4})+$/

const USER_AGENT = 'Headgate-Webhooks/1'

export function deliveryHeaders(delivery: SignedDelivery): Record<string, string> {
  const { keys, deliveryId, timestampS, body } = delivery
  const [current, previous] = keys
  const standard = keys
    .filter((key) => key !== undefined)
    .map((key) => standardSignature(key, deliveryId, timestampS, body))
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'x-service-signature': hexSignature(current, body),
    'webhook-id': deliveryId,
    'webhook-timestamp': `${timestampS}`,
    'webhook-signature': standard.join(' '),
  }
  // The header above is one bare value, so the second key needs a header of its own.
  if (previous !== undefined) {
    headers['x-service-signature-previous'] = hexSignature(previous, body)
  }
  if (delivery.previousSequence !== null) {
    headers['x-headgate-previous'] = `${delivery.previousSequence}`
  }
  if (delivery.replay) headers['x-headgate-replay'] = '1'
  if (delivery.isVerified) headers['x-headgate-verified'] = 'receipts'
  return headers
}

/** HMAC-SHA256 of the body in lower-case hex, keyed with the whole text of the signing key. */
export function hexSignature(key: string, body: string | Uint8Array): string {
  return new Bun.CryptoHasher('sha256', key).update(body).digest('hex')
}

/**
 * The signature of Standard Webhooks, which also covers the id and the time. It is keyed with
 * what the signing key's base64 stands for, so that stock libraries take our keys as they are.
 */
export function standardSignature(
  key: string,
  id: string,
  timestampS: number,
  body: string | Uint8Array,
): string {
  assert(KEY_FORM.test(key), 'a signing key is base64 behind its prefix')
  assert(!id.includes('.') && Number.isSafeInteger(timestampS), 'what is signed reads one way only')
  const secret = Buffer.from(key.slice(KEY_PREFIX.length), 'base64')
  const hasher = new Bun.CryptoHasher('sha256', secret)
  return `v1,${hasher.update(`${id}.${timestampS}.`).update(body).digest('base64')}`
}

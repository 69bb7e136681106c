import { type Delivery, isId, isSequenceNumber, readDelivery } from './delivery.ts'
import { type DeliveryHeaders, type HeaderFault, oneHeader } from './delivery-headers.ts'
import { hasPlainSignature, hasStandardSignature, signingKeysOf } from './signatures.ts'

export type VerifyOptions = {
  /** The body as it came over the wire: a parsed and rewritten one has other bytes. */
  body: string | Uint8Array
  headers: DeliveryHeaders
  /** The webhook's signing key, or several: of several webhooks, or old and new. */
  signingKeys: string | readonly string[]
  /** How far the time of the attempt may be from now. Default: 300. */
  toleranceS?: number
  /**
   * Accept deliveries that carry only `x-service-signature`. It covers no timestamp, so anybody
   * who has seen a delivery can send it again at any time.
   */
  acceptUntimed?: boolean
  nowMs?: number
}

export type RefusalReason =
  | 'header_missing'
  | 'header_repeated'
  | 'header_malformed'
  | 'timestamp_too_old'
  | 'timestamp_in_future'
  | 'signature_mismatch'
  | 'body_malformed'

export type Refusal = {
  ok: false
  reason: RefusalReason
  /** For a log. */
  message: string
}

export type Verified =
  | {
      ok: true
      delivery: Delivery
      /** When the attempt was made, as it was signed; null with `acceptUntimed` and no time. */
      timestampS: number | null
    }
  | Refusal

type Claim = { id: string; timestampS: number } | { id: null; timestampS: null }

const TOLERANCE_S = 300
const STANDARD_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
const UNIX_SECONDS = /^[1-9]\d{0,11}$/

/**
 * Says whether a request is a delivery of the service, sent now. Throws only when it is called
 * wrongly; whatever a stranger sends is refused with a reason.
 */
export async function verifyDelivery(options: VerifyOptions): Promise<Verified> {
  const { headers } = options
  const bytes = bytesOf(options.body)
  const keys = signingKeysOf(options.signingKeys)
  const toleranceS = toleranceOf(options.toleranceS)

  const isStandard = STANDARD_HEADERS.some((name) => isThere(headers, name))
  const claim =
    isStandard || !options.acceptUntimed
      ? await standardClaim({ ...options, toleranceS }, keys, bytes)
      : await plainClaim(options, keys, bytes)
  if ('ok' in claim) return claim

  const previous = oneHeader(headers, 'x-headgate-previous')
  const delivery = readDelivery(new TextDecoder().decode(bytes), {
    previousSequence: isSequenceNumber(previous) ? previous : null,
    isReplay: oneHeader(headers, 'x-headgate-replay') === '1',
  })
  if (!delivery) return refusal('body_malformed', 'the body is not a delivery')
  if (claim.id !== null && claim.id !== delivery.id) {
    return refusal('body_malformed', 'webhook-id is not the id in the body')
  }
  return { ok: true, delivery, timestampS: claim.timestampS }
}

/** A tolerance that is no number would let every time pass, since no comparison with it holds. */
export function toleranceOf(toleranceS: unknown = TOLERANCE_S): number {
  if (typeof toleranceS === 'number' && Number.isFinite(toleranceS) && toleranceS >= 0) {
    return toleranceS
  }
  throw new TypeError('toleranceS must be a number of seconds, zero or more')
}

/** Standard Webhooks: the id and the time are signed with the body. */
async function standardClaim(
  { headers, nowMs = Date.now(), toleranceS }: VerifyOptions & { toleranceS: number },
  keys: readonly string[],
  bytes: Uint8Array,
): Promise<Claim | Refusal> {
  const id = oneHeader(headers, 'webhook-id')
  if (typeof id !== 'string') return headerRefusal(id)
  const timestamp = oneHeader(headers, 'webhook-timestamp')
  if (typeof timestamp !== 'string') return headerRefusal(timestamp)
  const signature = oneHeader(headers, 'webhook-signature')
  if (typeof signature !== 'string') return headerRefusal(signature)

  if (!isId(id)) return refusal('header_malformed', 'webhook-id is not an id')
  if (!UNIX_SECONDS.test(timestamp)) {
    return refusal('header_malformed', 'webhook-timestamp is not a number of seconds')
  }
  const ageMs = nowMs - Number(timestamp) * 1000
  if (ageMs > toleranceS * 1000) return refusal('timestamp_too_old', 'the attempt is too old')
  if (ageMs < -toleranceS * 1000) {
    return refusal('timestamp_in_future', 'the attempt is in the future: compare the clocks')
  }
  const holds = await hasStandardSignature(keys, signature, `${id}.${timestamp}.`, bytes)
  if (!holds) return refusal('signature_mismatch', 'webhook-signature is of no key given')
  return { id, timestampS: Number(timestamp) }
}

/** The body alone is signed, with the new key and for a day with the old one. */
async function plainClaim(
  { headers }: VerifyOptions,
  keys: readonly string[],
  bytes: Uint8Array,
): Promise<Claim | Refusal> {
  const current = oneHeader(headers, 'x-service-signature')
  if (typeof current !== 'string') return headerRefusal(current)
  const previous = oneHeader(headers, 'x-service-signature-previous')
  const signatures = typeof previous === 'string' ? [current, previous] : [current]
  for (const signature of signatures) {
    if (await hasPlainSignature(keys, signature, bytes)) return { id: null, timestampS: null }
  }
  return refusal('signature_mismatch', 'x-service-signature is of no key given')
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return body
  throw new TypeError('body must be the raw body, a string or a Uint8Array: not a parsed one')
}

function isThere(headers: DeliveryHeaders, name: string): boolean {
  const value = oneHeader(headers, name)
  return typeof value === 'string' || value.reason !== 'header_missing'
}

function headerRefusal({ reason, name }: HeaderFault): Refusal {
  const what = reason === 'header_missing' ? 'is missing' : 'is there more than once'
  return refusal(reason, `the header ${name} ${what}`)
}

function refusal(reason: RefusalReason, message: string): Refusal {
  return { ok: false, reason, message }
}

import { hashKey } from '../access/hash-key.ts'

/** Sixteen digits: four that count events, and twelve that are a hash. */
const COUNTED_DIGITS = 4
const HASH_DIGITS = 6
const HASH_HEX = 12

const ID_FORM = /^whevt_([0-9a-z]{4})[0-9a-z]{12}$/

/**
 * The same for the same webhook and event, so that a receiver can drop repeats. Ids of one
 * event lie side by side and next to those of the event before: where they are an index, what
 * is written together touches few of its pages instead of one each.
 */
export function deliveryId(webhookId: string, sequenceNumber: number): string {
  const hash = hashKey(`${webhookId}:${sequenceNumber}`)
  const counted = digits(sequenceNumber, COUNTED_DIGITS)
  const high = digits(Number.parseInt(hash.slice(0, HASH_HEX), 16), HASH_DIGITS)
  const low = digits(Number.parseInt(hash.slice(HASH_HEX, HASH_HEX * 2), 16), HASH_DIGITS)
  return `whevt_${counted}${high}${low}`
}

/**
 * The digits of an event's number in an id: the number is `value`, or that and some multiple of
 * `modulus`. Null for a text that is no id.
 */
export function countedIn(id: string): { value: number; modulus: number } | null {
  const [, counted] = ID_FORM.exec(id) ?? []
  if (counted === undefined) return null
  return { value: Number.parseInt(counted, 36), modulus: 36 ** COUNTED_DIGITS }
}

/** The last digits of a number, which is negative for errors, in lower-case letters and digits. */
function digits(value: number, length: number): string {
  const most = 36 ** length
  return (((value % most) + most) % most).toString(36).padStart(length, '0')
}

type DeliveryBase = {
  /** The same on every attempt at this delivery. */
  id: string
  webhookId: string
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: string
  /** True when a replay sent it. A header says so, and headers are not signed. */
  isReplay: boolean
}

/** The result of a webhook's query on one block. */
export type DataDelivery = DeliveryBase & {
  kind: 'data'
  /** Shaped like the query. */
  data: unknown
  /** A decimal whole number. Of two deliveries for one block the higher one is right. */
  sequenceNumber: string
  /** The number of the delivery before this one to the same webhook. Not signed. */
  previousSequence: string | null
  network: string | null
  /** `data.block.number`, when the query asks for it under that name. */
  blockNumber: number | null
  /** The result was too large, and its lists were cut. */
  isTruncated: boolean
}

/** A message of the service, such as that the month's capacity is used up. */
export type ErrorDelivery = DeliveryBase & { kind: 'error'; error: string }

export type Delivery = DataDelivery | ErrorDelivery

/** Facts that only the headers carry, which are not signed. */
export type UnsignedFacts = { previousSequence: string | null; isReplay: boolean }

/** No dot, so that what is signed reads one way only; no comma, so that none is two. */
const ID = /^[\w-]{1,100}$/
const SEQUENCE_NUMBER = /^(?:0|[1-9]\d{0,30})$/

export function isId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value)
}

/** True for a decimal number as the service writes it: no sign, no zeros in front, bounded. */
export function isSequenceNumber(value: unknown): value is string {
  return typeof value === 'string' && SEQUENCE_NUMBER.test(value)
}

/** Reads a delivery from the text of its body; null when it is none. */
export function readDelivery(text: string, unsigned: UnsignedFacts): Delivery | null {
  const body = recordOf(parsedJson(text))
  const event = recordOf(body?.event)
  if (!body || !event) return null
  const { id, webhookId, createdAt } = body
  if (!isId(id) || !isId(webhookId) || typeof createdAt !== 'string') return null

  const common = { id, webhookId, createdAt, isReplay: unsigned.isReplay }
  if (typeof event.error === 'string') return { ...common, kind: 'error', error: event.error }
  if (!('data' in event) || !isSequenceNumber(event.sequenceNumber)) return null
  const number = recordOf(recordOf(event.data)?.block)?.number
  return {
    ...common,
    kind: 'data',
    data: event.data,
    sequenceNumber: event.sequenceNumber,
    previousSequence: unsigned.previousSequence,
    network: typeof event.network === 'string' ? event.network : null,
    blockNumber: Number.isSafeInteger(number) ? (number as number) : null,
    isTruncated: event.truncated === true,
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function recordOf(value: unknown): Record<string, unknown> | null {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isRecord ? (value as Record<string, unknown>) : null
}

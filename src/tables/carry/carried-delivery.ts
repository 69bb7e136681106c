import { countedIn, deliveryId } from '../../core/delivery/delivery-id.ts'
import { type AttemptFacts, endOf, lineOfAttempt } from '../deliveries/attempt-facts.ts'
import type { DeliveryKey, DeliveryState } from '../deliveries/delivery.ts'
import { LANE } from '../deliveries/outbox.ts'

/** A delivery as the new tables have it, but for its part, which is still the old one. */
export type CarriedDelivery = DeliveryKey & {
  part: number | null
  dataBytes: number
  previousSequence: number | null
  state: DeliveryState
  version: number
  attemptsMade: number
  replay: number
  lane: number
  dueAtMs: number
  doneAtMs: number | null
  bodyBytes: number | null
  attempts: string
}

/** A row of the deliveries of version 6, with its event and the webhook. */
export type OldRow = {
  place: number
  event: number
  webhook: number
  webhook_state: string
  kind: string
  part: number | null
  data_bytes: number
  previous_sequence: number | null
  state: string
  lane: string
  due_at_ms: number
  done_at_ms: number | null
  attempts_made: number
  replay: number
  body_bytes: number | null
  attempts: string
}

/** The deliveries of one event that version 6 kept on one row, some dozens on each. */
export type OldSheet = {
  place: number
  event: number
  created_at_ms: number
  marks: string
  receivers: string
  arrivals: string
}

export type OldWebhook = { number: number; state: string }

type OldReceiver = [
  webhookId: string,
  teamId: string,
  part: number,
  dataBytes: number,
  previousSequence: number | null,
]

type OldArrival = [
  index: number,
  startedAtMs: number,
  status: number | null,
  lookup: number,
  connect: number,
  answer: number,
  total: number,
  bodyStart: string,
  address: string | null,
  bodyBytes: number,
]

type OldAttempt = Omit<AttemptFacts, 'queue' | 'ms'> & {
  lane: keyof typeof QUEUES
  ms: Omit<AttemptFacts['ms'], 'tls'>
}

/** The names of now for the lanes of version 6. */
const QUEUES = { first: 'new', retry: 'retry', ordered: 'ordered', errors: 'error' } as const

export function carriedRow(row: OldRow): CarriedDelivery {
  const isError = row.kind === 'error'
  const isNew = row.lane === 'first' && row.attempts_made === 0
  const isDeleted = row.webhook_state === 'deleted'
  const isStranded = isDeleted && (row.state === 'waiting' || row.state === 'failed')
  const state = isStranded ? 'cancelled' : (row.state as DeliveryState)
  return {
    event: row.event,
    webhook: row.webhook,
    part: row.part,
    dataBytes: row.data_bytes,
    previousSequence: row.previous_sequence,
    state,
    // Only what is new has neither a version nor attempts.
    version: isError || isNew || row.attempts_made > 0 ? 0 : 1,
    attemptsMade: row.attempts_made,
    replay: row.replay,
    lane: isError ? LANE.error : isNew ? LANE.new : LANE.retry,
    dueAtMs: row.due_at_ms,
    doneAtMs: state === 'waiting' ? null : (row.done_at_ms ?? row.due_at_ms),
    bodyBytes: row.body_bytes,
    attempts: row.attempts.split('\n').map(carriedLine).join(''),
  }
}

export function webhooksOn({ receivers }: OldSheet): string[] {
  return (JSON.parse(receivers) as OldReceiver[]).map(([webhookId]) => webhookId)
}

/** The deliveries that still stand on a sheet: open ones and those that arrived. */
export function carriedSheet(
  sheet: OldSheet,
  webhooks: ReadonlyMap<string, OldWebhook>,
): CarriedDelivery[] {
  const arrivals = arrivalsOn(sheet)
  const carried: CarriedDelivery[] = []
  for (const [index, receiver] of (JSON.parse(sheet.receivers) as OldReceiver[]).entries()) {
    const [webhookId, , part, dataBytes, previousSequence] = receiver
    const webhook = webhooks.get(webhookId)
    const arrival = arrivals.get(index)
    const isOpen = sheet.marks[index] === 'o'
    if (!webhook || (!isOpen && (sheet.marks[index] !== 'a' || !arrival))) continue
    const dueAtMs = sheet.created_at_ms
    const ended = arrival && !isOpen ? arrivedAs(arrival) : null
    const isStranded = isOpen && webhook.state === 'deleted'
    carried.push({
      event: sheet.event,
      webhook: webhook.number,
      part,
      dataBytes,
      previousSequence,
      state: ended ? 'delivered' : isStranded ? 'cancelled' : 'waiting',
      version: 0,
      attemptsMade: ended ? 1 : 0,
      replay: 0,
      lane: LANE.new,
      dueAtMs,
      doneAtMs: ended ? ended.doneAtMs : isStranded ? dueAtMs : null,
      bodyBytes: ended?.bodyBytes ?? null,
      attempts: ended?.attempts ?? '',
    })
  }
  return carried
}

/**
 * The number of an error's event: below zero, the revision that paused its webhook. Version 6 kept
 * it in the id alone.
 */
export function errorNumber(id: string, webhookId: string, revisionMax: number): number {
  const { value, modulus } = countedIn(id) ?? { value: 0, modulus: 1 }
  const first = modulus - value
  for (let revision = first; revision <= revisionMax; revision += modulus) {
    if (deliveryId(webhookId, -revision) === id) return -revision
  }
  return -first
}

function arrivalsOn({ arrivals }: OldSheet): Map<number, OldArrival> {
  const lines = arrivals.split('\n').filter((line) => line !== '')
  return new Map(lines.map((line) => JSON.parse(line)).map((one: OldArrival) => [one[0], one]))
}

function arrivedAs(arrival: OldArrival) {
  const [, startedAtMs, status, lookup, connect, answer, total, ...rest] = arrival
  const [bodyStart, address, bodyBytes] = rest
  const ms = { lookup, connect, tls: 0, answer, total }
  const facts = { startedAtMs, status, fault: null, ms, bodyStart, address, queue: 'new' } as const
  return { doneAtMs: endOf(facts), bodyBytes, attempts: `${lineOfAttempt(facts)}\n` }
}

function carriedLine(line: string): string {
  if (line === '') return ''
  const { lane, ms, ...facts } = JSON.parse(line) as OldAttempt
  const queue = QUEUES[lane] ?? 'retry'
  return `${lineOfAttempt({ ...facts, ms: { ...ms, tls: 0 }, queue })}\n`
}

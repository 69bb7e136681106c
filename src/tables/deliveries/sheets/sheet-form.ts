import { type AttemptFacts, endOf } from '../attempt-facts.ts'

/** What a sheet says of one delivery; the rest follows from its event. */
export type SheetReceiver = readonly [
  webhookId: string,
  teamId: string,
  part: number,
  dataBytes: number,
  previousSequence: number | null,
]

export type SheetMark = 'o' | 'a' | 'm'

export type SheetRow = {
  network: string
  sequence_number: number
  sheet: number
  block_number: number
  block_hash: string
  created_at_ms: number
  open: number
  marks: string
  receivers: string
  arrivals: string
}

/** A first attempt that was accepted. */
export type Arrival = { attempt: AttemptFacts; bodyBytes: number; doneAtMs: number }

type ArrivalLine = [
  index: number,
  startedAtMs: number,
  status: number | null,
  lookupMs: number,
  connectMs: number,
  answerMs: number,
  totalMs: number,
  bodyStart: string,
  address: string | null,
  bodyBytes: number,
]

/** Few enough that a sheet is read and written in no time. */
export const SHEET_SIZE = 64

/** Events in a row whose deliveries to one webhook are found from one entry of its log. */
export const SPAN_EVENTS = 64

export function spanOf(sequenceNumber: number): number {
  return Math.floor(sequenceNumber / SPAN_EVENTS)
}

export function receiversOf({ receivers }: Pick<SheetRow, 'receivers'>): SheetReceiver[] {
  return JSON.parse(receivers)
}

export function arrivalText(index: number, attempt: AttemptFacts, bodyBytes: number): string {
  const { startedAtMs, status, ms, bodyStart, address } = attempt
  const { lookup, connect, answer, total } = ms
  const line: ArrivalLine = [
    index,
    startedAtMs,
    status,
    lookup,
    connect,
    answer,
    total,
    bodyStart,
    address,
    bodyBytes,
  ]
  return `${JSON.stringify(line)}\n`
}

/** By the index on the sheet. */
export function arrivalsOf({ arrivals }: Pick<SheetRow, 'arrivals'>): Map<number, Arrival> {
  const found = new Map<number, Arrival>()
  for (const text of arrivals.split('\n')) {
    if (text === '') continue
    const line: ArrivalLine = JSON.parse(text)
    found.set(line[0], arrivalOf(line))
  }
  return found
}

/** That of one delivery, without reading those of the others; null when it has none. */
export function arrivalAt({ arrivals }: Pick<SheetRow, 'arrivals'>, index: number): Arrival | null {
  // No line holds another: JSON writes line breaks in other letters.
  const lines = `\n${arrivals}`
  const at = lines.indexOf(`\n[${index},`)
  if (at === -1) return null
  return arrivalOf(JSON.parse(lines.slice(at + 1, lines.indexOf('\n', at + 1))))
}

function arrivalOf(line: ArrivalLine): Arrival {
  const [, startedAtMs, status, lookup, connect, answer, total, ...rest] = line
  const [bodyStart, address, bodyBytes] = rest
  const ms = { lookup, connect, answer, total }
  const attempt: AttemptFacts = {
    startedAtMs,
    status,
    fault: null,
    ms,
    bodyStart,
    address,
    lane: 'first',
  }
  return { attempt, bodyBytes, doneAtMs: endOf(attempt) }
}

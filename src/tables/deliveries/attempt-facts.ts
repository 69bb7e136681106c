import type { EgressTimes } from '../../ports/egress.ts'
import type { Lane } from './delivery.ts'

export type AttemptFacts = {
  startedAtMs: number
  /** Null when no answer came. */
  status: number | null
  fault: string | null
  ms: EgressTimes
  bodyStart: string
  address: string | null
  queue: Lane
}

export type LastAttempt = Pick<AttemptFacts, 'status' | 'fault'> & { tookMs: number }

/**
 * An attempt as it is stored: most of them are never read. The facts that a list shows stand at
 * its end again, so that it need not read all that destinations have answered.
 */
type AttemptLine = [
  startedAtMs: number,
  status: number | null,
  lookupMs: number,
  /** With that of TLS in it where none is told, as versions before stored it. */
  connectMs: number,
  answerMs: number,
  totalMs: number,
  bodyStart: string,
  address: string | null,
  queue: Lane,
  fault?: string | null,
  tlsMs?: number,
  statusAgain?: number | null,
  totalMsAgain?: number,
]

/** At least as long as the short facts of an attempt. */
export const LINE_END_CHARS = 160

const NUMBER = String.raw`[\d.e+-]+`

/** From the queue to the end of a line; none of it is of others' making. */
const LINE_END = new RegExp(
  String.raw`"(?:new|retry|ordered|error)",(null|"\w*"),${NUMBER},(null|\d+),(${NUMBER})\]\n$`,
)

export function endOf({ startedAtMs, ms }: AttemptFacts): number {
  return startedAtMs + Math.round(ms.total)
}

/** Without a line break at its end; JSON writes those inside in other letters. */
export function lineOfAttempt(attempt: AttemptFacts): string {
  const { startedAtMs, status, fault, ms, bodyStart, address, queue } = attempt
  const { lookup, connect, tls, answer, total } = ms
  // Hot path: put together by hand, as an `AttemptLine` is in JSON.
  return (
    `[${startedAtMs},${status},${lookup},${connect},${answer},${total},` +
    `${bodyStart === '' ? '""' : JSON.stringify(bodyStart)},` +
    `${address === null ? null : `"${address}"`},"${queue}",` +
    `${fault === null ? null : JSON.stringify(fault)},${tls},${status},${total}]`
  )
}

/** Oldest first. */
export function attemptsIn(lines: string): AttemptFacts[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => attemptOf(JSON.parse(line)))
}

/**
 * The last attempt, from the end of all lines; null when there was none, or undefined where the
 * end does not tell, as those of versions before do not.
 */
export function lastAttemptIn(end: string): LastAttempt | null | undefined {
  if (end === '') return null
  const [, fault, status, total] = LINE_END.exec(end) ?? []
  if (fault === undefined || status === undefined) return undefined
  return { status: JSON.parse(status), tookMs: Number(total), fault: JSON.parse(fault) }
}

function attemptOf(line: AttemptLine): AttemptFacts {
  const [startedAtMs, status, lookup, connect, answer, total, ...rest] = line
  const [bodyStart, address, queue, fault = null, tls = 0] = rest
  const ms = { lookup, connect, tls, answer, total }
  return { startedAtMs, status, fault, ms, bodyStart, address, queue }
}

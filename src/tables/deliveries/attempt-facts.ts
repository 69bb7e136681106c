import type { Lane } from './delivery.ts'

/** How one attempt went, for the log. */
export type AttemptFacts = {
  startedAtMs: number
  /** Null when no answer came. */
  status: number | null
  fault: string | null
  ms: { lookup: number; connect: number; answer: number; total: number }
  /** The beginning of the answer. */
  bodyStart: string
  address: string | null
  /** In which lane it was picked. */
  queue: Lane
}

/** An attempt as it is stored: most of them are never read. */
type AttemptLine = [
  startedAtMs: number,
  status: number | null,
  lookupMs: number,
  connectMs: number,
  answerMs: number,
  totalMs: number,
  bodyStart: string,
  address: string | null,
  queue: Lane,
  fault?: string,
]

export function endOf({ startedAtMs, ms }: AttemptFacts): number {
  return startedAtMs + Math.round(ms.total)
}

/** Without a line break at its end; JSON writes those inside in other letters. */
export function lineOfAttempt(attempt: AttemptFacts): string {
  const { startedAtMs, status, fault, ms, bodyStart, address, queue } = attempt
  const { lookup, connect, answer, total } = ms
  // Hot path: put together by hand, as an `AttemptLine` is in JSON.
  return (
    `[${startedAtMs},${status},${lookup},${connect},${answer},${total},` +
    `${bodyStart === '' ? '""' : JSON.stringify(bodyStart)},` +
    `${address === null ? null : `"${address}"`},"${queue}"` +
    `${fault === null ? '' : `,${JSON.stringify(fault)}`}]`
  )
}

/** Oldest first. */
export function attemptsIn(lines: string): AttemptFacts[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => attemptOf(JSON.parse(line)))
}

function attemptOf(line: AttemptLine): AttemptFacts {
  const [startedAtMs, status, lookup, connect, answer, total, ...rest] = line
  const [bodyStart, address, queue, fault = null] = rest
  const ms = { lookup, connect, answer, total }
  return { startedAtMs, status, fault, ms, bodyStart, address, queue }
}

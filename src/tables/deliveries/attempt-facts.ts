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

export function endOf({ startedAtMs, ms }: AttemptFacts): number {
  return startedAtMs + Math.round(ms.total)
}

import { Rejection } from '../../../core/errors.ts'

/** Moments in [fromMs, toMs). */
export type MomentRange = { fromMs: number; toMs: number }

/** The range that is asked for; from its end back by `usualMs` where no beginning is named. */
export function readRange(
  { from, to }: { from: string | undefined; to: string | undefined },
  nowMs: number,
  usualMs: number,
): MomentRange | Rejection {
  const toMs = to === undefined ? nowMs + 1 : momentMs(to)
  if (Number.isNaN(toMs)) return new Rejection('validation', 'to is not a moment in time.')
  const fromMs = from === undefined ? toMs - usualMs : momentMs(from)
  if (Number.isNaN(fromMs)) return new Rejection('validation', 'from is not a moment in time.')
  if (fromMs >= toMs) return new Rejection('validation', 'from must be before to.')
  return { fromMs, toMs }
}

/** Milliseconds as they stand, or a date: with its zone, or a day, which begins in UTC. */
export function momentMs(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Date.parse(text)
}

import type { Clock } from '../../ports/clock.ts'
import { openDeadlines, UNCOUNTED_BYTES_MAX } from './request-bodies.ts'

type Needs = {
  clock: Pick<Clock, 'monotonicMs' | 'every'>
  /** From the end of the headers to the end of the body. */
  deadlineMs(): number
}

type SmallSender = { startedAtMs: number; client: { cut(): void } }

/**
 * The deadline for small bodies of calls, which their route reads by itself. Hot path: no
 * promise but that of the body, so a client that is too slow is disconnected without an answer.
 */
export type SmallBodies = {
  begun(sender: SmallSender): void
  ended(sender: SmallSender): void
}

export function openSmallBodies({ clock, deadlineMs }: Needs): SmallBodies {
  const isLate = ({ startedAtMs }: SmallSender, nowMs: number) =>
    nowMs >= startedAtMs + deadlineMs()
  const senders = openDeadlines(clock, isLate, ({ client }) => client.cut())
  return { begun: senders.add, ended: senders.remove }
}

export function isSmall(request: Request): boolean {
  const declared = request.headers.get('content-length')
  return declared !== null && Number(declared) <= UNCOUNTED_BYTES_MAX
}

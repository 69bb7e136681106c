import type { Clock } from '../../ports/clock.ts'
import { UNCOUNTED_BYTES_MAX } from './request-bodies.ts'

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

const LOOK_EVERY_MS = 1000

export function openSmallBodies({ clock, deadlineMs }: Needs): SmallBodies {
  // All have the same deadline, so the oldest comes first.
  const senders = new Set<SmallSender>()
  let stopLooking: (() => void) | null = null

  const look = () => {
    const nowMs = clock.monotonicMs()
    for (const sender of senders) {
      if (nowMs < sender.startedAtMs + deadlineMs()) return
      senders.delete(sender)
      sender.client.cut()
    }
    stopLooking?.()
    stopLooking = null
  }

  return {
    begun(sender) {
      senders.add(sender)
      stopLooking ??= clock.every(LOOK_EVERY_MS, look)
    },
    ended: (sender) => void senders.delete(sender),
  }
}

export function isSmall(request: Request): boolean {
  const declared = request.headers.get('content-length')
  return declared !== null && Number(declared) <= UNCOUNTED_BYTES_MAX
}

import type { Rejection } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'
import { notUtf8, UNCOUNTED_BYTES_MAX } from './request-bodies.ts'

type Needs = {
  clock: Pick<Clock, 'monotonicMs' | 'every'>
  /** From the end of the headers to the end of the body. */
  deadlineMs(): number
}

/** Who sends a small body, and since when. */
type SmallSender = { startedAtMs: number; client: { cut(): void } }

/**
 * The deadline for small bodies of calls, which their route reads by itself. Hot path: no
 * promise but that of the body, so whoever is too slow is not answered, but cut.
 */
export type SmallBodies = {
  begun(sender: SmallSender): void
  ended(sender: SmallSender): void
}

const LOOK_EVERY_MS = 1000

const BOM_BYTES = 3

export function openSmallBodies({ clock, deadlineMs }: Needs): SmallBodies {
  // All get the same time, so the oldest comes first.
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

/** The declared length of a body that is small by its own word; null: it may be large. */
export function smallLength(request: Request): number | null {
  const declared = request.headers.get('content-length')
  if (declared === null) return null
  const bytes = Number(declared)
  return bytes <= UNCOUNTED_BYTES_MAX ? bytes : null
}

/**
 * The text of a body that the runtime has decoded, refused where its bytes were no UTF-8: those
 * became U+FFFD, which has another length. Hot path: decoding by ourselves costs a tenth of a
 * call. One thing passes: of a character of four bytes the first three, which are as long as
 * the U+FFFD that they become.
 */
export function decodedText(text: string, bytes: number): string | Rejection {
  if (!text.includes('\uFFFD')) return text
  const found = Buffer.byteLength(text)
  // The runtime drops a byte order mark.
  return found === bytes || found === bytes - BOM_BYTES ? text : notUtf8()
}

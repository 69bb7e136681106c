import type { Clock } from '../../ports/clock.ts'
import { type ByteBodies, openRequestBodies } from '../edge/request-bodies.ts'

/** A delivery's result has up to 10 MB; this is what stands around it, and more. */
const BODY_BYTES_MAX = 12 * 1_048_576

/** Some large ones at once. */
const BYTES_MAX = 96 * 1_048_576

const DEADLINE_MS = 15_000

export function openInboxBodies(clock: Clock): ByteBodies {
  const limits = { bytesMax: BYTES_MAX, deadlineMs: DEADLINE_MS, bodyBytesMax: BODY_BYTES_MAX }
  return openRequestBodies({ clock, ...limits })
}

/** The number of blocks that a node has shown to answer eth_getLogs for at once. */
export type LogSpan = ReturnType<typeof newLogSpan>

/** Limits that vendors have, for nodes that refuse without a number. */
const USUAL_LIMITS = [
  1_000_000, 500_000, 100_000, 50_000, 20_000, 10_000, 5000, 3000, 2000, 1000, 800, 500, 250, 100,
  50, 25, 10, 5, 2, 1,
] as const

/** A limit counts double after this long, and so on: plans change, and refusals may be mistaken. */
const DOUBLES_EVERY_MS = 600_000
/** Doubled as often as this, a limit is none. */
const DOUBLINGS_MAX = 24

/** Its blocks are Infinity until it has refused a range. */
export function newLogSpan() {
  return { blocks: Number.POSITIVE_INFINITY, learnedAtMs: 0 }
}

export function spanNow({ blocks, learnedAtMs }: LogSpan, nowMs: number): number {
  if (blocks === Number.POSITIVE_INFINITY) return blocks
  const doublings = Math.floor((nowMs - learnedAtMs) / DOUBLES_EVERY_MS)
  return doublings > DOUBLINGS_MAX ? Number.POSITIVE_INFINITY : blocks * 2 ** doublings
}

/**
 * The node has refused so many blocks because they are so many; `said` is the limit that it
 * named. One block is never too many, so nobody can make a node look useless.
 */
export function learnSpan(
  span: LogSpan,
  refusedBlocks: number,
  said: number | null,
  nowMs: number,
): void {
  if (refusedBlocks <= 1) return
  const isNews = refusedBlocks <= spanNow(span, nowMs)
  if (!isNews && said === null) return
  span.blocks = said ?? lowerLimit(refusedBlocks)
  span.learnedAtMs = nowMs
}

export function lowerLimit(blocks: number): number {
  return USUAL_LIMITS.find((limit) => limit < blocks) ?? 1
}

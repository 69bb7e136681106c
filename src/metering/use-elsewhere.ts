/** Use of the month by other processes, which the ledger as last read may not have yet. */
export type UseElsewhere = {
  centiCu: number
  /** The same by the time it was heard of. */
  heard: { atMs: number; centiCu: number }[]
}

/** Use that is heard of within this time is kept as one. */
const SLOT_MS = 100

/** While the ledger cannot be read nothing is forgotten, and all that comes is kept as one. */
const SLOTS_MAX = 64

/**
 * After this time the ledger has it: it is written twice a second. Counting it twice until then
 * refuses a call too early, at the very end of a month's capacity; not at all, one too many.
 */
const WRITTEN_AFTER_MS = 1000

export function noUseElsewhere(): UseElsewhere {
  return { centiCu: 0, heard: [] }
}

export function noteUseElsewhere(use: UseElsewhere, centiCu: number, nowMs: number): void {
  if (centiCu === 0) return
  use.centiCu += centiCu
  const last = use.heard.at(-1)
  if (!last || (nowMs - last.atMs >= SLOT_MS && use.heard.length < SLOTS_MAX)) {
    use.heard.push({ atMs: nowMs, centiCu })
    return
  }
  last.centiCu += centiCu
  if (use.heard.length >= SLOTS_MAX) last.atMs = nowMs
}

/** Forgets what a look at the ledger, begun at that time, has seen. */
export function forgetWritten(use: UseElsewhere, readAtMs: number): void {
  while (use.heard.length > 0 && (use.heard[0]?.atMs ?? 0) + WRITTEN_AFTER_MS <= readAtMs) {
    use.centiCu -= use.heard.shift()?.centiCu ?? 0
  }
}

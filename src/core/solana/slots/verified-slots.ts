/** A moment at which what we hold is known to be what the ledger held. */
export type VerifiedSlot = {
  slot: number
  /** The ledger's own time then. */
  unixTimestamp: bigint
  /** When the ledger was asked for it. */
  takenAtMs: number
  /** Until when pages of it may be asked for; null while it is offered to those who begin. */
  keptUntilMs: number | null
  /** When it stopped being offered; reading cannot keep it alive for ever. */
  retiredAtMs: number | null
}

export type VerifiedSlots = ReturnType<typeof openVerifiedSlots>

/** A walk may take several times as long as one of its pages is kept, and no longer. */
const KEEP_FACTOR_MAX = 6

/** Half an hour of slots that never become final. */
const SLOTS_MAX = 1_000

/** The moments that can be shown, oldest first. */
export function openVerifiedSlots(keepMs: number) {
  let slots: VerifiedSlot[] = []

  const upTo = (slotMax: number) => slots.findLast(({ slot }) => slot <= slotMax) ?? null

  return {
    add(given: Pick<VerifiedSlot, 'slot' | 'unixTimestamp' | 'takenAtMs'>) {
      const last = slots.at(-1)
      if (last && last.slot >= given.slot) {
        if (last.slot === given.slot) last.takenAtMs = given.takenAtMs
        return
      }
      slots.push({ ...given, keptUntilMs: null, retiredAtMs: null })
      if (slots.length > SLOTS_MAX) slots.shift()
    },
    get newest(): VerifiedSlot | null {
      return slots.at(-1) ?? null
    },
    upTo,
    /** One that pages may still be asked of; reading it keeps it for those who read on. */
    read(slot: number, nowMs: number): VerifiedSlot | null {
      const found = slots.find((one) => one.slot === slot) ?? null
      if (found === null || found.retiredAtMs === null) return found
      const latestMs = found.retiredAtMs + KEEP_FACTOR_MAX * keepMs
      found.keptUntilMs = Math.max(found.keptUntilMs ?? 0, Math.min(nowMs + keepMs, latestMs))
      return found
    },
    /** Everything from this slot on has turned out to be of another fork, or incomplete. */
    dropFrom(slot: number) {
      slots = slots.filter((one) => one.slot < slot)
    },
    /** Forgets what nobody may ask for any more; returns the oldest slot that must be kept. */
    retire(finalSlot: number, nowMs: number): number | null {
      const offered = [slots.at(-1), upTo(finalSlot)]
      for (const one of slots) {
        // A slot that is not final yet will be offered again when it is.
        if (offered.includes(one) || one.slot > finalSlot || one.retiredAtMs !== null) continue
        one.retiredAtMs = nowMs
        one.keptUntilMs = nowMs + keepMs
      }
      slots = slots.filter(({ keptUntilMs }) => keptUntilMs === null || keptUntilMs > nowMs)
      return slots[0]?.slot ?? null
    },
  }
}

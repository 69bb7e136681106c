/** Successes and failures of the last seconds, one slot a second. */
export type RollingCounts = { ok: Float64Array; bad: Float64Array; slotAtS: number }

const SLOTS = 10

export function newCounts(): RollingCounts {
  return { ok: new Float64Array(SLOTS), bad: new Float64Array(SLOTS), slotAtS: 0 }
}

export function rates(counts: RollingCounts): { samples: number; errorRate: number } {
  let ok = 0
  let bad = 0
  for (let slot = 0; slot < SLOTS; slot++) {
    ok += counts.ok[slot] ?? 0
    bad += counts.bad[slot] ?? 0
  }
  const samples = ok + bad
  return { samples, errorRate: samples === 0 ? 0 : bad / samples }
}

/** Empties the slots of seconds gone by; returns that of now. */
export function turnSlots(counts: RollingCounts, nowMs: number): number {
  const nowS = Math.floor(nowMs / 1000)
  const passed = Math.min(SLOTS, nowS - counts.slotAtS)
  for (let step = 1; step <= passed; step++) {
    const slot = (counts.slotAtS + step) % SLOTS
    counts.ok[slot] = 0
    counts.bad[slot] = 0
  }
  if (passed > 0) counts.slotAtS = nowS
  return nowS % SLOTS
}

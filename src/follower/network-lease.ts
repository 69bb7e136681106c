import type { Clock } from '../ports/clock.ts'
import type { Database } from '../ports/database.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { releaseLease, takeLease } from '../tables/sql/leases.ts'

type Needs = { clock: Clock; database: Database; telemetry: Telemetry }

export type NetworkLease = {
  held(): boolean
  /** Lets another process follow at once. */
  release(): Promise<void>
}

/** A process that died is replaced after this long. */
const LEASE_MS = 10_000
const RENEW_EVERY_MS = 3_000
/** Given up before it lapses, as clocks differ and a commit takes its time. */
const SAFETY_MS = 2_000

/**
 * Lets one process follow a network, so that blocks are not read and evaluated twice. It is
 * no more than courtesy, as clocks differ: what keeps events single is the condition in their
 * transaction. `renewed` is told each time, and whether it was not held before.
 */
export function holdLease(
  needs: Needs,
  network: string,
  holder: string,
  renewed: (isGained: boolean) => void,
): NetworkLease {
  const { clock, database, telemetry } = needs
  const name = `follower:${network}`
  let heldUntilMs = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | null = null
  const held = () => clock.monotonicMs() < heldUntilMs

  const ask = async () => {
    const askedAtMs = clock.monotonicMs()
    const nowMs = clock.nowMs()
    try {
      const before = held()
      const mine = await takeLease(database, name, holder, nowMs, nowMs + LEASE_MS)
      heldUntilMs = mine ? askedAtMs + LEASE_MS - SAFETY_MS : Number.NEGATIVE_INFINITY
      if (mine) renewed(!before)
    } catch {
      telemetry.count('headgate_store_failures_total', { part: 'lease' })
    }
    asking = null
  }
  const renew = () => {
    asking ??= ask()
  }

  renew()
  const stop = clock.every(RENEW_EVERY_MS, renew)
  return {
    held,
    async release() {
      stop()
      await asking
      heldUntilMs = Number.NEGATIVE_INFINITY
      await releaseLease(database, name, holder).catch(() => {})
    },
  }
}

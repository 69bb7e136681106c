import type { World } from '../../ports/world.ts'

/**
 * Shows operators, and whoever starts more couriers, how long the oldest delivery of each network
 * has waited for this process. Sweeps tell of it a page at a time, so it costs no question of
 * its own, and is as old as a round of them.
 */
export type OldestWaiting = ReturnType<typeof openOldestWaiting>

type Ages = { lastRound: number; thisRound: number; forget(): void }

const NEVER = Number.POSITIVE_INFINITY

export function openOldestWaiting({ clock, telemetry }: World) {
  const byNetwork = new Map<string, Ages>()

  const add = (network: string): Ages => {
    const read = () => {
      const sinceMs = Math.min(ages.lastRound, ages.thisRound)
      // Clocks of processes differ, and a delivery may have been committed by another.
      return sinceMs === NEVER ? 0 : Math.max(0, clock.nowMs() - sinceMs) / 1000
    }
    const forget = telemetry.gauge('headgate_oldest_waiting_delivery_seconds', { network }, read)
    const ages: Ages = { lastRound: NEVER, thisRound: NEVER, forget }
    byNetwork.set(network, ages)
    return ages
  }

  return {
    note(network: string, sinceMs: number) {
      const ages = byNetwork.get(network) ?? add(network)
      ages.thisRound = Math.min(ages.thisRound, sinceMs)
    },
    /** All that wait have been looked at: what is not noted any more waits no more. */
    roundEnded() {
      for (const ages of byNetwork.values()) {
        ages.lastRound = ages.thisRound
        ages.thisRound = NEVER
      }
    },
    stop() {
      for (const { forget } of byNetwork.values()) forget()
    },
  }
}

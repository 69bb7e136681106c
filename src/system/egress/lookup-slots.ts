import type { Clock } from '../../ports/clock.ts'

type Waiter = { settle(hasSlot: boolean): void; cancel(): void }

type Share = { taken: number; waiting: Waiter[] }

/** Each slot holds a query open. More at once would be an attack on name servers. */
const SLOTS_MAX = 1024

/** A team whose name servers are dead fills these slots, and only its own lookups wait. */
const TEAM_SLOTS_MAX = 64

/** More lookups would wait for nothing: their time is over before it is their turn. */
const TEAM_WAITING_MAX = 1000

const WAIT_MS_MAX = 3000

export function openLookupSlots(clock: Clock) {
  const shares = new Map<string, Share>()
  let taken = 0

  // The first slot of a team is beyond the limit of all, so that no crowd locks a team out.
  const hasFree = (share: Share) =>
    share.taken === 0 || (share.taken < TEAM_SLOTS_MAX && taken < SLOTS_MAX)

  const shareOf = (team: string): Share => {
    const known = shares.get(team)
    if (known) return known
    const share = { taken: 0, waiting: [] }
    shares.set(team, share)
    return share
  }

  const take = (share: Share) => {
    share.taken += 1
    taken += 1
  }

  const dropIfIdle = (team: string, share: Share) => {
    if (share.taken === 0 && share.waiting.length === 0) shares.delete(team)
  }

  const grantNext = (share: Share): boolean => {
    if (!hasFree(share)) return false
    const next = share.waiting.shift()
    if (!next) return false
    take(share)
    next.cancel()
    next.settle(true)
    return true
  }

  return {
    /** True when the team has a slot now; it gives it back with `release`. */
    tryAcquire(team: string): boolean {
      const share = shareOf(team)
      if (share.waiting.length > 0 || !hasFree(share)) return false
      take(share)
      return true
    },
    /** True once the team has a slot, false when none came in time. */
    acquire(team: string): Promise<boolean> {
      const share = shareOf(team)
      if (share.waiting.length >= TEAM_WAITING_MAX) return Promise.resolve(false)
      return new Promise<boolean>((settle) => {
        const giveUp = () => {
          share.waiting.splice(share.waiting.indexOf(waiter), 1)
          dropIfIdle(team, share)
          settle(false)
        }
        const waiter: Waiter = { settle, cancel: clock.after(WAIT_MS_MAX, giveUp) }
        share.waiting.push(waiter)
      })
    },
    release(team: string) {
      const share = shareOf(team)
      share.taken -= 1
      taken -= 1
      if (grantNext(share)) return
      dropIfIdle(team, share)
      // The slot belongs to all: others may have waited because all slots were taken.
      for (const other of shares.values()) if (grantNext(other)) return
    },
  }
}

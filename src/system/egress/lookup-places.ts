import type { Clock } from '../../ports/clock.ts'

type Needs = { clock: Clock }

/** Places for lookups under way, shared out among teams. */
export type LookupPlaces = {
  /** True when the team has a place now; it gives it back with `leave`. */
  take(team: string): boolean
  /** True once the team has a place, false when none came in time. */
  wait(team: string): Promise<boolean>
  leave(team: string): void
}

type Waiter = { settle(hasPlace: boolean): void; cancel(): void }

type Share = { taken: number; waiting: Waiter[] }

/** Each holds a query open. More at once are no deliveries but an attack on name servers. */
const PLACES_MAX = 1024

/** A team whose name servers are dead fills these, and only its own lookups wait for them. */
const TEAM_PLACES_MAX = 64

/** More wait for nothing: their time is over before it is their turn. */
const TEAM_WAITING_MAX = 1000

const WAIT_MS_MAX = 3000

export function openLookupPlaces({ clock }: Needs): LookupPlaces {
  const shares = new Map<string, Share>()
  let taken = 0

  // The first place of a team is beyond the limit of all, so that no crowd locks a team out.
  const mayEnter = (share: Share) =>
    share.taken === 0 || (share.taken < TEAM_PLACES_MAX && taken < PLACES_MAX)

  const shareOf = (team: string): Share => {
    const known = shares.get(team)
    if (known) return known
    const share = { taken: 0, waiting: [] }
    shares.set(team, share)
    return share
  }

  const enter = (share: Share) => {
    share.taken += 1
    taken += 1
  }

  const forgetIdle = (team: string, share: Share) => {
    if (share.taken === 0 && share.waiting.length === 0) shares.delete(team)
  }

  const admit = (share: Share): boolean => {
    if (!mayEnter(share)) return false
    const next = share.waiting.shift()
    if (!next) return false
    enter(share)
    next.cancel()
    next.settle(true)
    return true
  }

  return {
    take(team) {
      const share = shareOf(team)
      if (share.waiting.length > 0 || !mayEnter(share)) return false
      enter(share)
      return true
    },
    wait(team) {
      const share = shareOf(team)
      if (share.waiting.length >= TEAM_WAITING_MAX) return Promise.resolve(false)
      return new Promise<boolean>((settle) => {
        const giveUp = () => {
          share.waiting.splice(share.waiting.indexOf(waiter), 1)
          forgetIdle(team, share)
          settle(false)
        }
        const waiter: Waiter = { settle, cancel: clock.after(WAIT_MS_MAX, giveUp) }
        share.waiting.push(waiter)
      })
    },
    leave(team) {
      const share = shareOf(team)
      share.taken -= 1
      taken -= 1
      if (admit(share)) return
      forgetIdle(team, share)
      // The place belongs to all: it may have been the limit of all that others waited for.
      for (const other of shares.values()) if (admit(other)) return
    },
  }
}

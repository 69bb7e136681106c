import { openSingleFlight } from '../../core/async/single-flight.ts'
import { within } from '../../core/async/within.ts'
import { Failure, Rejection } from '../../core/errors.ts'
import { openTwoGenerationMap } from '../../core/two-generation-map.ts'
import type { Clock } from '../../ports/clock.ts'

type Needs<Found> = {
  clock: Clock
  read(name: string): Promise<Found | Rejection>
  /** False where it may not even be served as last known. */
  mayServeLast?(last: Found): boolean
}

/** Rows that were looked up in the tables of accounts, by some name, until those change. */
export type AccountLookUps<Found> = {
  /** Hot path: answers at once, without a promise, for a name seen before. */
  find(name: string): Found | Rejection | Promise<Found | Rejection>
  forget(): void
  /** True when something is served as last known, and may have been changed since. */
  isStale(): boolean
}

/** Served on while the database is away, in each of two generations. */
const LAST_KNOWN_MAX = 50_000

/** Wrong names that are cached; guessing more only makes us look again. */
const WRONG_MAX = 10_000

/** A caller that was known does not wait longer for the database. */
const KNOWN_MS_MAX = 200

/** Times that a name is looked up anew because something changed meanwhile. */
const LOOKS_AGAIN_MAX = 2

export function openAccountLookUps<Found>(needs: Needs<Found>): AccountLookUps<Found> {
  const remembered = openRemembered<Found>()
  /** Counts invalidations, so that a look-up begun before one is not cached after it. */
  let generation = 0
  const stale = new Set<string>()
  const lookUps = openSingleFlight<Found | Rejection>(() => needs.clock.monotonicMs())

  const lookUp = async (name: string, looksLeft: number): Promise<Found | Rejection> => {
    const startedIn = generation
    const found = await readOrLast(name, startedIn)
    // Read before a change, it may not be kept; but whoever was served must be known from then on.
    const isLast = looksLeft === 0 || stale.has(name)
    if (startedIn !== generation) return isLast ? found : lookUp(name, looksLeft - 1)
    remembered.keep(name, found)
    return found
  }

  /** A name that was known is served as last known when the database fails or is slow. */
  const readOrLast = async (name: string, startedIn: number): Promise<Found | Rejection> => {
    const reading = needs.read(name)
    const last = remembered.last(name)
    if (last === undefined || needs.mayServeLast?.(last) === false) return reading
    const asLastKnown = () => {
      stale.add(name)
      return last
    }
    const readOrFailed = reading.catch((thrown) => {
      if (!(thrown instanceof Failure)) throw thrown
      return asLastKnown()
    })
    return within(needs.clock, KNOWN_MS_MAX, readOrFailed, () => {
      const late = (found: Found | Rejection) => {
        if (startedIn !== generation) return
        stale.delete(name)
        remembered.keep(name, found)
      }
      reading.then(late, () => {})
      return asLastKnown()
    })
  }

  /** A change has everyone looked up again: those who ask for one name at once share that. */
  const lookUpOnce = (name: string): Promise<Found | Rejection> => {
    const looking = lookUps.start(name, generation, () => lookUp(name, LOOKS_AGAIN_MAX))
    const finish = () => lookUps.finish(name, looking)
    looking.then(finish, finish)
    return looking
  }

  return {
    find: (name) => remembered.get(name) ?? lookUps.join(name, generation) ?? lookUpOnce(name),
    forget() {
      remembered.forget()
      stale.clear()
      generation++
    },
    isStale: () => stale.size > 0,
  }
}

function openRemembered<Found>() {
  let known = new Map<string, Found>()
  let wrong = new Map<string, Rejection>()
  /** Outlives changes: read only when a name that was known cannot be looked up again. */
  const lastKnown = openTwoGenerationMap<string, Found>({ weightMax: LAST_KNOWN_MAX })

  return {
    get: (name: string) => known.get(name) ?? wrong.get(name),
    last: (name: string) => lastKnown.get(name),
    keep(name: string, found: Found | Rejection) {
      if (!(found instanceof Rejection)) {
        lastKnown.set(name, found)
        known.set(name, found)
        return
      }
      lastKnown.delete(name)
      known.delete(name)
      if (wrong.size < WRONG_MAX) wrong.set(name, found)
      else wrong = new Map()
    },
    forget() {
      known = new Map()
      wrong = new Map()
    },
  }
}

import { Failure, Rejection } from '../../core/errors.ts'
import { openTwoGenerationMap } from '../../core/two-generation-map.ts'
import type { Clock } from '../../ports/clock.ts'
import { openSingleFlight } from '../../upstream/answers/single-flight.ts'

type Needs<Found> = {
  clock: Clock
  /** Finds in the database what has this name. */
  read(name: string): Promise<Found | Rejection>
  /** False where it may not even be served as last known. */
  mayServeLast?(last: Found): boolean
}

/** Rows that were looked up in the tables of accounts, by some name, until those change. */
export type AccountLookUps<Found> = {
  /** Hot path: answers at once, without a promise, for a name seen before. */
  find(name: string): Found | Rejection | Promise<Found | Rejection>
  /** Looks every name up anew, as after a change. */
  forget(): void
  /** True when something is served as last known, and may have been changed since. */
  isStale(): boolean
}

/** Served on while the database is away, in each of two generations. */
const LAST_KNOWN_MAX = 50_000

/** Wrong names that are cached; guessing more only makes us look again. */
const WRONG_MAX = 10_000

/** Times that a name is looked up anew because something changed meanwhile. */
const LOOKS_AGAIN_MAX = 2

export function openAccountLookUps<Found>(needs: Needs<Found>): AccountLookUps<Found> {
  let known = new Map<string, Found>()
  let wrong = new Map<string, Rejection>()
  /** Counts invalidations, so that a look-up begun before one is not cached after it. */
  let generation = 0
  /** Outlives invalidations: read only when a name that was known cannot be looked up again. */
  const lastKnown = openTwoGenerationMap<string, Found>({ weightMax: LAST_KNOWN_MAX })
  let isStale = false
  const lookUps = openSingleFlight<Found | Rejection>(() => needs.clock.monotonicMs())

  const lookUp = async (name: string, looksLeft: number): Promise<Found | Rejection> => {
    const startedIn = generation
    const found = await needs.read(name).catch((thrown) => {
      const last = thrown instanceof Failure ? lastKnown.get(name) : undefined
      if (last === undefined || needs.mayServeLast?.(last) === false) throw thrown
      isStale = true
      return last
    })
    // Read before a change, it may not be kept; but whoever was served must be known from then on.
    if (startedIn !== generation) return looksLeft === 0 ? found : lookUp(name, looksLeft - 1)
    if (found instanceof Rejection) {
      lastKnown.delete(name)
      if (wrong.size < WRONG_MAX) wrong.set(name, found)
      else wrong = new Map()
    } else {
      lastKnown.set(name, found)
      known.set(name, found)
    }
    return found
  }

  /** A change has everyone looked up again: those who ask for one name at once share that. */
  const lookUpOnce = (name: string): Promise<Found | Rejection> => {
    const looking = lookUps.start(name, generation, () => lookUp(name, LOOKS_AGAIN_MAX))
    const finish = () => lookUps.finish(name, looking)
    looking.then(finish, finish)
    return looking
  }

  return {
    find: (name) =>
      known.get(name) ?? wrong.get(name) ?? lookUps.join(name, generation) ?? lookUpOnce(name),
    forget() {
      known = new Map()
      wrong = new Map()
      generation++
      isStale = false
    },
    isStale: () => isStale,
  }
}

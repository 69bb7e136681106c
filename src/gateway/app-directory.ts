import { Failure, Rejection } from '../core/errors.ts'
import { openTwoGenerationMap } from '../core/two-generation-map.ts'
import type { Clock } from '../ports/clock.ts'
import type { Signals } from '../ports/signals.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { readRevision } from '../tables/sql/revisions.ts'
import { openSingleFlight } from '../upstream/answers/single-flight.ts'
import { type Caller, type CallerSource, readCaller, unknownKey } from './read-caller.ts'

type Needs = CallerSource & { clock: Clock; signals: Signals; telemetry: Telemetry }

export type AppDirectory = {
  /** Hot path: answers at once, without a promise, for a key seen before. */
  find(key: string): Caller | Rejection | Promise<Caller | Rejection>
  /** Looks every key up anew, as after a change. */
  forget(): void
  stop(): void
}

/** Signals are hints; this look finds what they lost, well within the promised second. */
const LOOK_EVERY_MS = 400

/** Callers that are served on while the database is away, in each of two generations. */
const LAST_KNOWN_MAX = 50_000

/** Wrong keys that are cached; guessing more only makes us look again. */
const WRONG_KEYS_MAX = 10_000

/** Twice what a key has. A longer text is none and not worth its place among the wrong ones. */
const KEY_CHARS_MAX = 64

/** Times that a key is looked up anew because something changed meanwhile. */
const LOOKS_AGAIN_MAX = 2

const ACCOUNTS_CHANGED = 'accounts'

export function openAppDirectory(needs: Needs): AppDirectory {
  let known = new Map<string, Caller>()
  let wrong = new Map<string, Rejection>()
  let revision = -1
  /** Counts invalidations, so that a look-up begun before one is not cached after it. */
  let generation = 0
  /** Outlives invalidations: read only when a key that was known cannot be looked up again. */
  const lastKnown = openTwoGenerationMap<string, Caller>({ weightMax: LAST_KNOWN_MAX })
  /** True when some caller is served as last known, and may have been changed since. */
  let isStale = false
  const lookUps = openSingleFlight<Caller | Rejection>(() => needs.clock.monotonicMs())

  const forget = () => {
    known = new Map()
    wrong = new Map()
    generation++
    isStale = false
  }

  const look = async () => {
    try {
      const now = await readRevision(needs.database, ACCOUNTS_CHANGED)
      if (now !== revision || isStale) forget()
      revision = now
    } catch {
      // While the database is away, known callers are still served.
      needs.telemetry.count('headgate_directory_look_failures_total', {})
    }
  }

  const lookUp = async (key: string, looksLeft: number): Promise<Caller | Rejection> => {
    if (key.length > KEY_CHARS_MAX) return unknownKey()
    const startedIn = generation
    const found = await readCaller(needs, key).catch((thrown) => {
      const last = thrown instanceof Failure ? lastKnown.get(key) : undefined
      if (!last || (last.isDemo && !needs.demoKey())) throw thrown
      isStale = true
      return last
    })
    // Read before a change, it may not be kept; but whoever was served must be known from then on.
    if (startedIn !== generation) return looksLeft === 0 ? found : lookUp(key, looksLeft - 1)
    if (found instanceof Rejection) {
      lastKnown.delete(key)
      if (wrong.size < WRONG_KEYS_MAX) wrong.set(key, found)
      else wrong = new Map()
    } else {
      lastKnown.set(key, found)
      known.set(key, found)
    }
    return found
  }

  /** A change has everyone looked up again: those who call with one key at once share that. */
  const lookUpOnce = (key: string): Promise<Caller | Rejection> => {
    const looking = lookUps.start(key, generation, () => lookUp(key, LOOKS_AGAIN_MAX))
    const finish = () => lookUps.finish(key, looking)
    looking.then(finish, finish)
    return looking
  }

  const stopLooking = needs.clock.every(LOOK_EVERY_MS, () => void look())
  const stopHearing = needs.signals.subscribe(ACCOUNTS_CHANGED, () => void look())
  return {
    find: (key) =>
      known.get(key) ?? wrong.get(key) ?? lookUps.join(key, generation) ?? lookUpOnce(key),
    forget,
    stop() {
      stopLooking()
      stopHearing()
    },
  }
}

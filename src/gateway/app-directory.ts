import type { App } from '../core/app.ts'
import { Failure, Rejection } from '../core/errors.ts'
import { hashKey } from '../core/hash-key.ts'
import type { SpendGuard } from '../metering/spend-guard.ts'
import type { TeamAccount } from '../metering/team-account.ts'
import type { Clock } from '../ports/clock.ts'
import type { Database } from '../ports/database.ts'
import type { Signals } from '../ports/signals.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { findAppByKeyHash } from '../tables/accounts/apps.ts'
import { readRevision } from '../tables/sql/revisions.ts'

/** A caller: the app behind a key and the account that pays. */
export type Caller = { app: App; account: TeamAccount; isDemo: boolean }

/** A caller that was found, and the generation in which that was last confirmed. */
type Known = { caller: Caller; generation: number }

type Needs = {
  clock: Clock
  database: Database
  signals: Signals
  telemetry: Telemetry
  guard: SpendGuard
  /** True when the key `demo` is served. */
  demoKey(): boolean
}

export type AppDirectory = {
  /** Hot path: answers at once, without a promise, for a key seen before. */
  find(key: string): Caller | Rejection | Promise<Caller | Rejection>
  /** Looks every key up anew, as after a change. */
  forget(): void
  stop(): void
}

/** Signals are hints; this look finds what they lost, well within the promised second. */
const LOOK_EVERY_MS = 400

/** Wrong keys that are cached; guessing more only makes us look again. */
const WRONG_KEYS_MAX = 10_000

/** Twice what a key has. A longer text is none and not worth its place among the wrong ones. */
const KEY_CHARS_MAX = 64

const ACCOUNTS_CHANGED = 'accounts'
const DEMO_KEY = 'demo'

export function openAppDirectory(needs: Needs): AppDirectory {
  const known = new Map<string, Known>()
  let wrong = new Map<string, Rejection>()
  let revision = -1
  /** Counts invalidations: a caller of an earlier one is looked up again before it is served. */
  let generation = 0
  /** True when a caller was served whose last change could not be read. */
  let isBlind = false

  const forget = () => {
    wrong = new Map()
    generation++
    isBlind = false
  }

  const look = async () => {
    try {
      const now = await readRevision(needs.database, ACCOUNTS_CHANGED)
      if (now !== revision || isBlind) forget()
      revision = now
    } catch {
      // While the database is away, known callers are still served.
      needs.telemetry.count('headgate_directory_look_failures_total', {})
    }
  }

  /** The caller as last known, where a change was heard of but the database is away. */
  const lastKnown = (key: string): Caller | null => {
    const last = known.get(key)
    if (!last || (last.caller.isDemo && !needs.demoKey())) return null
    last.generation = generation
    isBlind = true
    return last.caller
  }

  const lookUp = async (key: string): Promise<Caller | Rejection> => {
    if (key.length > KEY_CHARS_MAX) return unknownKey()
    const startedIn = generation
    let found: Caller | Rejection
    try {
      found = key === DEMO_KEY && needs.demoKey() ? await demo(needs) : await read(needs, key)
    } catch (thrown) {
      const last = thrown instanceof Failure ? lastKnown(key) : null
      if (last) return last
      throw thrown
    }
    // One begun before an invalidation is not cached after it.
    if (startedIn !== generation) return found
    if (!(found instanceof Rejection)) known.set(key, { caller: found, generation })
    else {
      known.delete(key)
      if (wrong.size >= WRONG_KEYS_MAX) wrong = new Map()
      else wrong.set(key, found)
    }
    return found
  }

  const stopLooking = needs.clock.every(LOOK_EVERY_MS, () => void look())
  const stopHearing = needs.signals.subscribe(ACCOUNTS_CHANGED, () => void look())
  return {
    find(key) {
      const last = known.get(key)
      if (last?.generation === generation) return last.caller
      return wrong.get(key) ?? lookUp(key)
    },
    forget,
    stop() {
      stopLooking()
      stopHearing()
    },
  }
}

async function read(needs: Needs, key: string): Promise<Caller | Rejection> {
  const found = await findAppByKeyHash(needs.database, hashKey(key))
  if (!found) return unknownKey()
  return { app: found.app, account: await needs.guard.open(found.team), isDemo: false }
}

function unknownKey(): Rejection {
  return new Rejection('unauthorized', 'Must be authenticated!')
}

/** The demo app has every network, the free tier, and no row: it cannot be changed or deleted. */
async function demo(needs: Needs): Promise<Caller> {
  const team = { id: 'team_demo', name: 'Demo', tier: 'free', autoscaling: false, createdAtMs: 0 }
  const app: App = {
    id: 'app_demo',
    teamId: team.id,
    name: 'Demo',
    description: '',
    networks: [],
    isActive: true,
    createdAtMs: 0,
  }
  return { app, account: await needs.guard.open(team), isDemo: true }
}

import type { KeyObject } from 'node:crypto'
import { type AccessRules, compileAccessRules } from '../core/access/access-rules.ts'
import { hashKey } from '../core/access/hash-key.ts'
import { type App, NO_LISTS } from '../core/app.ts'
import { openSingleFlight } from '../core/async/single-flight.ts'
import { within } from '../core/async/within.ts'
import type { Team } from '../core/billing/plan.ts'
import { Failure, Rejection } from '../core/errors.ts'
import { openTwoGenerationMap } from '../core/two-generation-map.ts'
import type { SpendGuard } from '../metering/spend-guard.ts'
import type { TeamAccount } from '../metering/team-account.ts'
import type { Clock } from '../ports/clock.ts'
import type { Database } from '../ports/database.ts'
import type { World } from '../ports/world.ts'
import { findAppAndTeam, findAppByKeyHash } from '../tables/accounts/apps.ts'
import { findJwtKey, type JwtAlgorithm } from '../tables/accounts/jwt-keys.ts'
import { readRevision } from '../tables/sql/revisions.ts'
import { openJwtKey } from './jwt-key.ts'

export type Caller = { app: App; account: TeamAccount; isDemo: boolean; rules: AccessRules | null }

export type JwtSigner = { teamId: string; algorithm: JwtAlgorithm; key: KeyObject }

type Found<Value> = Value | Rejection | Promise<Value | Rejection>

export type AppDirectory = ReturnType<typeof openAppDirectory>

type LookUpNeeds<Row> = {
  clock: Clock
  read(name: string): Promise<Row | Rejection>
  /** False where it may not even be served as last known. */
  mayServeLast?(last: Row): boolean
}

/** Signals are hints; this look finds what they lost, well within the promised second. */
const LOOK_EVERY_MS = 400

/** Twice what a key has. A longer text is none and not worth its place among the wrong ones. */
const KEY_CHARS_MAX = 64

const ACCOUNTS_CHANGED = 'accounts'

/** Stands in no id. */
const BETWEEN_IDS = ' '

const DEMO_KEY = 'demo'

/** Served on while the database is away, in each of two generations. */
const LAST_KNOWN_MAX = 50_000

/** Wrong names that are cached; guessing more only makes us look again. */
const WRONG_MAX = 10_000

/** A caller that was known does not wait longer for the database. */
const KNOWN_MS_MAX = 200

/** Times that a name is looked up anew because something changed meanwhile. */
const LOOKS_AGAIN_MAX = 2

/** `demoKey` is true while the key `demo` is served. */
export function openAppDirectory(world: World, guard: SpendGuard, demoKey: () => boolean) {
  const { clock, database, signals, telemetry } = world
  const keys = openAccountLookUps<Caller>({
    clock,
    async read(key) {
      if (key === DEMO_KEY && demoKey()) return demo(guard)
      return callerOf(guard, await findAppByKeyHash(database, hashKey(key)))
    },
    mayServeLast: (last) => !last.isDemo || demoKey(),
  })
  const apps = openAccountLookUps<Caller>({
    clock,
    async read(name) {
      const [teamId = '', appId = ''] = name.split(BETWEEN_IDS)
      return callerOf(guard, await findAppAndTeam(database, teamId, appId))
    },
  })
  const signers = openAccountLookUps<JwtSigner>({ clock, read: (id) => readSigner(database, id) })
  const all = [keys, apps, signers]
  let revision = -1

  const forget = () => {
    for (const lookUps of all) lookUps.forget()
  }

  const look = async () => {
    try {
      const now = await readRevision(database, ACCOUNTS_CHANGED)
      if (now !== revision || all.some((lookUps) => lookUps.isStale())) forget()
      revision = now
    } catch {
      // While the database is away, known callers are still served.
      telemetry.count('headgate_directory_look_failures_total', {})
    }
  }

  const stopLooking = clock.every(LOOK_EVERY_MS, () => void look())
  const stopHearing = signals.subscribe(ACCOUNTS_CHANGED, () => void look())
  return {
    /** Hot path: answers at once, without a promise, for a key seen before. */
    find: (key: string): Found<Caller> =>
      key.length > KEY_CHARS_MAX ? unknownKey() : keys.find(key),
    /** The same for an app that is named by a caller who may speak for its team. */
    findApp: (teamId: string, appId: string) => apps.find(teamId + BETWEEN_IDS + appId),
    findSigner: signers.find,
    forget,
    stop(): void {
      stopLooking()
      stopHearing()
    },
  }
}

/** Rows that were looked up in the tables of accounts, by some name, until those change. */
function openAccountLookUps<Row>(needs: LookUpNeeds<Row>) {
  const remembered = openRemembered<Row>()
  /** Counts invalidations, so that a look-up begun before one is not cached after it. */
  let generation = 0
  const stale = new Set<string>()
  const lookUps = openSingleFlight<Row | Rejection>(() => needs.clock.monotonicMs())

  const lookUp = async (name: string, looksLeft: number): Promise<Row | Rejection> => {
    const startedIn = generation
    const found = await readOrLast(name, startedIn)
    // Read before a change, it may not be kept; but whoever was served must be known from then on.
    const isLast = looksLeft === 0 || stale.has(name)
    if (startedIn !== generation) return isLast ? found : lookUp(name, looksLeft - 1)
    remembered.keep(name, found)
    return found
  }

  /** A name that was known is served as last known when the database fails or is slow. */
  const readOrLast = async (name: string, startedIn: number): Promise<Row | Rejection> => {
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
      const late = (found: Row | Rejection) => {
        if (startedIn !== generation) return
        stale.delete(name)
        remembered.keep(name, found)
      }
      reading.then(late, () => {})
      return asLastKnown()
    })
  }

  /** A change has everyone looked up again: those who ask for one name at once share that. */
  const lookUpOnce = (name: string): Promise<Row | Rejection> => {
    const startedIn = generation
    const looking = lookUp(name, LOOKS_AGAIN_MAX)
    lookUps.add(name, startedIn, looking)
    const finish = () => lookUps.finish(name, looking)
    looking.then(finish, finish)
    return looking
  }

  return {
    /** Hot path: answers at once, without a promise, for a name seen before. */
    find: (name: string): Found<Row> =>
      remembered.get(name) ?? lookUps.join(name, generation) ?? lookUpOnce(name),
    forget(): void {
      remembered.forget()
      stale.clear()
      generation++
    },
    /** True when something is served as last known, and may have been changed since. */
    isStale: () => stale.size > 0,
  }
}

function openRemembered<Row>() {
  let known = new Map<string, Row>()
  let wrong = new Map<string, Rejection>()
  /** Outlives changes: read only when a name that was known cannot be looked up again. */
  const lastKnown = openTwoGenerationMap<string, Row>({ weightMax: LAST_KNOWN_MAX })

  return {
    get: (name: string) => known.get(name) ?? wrong.get(name),
    last: (name: string) => lastKnown.get(name),
    keep(name: string, found: Row | Rejection) {
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

async function readSigner(database: Database, id: string): Promise<JwtSigner | Rejection> {
  const found = await findJwtKey(database, id)
  if (!found) return unknownKey()
  const { teamId, algorithm } = found
  return { teamId, algorithm, key: openJwtKey(found.publicKey) }
}

export function unknownKey(): Rejection {
  return new Rejection('unauthorized', 'Must be authenticated!')
}

async function callerOf(
  guard: SpendGuard,
  found: { app: App; team: Team } | null,
): Promise<Caller | Rejection> {
  if (!found) return unknownKey()
  const { app, team } = found
  const account = await guard.open(team)
  return { app, account, isDemo: false, rules: compileAccessRules(app.allow) }
}

/** The demo app has every network, the free tier, and no row: it cannot be changed or deleted. */
async function demo(guard: SpendGuard): Promise<Caller> {
  const team = { id: 'team_demo', name: 'Demo', tier: 'free', autoscaling: false, createdAtMs: 0 }
  const app: App = {
    id: 'app_demo',
    teamId: team.id,
    name: 'Demo',
    description: '',
    networks: [],
    isActive: true,
    allow: NO_LISTS,
    createdAtMs: 0,
  }
  return { app, account: await guard.open(team), isDemo: true, rules: null }
}

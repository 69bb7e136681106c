import type { Rejection } from '../core/errors.ts'
import type { SpendGuard } from '../metering/spend-guard.ts'
import type { World } from '../ports/world.ts'
import { readRevision } from '../tables/sql/revisions.ts'
import { openAccountLookUps } from './access/account-look-ups.ts'
import {
  type Caller,
  type JwtSigner,
  readApp,
  readCaller,
  readSigner,
  unknownKey,
} from './read-caller.ts'

type Found<Value> = Value | Rejection | Promise<Value | Rejection>

export type AppDirectory = {
  /** Hot path: answers at once, without a promise, for a key seen before. */
  find(key: string): Found<Caller>
  /** The same for an app that is named by somebody who may speak for its team. */
  findApp(teamId: string, appId: string): Found<Caller>
  findSigner(keyId: string): Found<JwtSigner>
  forget(): void
  stop(): void
}

/** Signals are hints; this look finds what they lost, well within the promised second. */
const LOOK_EVERY_MS = 400

/** Twice what a key has. A longer text is none and not worth its place among the wrong ones. */
const KEY_CHARS_MAX = 64

const ACCOUNTS_CHANGED = 'accounts'

/** Stands in no id. */
const BETWEEN_IDS = ' '

/** `demoKey` is true while the key `demo` is served. */
export function openAppDirectory(
  world: World,
  guard: SpendGuard,
  demoKey: () => boolean,
): AppDirectory {
  const { clock, database, signals, telemetry } = world
  const source = { database, guard, demoKey }
  const keys = openAccountLookUps<Caller>({
    clock,
    read: (key) => readCaller(source, key),
    mayServeLast: (last) => !last.isDemo || demoKey(),
  })
  const apps = openAccountLookUps<Caller>({
    clock,
    read: (name) => {
      const [teamId = '', appId = ''] = name.split(BETWEEN_IDS)
      return readApp(source, teamId, appId)
    },
  })
  const signers = openAccountLookUps<JwtSigner>({ clock, read: (id) => readSigner(source, id) })
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
    find: (key) => (key.length > KEY_CHARS_MAX ? unknownKey() : keys.find(key)),
    findApp: (teamId, appId) => apps.find(teamId + BETWEEN_IDS + appId),
    findSigner: signers.find,
    forget,
    stop() {
      stopLooking()
      stopHearing()
    },
  }
}

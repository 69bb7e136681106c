import type { Clock } from '../../../../ports/clock.ts'
import type { Database } from '../../../../ports/database.ts'
import type { DeliveryKey } from '../../../../tables/deliveries/delivery.ts'
import {
  type LoggedDelivery,
  readLogged,
} from '../../../../tables/deliveries/log/logged-delivery.ts'
import {
  CHANGED_KEYS_MAX,
  changesAfter,
  lastChange,
  readChanges,
} from '../../../../tables/live/delivery-changes.ts'
import {
  cancelledDeliveries,
  deliveriesOfEvents,
  eventsAfter,
  lastEvent,
  type TeamDelivery,
} from '../../../../tables/live/new-deliveries.ts'
import type { WebhookState } from '../../../../tables/live/webhook-states.ts'
import { type LateNumbers, openLateNumbers } from './late-numbers.ts'

type Needs = { clock: Clock; database: Database }

/** Deliveries of teams that were created or changed; null for a team that had too many. */
type ChangedByTeam = ReadonlyMap<string, readonly LoggedDelivery[] | null>

export type DeliveryReader = {
  /** All that was committed before is no news. */
  open(): Promise<void>
  /** The changes since the last time, to teams that are listened to. */
  read(teamIds: readonly string[], deleted: readonly WebhookState[]): Promise<ChangedByTeam>
}

/** The keys of a team's deliveries; null when there are too many of them. */
type KeysByTeam = Map<string, Map<string, DeliveryKey> | null>

/** More events, or changes, at once are a past that is caught up with. */
const NUMBERS_MAX = 2_000

/** Transactions that are under way at the start have numbers up to so far below the last. */
const LATE_NUMBERS_MAX = 500

export function openDeliveryReader({ clock, database }: Needs): DeliveryReader {
  const events = openLateNumbers()
  const changes = openLateNumbers()

  const restart = async (numbers: LateNumbers, of: typeof EVENTS | typeof CHANGES) => {
    numbers.restart(Math.max(0, (await of.last(database)) - LATE_NUMBERS_MAX))
    const known = await of.after(database, numbers.floor(), NUMBERS_MAX)
    numbers.note(known, clock.monotonicMs())
  }

  /** The new ones; null when there are too many, and then it goes on after them. */
  const unread = async (numbers: LateNumbers, of: typeof EVENTS | typeof CHANGES) => {
    const found = await of.after(database, numbers.floor(), NUMBERS_MAX + 1)
    if (found.length > NUMBERS_MAX) return null
    return found.filter(numbers.isNew)
  }

  return {
    async open() {
      await restart(events, EVENTS)
      await restart(changes, CHANGES)
    },
    async read(teamIds, deleted) {
      const keys: KeysByTeam = new Map(teamIds.map((teamId) => [teamId, new Map()]))
      const newEvents = await unread(events, EVENTS)
      const newChanges = await unread(changes, CHANGES)
      if (newEvents === null || newChanges === null) {
        if (newEvents === null) await restart(events, EVENTS)
        if (newChanges === null) await restart(changes, CHANGES)
        return new Map(teamIds.map((teamId) => [teamId, null]))
      }

      await addCreated(database, keys, newEvents)
      await addChanged(database, keys, newChanges)
      await addCancelled(database, keys, deleted)
      const read = await readKeys(database, keys)
      // Only now, so that what could not be read is read the next time.
      events.note(newEvents, clock.monotonicMs())
      changes.note(newChanges, clock.monotonicMs())
      return read
    },
  }
}

const EVENTS = { after: eventsAfter, last: lastEvent }

const CHANGES = {
  after: async (db: Database, floor: number, limit: number) =>
    (await changesAfter(db, floor, limit)).map(({ change }) => change),
  last: lastChange,
}

async function addCreated(
  db: Database,
  keys: KeysByTeam,
  events: readonly number[],
): Promise<void> {
  if (events.length === 0 || keys.size === 0) return
  const teamIds = [...keys.keys()]
  const limit = (CHANGED_KEYS_MAX + 1) * teamIds.length
  const created = await deliveriesOfEvents(db, events, teamIds, limit)
  if (created.length >= limit) for (const teamId of teamIds) keys.set(teamId, null)
  else for (const one of created) addKey(keys, one)
}

async function addChanged(
  db: Database,
  keys: KeysByTeam,
  changes: readonly number[],
): Promise<void> {
  if (changes.length === 0) return
  for (const { teamId, keys: changed } of await readChanges(db, changes)) {
    if (changed === null && keys.has(teamId)) keys.set(teamId, null)
    for (const key of changed ?? []) addKey(keys, { ...key, teamId })
  }
}

/** A webhook that is deleted takes along all that waited for it. */
async function addCancelled(
  db: Database,
  keys: KeysByTeam,
  deleted: readonly WebhookState[],
): Promise<void> {
  for (const { number, teamId } of deleted) {
    if (!keys.get(teamId)) continue
    const cancelled = await cancelledDeliveries(db, number, CHANGED_KEYS_MAX + 1)
    for (const key of cancelled) addKey(keys, { ...key, teamId })
  }
}

function addKey(keys: KeysByTeam, { teamId, event, webhook }: TeamDelivery): void {
  const ours = keys.get(teamId)
  if (!ours) return
  ours.set(`${event}-${webhook}`, { event, webhook })
  if (ours.size > CHANGED_KEYS_MAX) keys.set(teamId, null)
}

async function readKeys(db: Database, keys: KeysByTeam): Promise<ChangedByTeam> {
  const meant = [...keys.values()].flatMap((ours) => [...(ours?.values() ?? [])])
  const found = meant.length === 0 ? [] : await readLogged(db, meant)
  const oldestFirst = found.sort((a, b) => a.event - b.event || a.webhook - b.webhook)
  const byTeam = Map.groupBy(oldestFirst, ({ teamId }) => teamId)
  return new Map([...keys].map(([teamId, ours]) => [teamId, ours && (byTeam.get(teamId) ?? [])]))
}

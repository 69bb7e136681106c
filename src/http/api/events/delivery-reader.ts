import type { World } from '../../../ports/world.ts'
import type { DeliveryKey } from '../../../tables/deliveries/delivery.ts'
import {
  type DeliveryStamp,
  eventsAfter,
  lastEvent,
  stampsOf,
  stampsOfBlocks,
  stampsOfEvents,
  stampsOfWaiting,
} from '../../../tables/deliveries/log/delivery-stamps.ts'
import { type LoggedDelivery, readLogged } from '../../../tables/deliveries/log/logged-delivery.ts'
import { wireDelivery } from '../webhooks/wire-delivery.ts'
import { gapEvent, type LiveEvent } from './live-event.ts'

type PassedBlocks = { webhookId: string; fromBlock: number; toBlock: number }

/** A stream sends no more at once; a client that misses more fetches the list again. */
const CHANGED_MAX = 200

/** Waiting deliveries of a team whose changes are noticed one by one. */
const TRACKED_MAX = 500

/** New events of all teams that are looked through at once. */
const EVENTS_MAX = 2_000

/** On PostgreSQL, an event may become visible after one with a higher number. */
const LATE_MS = 10_000
const LATE_EVENTS_MAX = 500

/** A team with too many changes is told to fetch again, but not all the time. */
const GAP_MS = 5_000

export function openDeliveryReader(world: World, teamId: string) {
  const { clock, database } = world
  const events = openNewEvents(world)
  const tracked = new Map<string, DeliveryKey & { stamp?: string }>()
  let replayed: PassedBlocks[] = []
  let isOpen = false
  let isMissing = false
  let gapMs = -GAP_MS

  const track = (stamps: readonly DeliveryStamp[]) => {
    for (const one of stamps) if (one.isWaiting) tracked.set(nameOf(one), one)
    if (tracked.size < TRACKED_MAX) return
    isMissing = true
    for (const [name] of tracked) if (tracked.size > TRACKED_MAX) tracked.delete(name)
  }

  /** Deliveries that are stored now are no news. */
  const restart = async () => {
    await events.restart()
    const waiting = await stampsOfWaiting(database, teamId, TRACKED_MAX)
    tracked.clear()
    track(waiting)
    replayed = []
    isOpen = true
  }

  /** Null when there are too many. */
  const changes = async (): Promise<LoggedDelivery[] | null> => {
    const fresh = await events.fresh()
    if (fresh === null) return null
    const [known, passed] = [[...tracked.values()], [...replayed]]
    const stamps = await stampsOf(database, known)
    stamps.push(...(await stampsOfEvents(database, fresh, teamId, CHANGED_MAX + 1)))
    for (const blocks of passed) {
      stamps.push(...(await stampsOfBlocks(database, blocks, CHANGED_MAX + 1)))
    }
    const byName = new Map(stamps.map((one) => [nameOf(one), one]))
    const isNews = (one: DeliveryStamp) => tracked.get(nameOf(one))?.stamp !== one.stamp
    const changed = [...byName.values()].filter(isNews)
    if (changed.length > CHANGED_MAX) return null
    const logged = await readLogged(database, changed)

    // Only now, so that what could not be read is read the next time.
    for (const key of known) if (tracked.get(nameOf(key)) === key) tracked.delete(nameOf(key))
    replayed = replayed.filter((blocks) => !passed.includes(blocks))
    events.pass(fresh)
    track(stamps)
    return logged.sort((a, b) => a.event - b.event || a.webhook - b.webhook)
  }

  return {
    /** The changes since the last time; the first time there are none. */
    async read(): Promise<LiveEvent[]> {
      const changed = isOpen ? await changes() : []
      if (!isOpen || changed === null) await restart()
      isMissing ||= changed === null
      const found = changed?.map(deliveryEvent) ?? []
      if (!isMissing || clock.monotonicMs() - gapMs < GAP_MS) return found
      isMissing = false
      gapMs = clock.monotonicMs()
      return [...found, gapEvent('deliveries')]
    },
    resent: (key: DeliveryKey) => void tracked.set(nameOf(key), { ...key }),
    /** A replay has passed these blocks, so their deliveries are sent again. */
    replayed: (blocks: PassedBlocks) => void replayed.push(blocks),
  }
}

function openNewEvents({ clock, database }: World) {
  /** Events above the floor that were read, and when. */
  const seen = new Map<number, number>()
  let floor = 0

  const pass = (events: readonly number[]) => {
    const nowMs = clock.monotonicMs()
    for (const event of events) seen.set(event, nowMs)
    for (const [event, seenMs] of seen) {
      if (nowMs - seenMs < LATE_MS) continue
      floor = Math.max(floor, event)
      seen.delete(event)
    }
  }
  return {
    async restart() {
      const from = Math.max(0, (await lastEvent(database)) - LATE_EVENTS_MAX)
      const events = await eventsAfter(database, from, EVENTS_MAX)
      seen.clear()
      floor = from
      pass(events)
    },
    /** Null when there are too many. */
    async fresh() {
      const events = await eventsAfter(database, floor, EVENTS_MAX)
      return events.length < EVENTS_MAX ? events.filter((event) => !seen.has(event)) : null
    },
    pass,
  }
}

function deliveryEvent(delivery: LoggedDelivery): LiveEvent {
  const data = JSON.stringify(wireDelivery(delivery))
  return { topic: 'deliveries', name: 'delivery', webhookId: delivery.webhookId, data }
}

function nameOf({ event, webhook }: DeliveryKey): string {
  return `${event}-${webhook}`
}

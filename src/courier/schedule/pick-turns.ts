import { limitNow } from '../../core/delivery/host-health.ts'
import type { Lane } from '../../tables/deliveries/delivery-claims.ts'
import { enlist, forgetTeamIfIdle, type Host, type Line, type Schedule, wake } from './schedule.ts'

/** So many deliveries of one line may be read and sent now; the places are taken. */
export type Turn = {
  line: Line
  host: Host
  lane: Lane
  places: number
  /** Its host is not known to answer, so it counts among those that may hang. */
  doubtful: boolean
  /** The line's reminders and setbacks when the turn was given. */
  reminders: number
  setbacks: number
}

/** A place that a delivery on its way takes. */
export type Place = { line: Line; host: Host; bytes: number; isRetry: boolean; doubtful: boolean }

/** Attempts under way at once: sockets, and at 5 seconds each a thousand hosts that hang. */
export const PLACES_MAX = 1024

/** Bodies on their way at once. One of 10 MB may be held three times over while it is sent. */
export const BYTES_MAX = 128 * 2 ** 20

/** Of everything, so much at most goes to hosts that may hang: those that answer keep the rest. */
const DOUBTFUL_SHARE = 0.5

/** Retries and replays leave the rest to what is new. */
const RETRY_SHARE = 0.3

const WEBHOOK_PLACES_MAX = 8

/**
 * A team may have so many times what is free. Alone it gets eight ninths of all places, two get
 * eight seventeenths each, and whoever comes finds some free, however long the others hang:
 * until the shares are even, what they give back is not theirs to take again.
 */
const TEAM_PLACES_PER_FREE = 8

/** What one team leaves free, a fifth, has room for the largest body, also among the doubtful. */
const TEAM_BYTES_PER_FREE = 4

/** Turns are reads of the table in this thread; between rounds it does its other work. */
const TURNS_MAX = 128

/** Whose deliveries are read next: host by host, each as far as it can take more. */
export function pickTurns(schedule: Schedule, nowMs: number): Turn[] {
  const turns: Turn[] = []
  for (const host of schedule.ready) {
    if (schedule.inFlight >= PLACES_MAX || turns.length >= TURNS_MAX) break
    schedule.ready.delete(host)
    pickFrom(schedule, host, nowMs, turns)
  }
  return turns
}

/** The table was read: places that were not needed are free again, and others may follow. */
export function endTurn(schedule: Schedule, turn: Turn, taken: number, mayHaveMore: boolean): void {
  const { line, lane } = turn
  const unused = turn.places - taken
  moveTurn(schedule, turn, -unused)
  if (unused > 0) wakeWaiting(schedule)
  if (!mayHaveMore && line.reminders === turn.reminders) {
    if (lane === 'retry') line.wants.retry = false
    else if (lane === 'errors') line.wants.errors = false
    else line.wants.first = false
    if (lane === 'ordered') line.wants.retry = false
  }
  if (schedule.lines.get(line.webhook.id) === line) enlist(schedule, line)
}

/** True when a body of that size may be held too; then it is. */
export function takeBytes(schedule: Schedule, turn: Turn, bytes: number): boolean {
  const { team } = turn.host
  const { doubtfulBytes } = schedule
  const doubtfulMax = BYTES_MAX * DOUBTFUL_SHARE
  const fits = haveRoom(schedule.bytes, team.bytes, bytes, BYTES_MAX)
  const mayHang = !turn.doubtful || haveRoom(doubtfulBytes, team.doubtfulBytes, bytes, doubtfulMax)
  if (!fits || !mayHang) {
    schedule.waiting.add(turn.host)
    return false
  }
  moveBytes(schedule, turn.host, bytes, turn.doubtful)
  return true
}

/** Whether bytes of a team may be held beside all others. */
function haveRoom(all: number, ofTeam: number, bytes: number, bytesMax: number): boolean {
  // A single one larger than what is allowed must not wait for ever.
  if (all === 0) return true
  const free = bytesMax - all - bytes
  return free >= 0 && (ofTeam === 0 || ofTeam + bytes <= TEAM_BYTES_PER_FREE * free)
}

function moveBytes(schedule: Schedule, { team }: Host, by: number, doubtful: boolean): void {
  schedule.bytes += by
  team.bytes += by
  if (!doubtful) return
  schedule.doubtfulBytes += by
  team.doubtfulBytes += by
}

/** The delivery is over, or was never sent. */
export function leavePlace(schedule: Schedule, place: Place): void {
  const { line, host, bytes, isRetry, doubtful } = place
  movePlaces(schedule, place, -1, isRetry)
  moveBytes(schedule, host, -bytes, doubtful)
  if (schedule.lines.get(line.webhook.id) === line) enlist(schedule, line)
  wake(schedule, host)
  wakeWaiting(schedule)
}

function wakeWaiting(schedule: Schedule): void {
  for (const host of schedule.waiting) wake(schedule, host)
  schedule.waiting.clear()
}

/** Hosts that were given up and whose probe is due by now. */
export function unpark(schedule: Schedule, nowMs: number): void {
  for (const host of schedule.parked) {
    if (limitNow(host.health, nowMs) === 0) continue
    schedule.parked.delete(host)
    wake(schedule, host)
  }
}

function pickFrom(schedule: Schedule, host: Host, nowMs: number, turns: Turn[]): void {
  const limit = limitNow(host.health, nowMs)
  // Its deliveries stay where they are: nothing is claimed, no attempt is used up.
  if (limit === 0) return void schedule.parked.add(host)

  const hadFresh = host.fresh.size > 0
  const share = Math.max(1, Math.floor((limit - host.inFlight) / Math.max(1, host.fresh.size)))
  for (const line of host.fresh) {
    if (limit <= host.inFlight) return
    if (!hasPlace(schedule, host)) return void schedule.waiting.add(host)
    host.fresh.delete(line)
    pickFresh(schedule, line, share, limit, turns)
  }

  const retriesMax = hadFresh ? retryShare(limit) : limit
  for (const line of host.again) {
    const free = Math.min(limit - host.inFlight, retriesMax - host.retriesInFlight)
    if (free <= 0) return
    if (!hasPlace(schedule, host) || retriesAreMany(schedule, host)) {
      return void schedule.waiting.add(host)
    }
    host.again.delete(line)
    pickAgain(schedule, line, free, turns)
  }
}

function pickFresh(
  schedule: Schedule,
  line: Line,
  share: number,
  limit: number,
  turns: Turn[],
): void {
  const { wants, webhook, host } = line
  // One error says it all, so it never needs more than one place. Nothing may arrive after it
  // while the webhook is paused, so what is on its way comes first.
  const isLast = webhook.state === 'active' || line.inFlight === 0
  if (wants.errors && isLast) give(schedule, line, 'errors', 1, turns)
  const free = Math.min(share, limit - host.inFlight)
  if (webhook.state !== 'active') return
  if (webhook.ordered) {
    // What is in hand comes first, and gets rows.
    const isWanted = (wants.first || wants.retry) && line.inHand.rows.length === 0
    if (isWanted && line.held.size === 0) give(schedule, line, 'ordered', Math.min(1, free), turns)
    return
  }
  if (!wants.first || line.releasing > 0) return
  give(schedule, line, 'first', Math.min(free, WEBHOOK_PLACES_MAX - line.inFlight), turns)
}

function pickAgain(schedule: Schedule, line: Line, free: number, turns: Turn[]): void {
  const { wants, webhook } = line
  if (webhook.state !== 'active' || webhook.ordered) return
  const linePlaces = wants.first ? retryShare(WEBHOOK_PLACES_MAX) : WEBHOOK_PLACES_MAX
  const left = RETRY_SHARE * PLACES_MAX - schedule.retriesInFlight
  const places = Math.min(free, Math.floor(left), linePlaces - line.inFlight)
  give(schedule, line, 'retry', places, turns)
}

function give(schedule: Schedule, line: Line, lane: Lane, places: number, turns: Turn[]): void {
  // Without a place now, the line comes back when one of its own deliveries is over.
  if (places <= 0) return
  const { host, reminders, setbacks } = line
  const turn = { line, host, lane, places: 0, doubtful: !host.answers, reminders, setbacks }
  moveTurn(schedule, turn, Math.min(places, PLACES_MAX - schedule.inFlight))
  turns.push(turn)
}

function moveTurn(schedule: Schedule, turn: Turn, by: number): void {
  turn.places += by
  movePlaces(schedule, turn, by, turn.lane === 'retry')
}

function movePlaces(
  schedule: Schedule,
  { line, host, doubtful }: Pick<Place, 'line' | 'host' | 'doubtful'>,
  by: number,
  isRetry: boolean,
): void {
  const { team } = host
  schedule.inFlight += by
  team.inFlight += by
  host.inFlight += by
  line.inFlight += by
  if (isRetry) {
    schedule.retriesInFlight += by
    team.retriesInFlight += by
    host.retriesInFlight += by
  }
  if (doubtful) {
    schedule.doubtfulInFlight += by
    team.doubtfulInFlight += by
  }
  if (by < 0) forgetTeamIfIdle(schedule, team)
}

function hasPlace(schedule: Schedule, { team, answers }: Host): boolean {
  if (!mayTake(team.inFlight, PLACES_MAX - schedule.inFlight)) return false
  const doubtfulFree = PLACES_MAX * DOUBTFUL_SHARE - schedule.doubtfulInFlight
  return answers || mayTake(team.doubtfulInFlight, doubtfulFree)
}

function mayTake(ofTeam: number, free: number): boolean {
  return ofTeam < TEAM_PLACES_PER_FREE * free
}

/**
 * A hard limit, even when nothing is new: retries go to hosts that failed before, and when all
 * of those hang, the next block must find places.
 */
function retriesAreMany({ retriesInFlight }: Schedule, { team }: Host): boolean {
  const free = Math.floor(RETRY_SHARE * PLACES_MAX) - retriesInFlight
  return !mayTake(team.retriesInFlight, free)
}

function retryShare(limit: number): number {
  return Math.max(limit > 1 ? 1 : 0, Math.floor(limit * RETRY_SHARE))
}

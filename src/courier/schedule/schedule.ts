import { type HostHealth, newHostHealth } from '../../core/delivery/host-health.ts'
import type { ReadyDelivery } from '../../tables/deliveries/delivery-claims.ts'
import type { CourierWebhook } from '../../tables/webhooks/courier-webhooks.ts'

/** What the webhooks of one team have under way, so that none crowds out the others. */
export type TeamLoad = {
  id: string
  /** Its hosts in the schedule. */
  hosts: number
  inFlight: number
  retriesInFlight: number
  doubtfulInFlight: number
  bytes: number
  doubtfulBytes: number
}

/**
 * One destination host of one team: what it takes at once, and who waits for it. What befalls
 * one team there says nothing about another, whose paths, keys and scheme may differ.
 */
export type Host = {
  /** Team, scheme, name and port. */
  key: string
  /** Name and port. */
  name: string
  team: TeamLoad
  health: HostHealth
  /** Lines that lead here. */
  lines: number
  inFlight: number
  retriesInFlight: number
  /** Its last attempt was answered. One that was never seen to answer may hang. */
  answers: boolean
  /** Lines with something new; the longest waiting first. */
  fresh: Set<Line>
  /** Lines with retries or replays. */
  again: Set<Line>
}

/** One webhook that has, or lately had, something to send. */
export type Line = {
  webhook: CourierWebhook
  /** The opened signing keys; the second until `previousKeyUntilMs`. */
  keys: readonly [current: string, previous?: string]
  previousKeyUntilMs: number
  host: Host
  inFlight: number
  /** Deliveries that are ours until their outcome is committed. */
  held: Set<string>
  /** What a look at the table may find. */
  wants: { first: boolean; retry: boolean; errors: boolean }
  /** An error was found, and the webhook was read since: it is known whether it is paused. */
  knowsOfError: boolean
  /** Counts reminders: one that comes while the table is read must not be forgotten. */
  reminders: number
  /** New deliveries that were read and not claimed yet, as the table was at that reminder. */
  ahead: { rows: ReadyDelivery[]; mayHaveMore: boolean; reminders: number }
  /**
   * The number of the newest delivery that was read, where all before it were read too. One
   * that names it as the one before itself is the next, and can be taken without a look.
   */
  tail: number | null
  /**
   * New deliveries that have no rows: nobody but us has them. What the table has of this
   * webhook is older and goes first, but for `hasNewerRows`; as of the reminder `clearAt` it
   * has nothing that must.
   */
  inHand: { rows: ReadyDelivery[]; clearAt: number | null; hasNewerRows: boolean }
  /** Deliveries on their way back to the table. Newer ones wait for them, to stay in order. */
  releasing: number
  /** Counts those that went back: what was taken before goes back too, to stay in order. */
  setbacks: number
}

/** Who has something to send, and what is on its way. Bounded whatever receivers do. */
export type Schedule = {
  lines: Map<string, Line>
  /** By their keys. */
  hosts: Map<string, Host>
  /** Teams that have hosts or something under way, by their ids. */
  teams: Map<string, TeamLoad>
  /** Hosts that have lines and may have places, in the order of their turns. */
  ready: Set<Host>
  /** Hosts that were given up, until their probe is due. */
  parked: Set<Host>
  /** Hosts that wait for others to leave them a place. */
  waiting: Set<Host>
  inFlight: number
  retriesInFlight: number
  doubtfulInFlight: number
  bytes: number
  doubtfulBytes: number
  aheadRows: number
  /** Lines that have something in hand and go strictly in order now: that needs rows. */
  ordered: Set<Line>
}

/** Far more than a block brings; beyond it the oldest idle ones are read anew when needed. */
const LINES_MAX = 20_000

/** Looked at to find one that can go; all of them would take too long. */
const EVICTION_LOOKS_MAX = 100

export function openSchedule(): Schedule {
  return {
    lines: new Map(),
    hosts: new Map(),
    teams: new Map(),
    ready: new Set(),
    parked: new Set(),
    waiting: new Set(),
    inFlight: 0,
    retriesInFlight: 0,
    doubtfulInFlight: 0,
    bytes: 0,
    doubtfulBytes: 0,
    aheadRows: 0,
    ordered: new Set(),
  }
}

type Placed = Pick<Line, 'webhook' | 'keys' | 'previousKeyUntilMs'>

/** The webhook's line, as it is from now on. Null when there are too many lines. */
export function placeLine(schedule: Schedule, placed: Placed): Line | null {
  const { lines } = schedule
  const { id, url, teamId } = placed.webhook
  const known = lines.get(id)
  if (known && placed.webhook.ordered && known.inHand.rows.length > 0) schedule.ordered.add(known)
  if (!known && lines.size >= LINES_MAX && !evictOne(schedule)) return null

  const host = hostFor(schedule, teamId, url)
  if (known?.host === host) return Object.assign(known, placed)

  host.lines += 1
  if (known) {
    leaveHost(schedule, known)
    return Object.assign(known, placed, { host })
  }
  const line = newLine(placed, host)
  lines.set(id, line)
  return line
}

export function dropLine(schedule: Schedule, line: Line): void {
  schedule.lines.delete(line.webhook.id)
  forgetAhead(schedule, line)
  schedule.aheadRows -= line.inHand.rows.length
  line.inHand.rows = []
  leaveHost(schedule, line)
}

/** What was read of a line and not used is read again when it is wanted. */
export function forgetAhead(schedule: Schedule, line: Line): void {
  schedule.aheadRows -= line.ahead.rows.length
  line.ahead.rows = []
  line.tail = null
  line.inHand.clearAt = null
}

/** Puts the line where its wishes belong, and its host in the row of those that get turns. */
export function enlist(schedule: Schedule, line: Line): void {
  const { host, wants, webhook } = line
  const active = webhook.state === 'active'
  if (wants.errors || (active && wants.first)) host.fresh.add(line)
  // Strictly one after the other: whether it is a retry is found out when it is read.
  if (active && wants.retry) (webhook.ordered ? host.fresh : host.again).add(line)
  wake(schedule, host)
}

export function wake({ ready, parked }: Schedule, host: Host): void {
  if (host.fresh.size + host.again.size > 0 && !parked.has(host)) ready.add(host)
}

function newLine(placed: Placed, host: Host): Line {
  return {
    ...placed,
    host,
    inFlight: 0,
    held: new Set(),
    wants: { first: false, retry: false, errors: false },
    knowsOfError: false,
    reminders: 0,
    ahead: { rows: [], mayHaveMore: false, reminders: 0 },
    tail: null,
    inHand: { rows: [], clearAt: null, hasNewerRows: false },
    releasing: 0,
    setbacks: 0,
  }
}

function hostFor(schedule: Schedule, teamId: string, url: string): Host {
  const { hosts } = schedule
  const { scheme, name } = serverOf(url)
  const key = `${teamId} ${scheme}//${name}`
  const known = hosts.get(key)
  if (known) return known
  const host: Host = {
    key,
    name,
    team: teamFor(schedule, teamId),
    health: newHostHealth(),
    lines: 0,
    inFlight: 0,
    retriesInFlight: 0,
    answers: false,
    fresh: new Set(),
    again: new Set(),
  }
  host.team.hosts += 1
  hosts.set(key, host)
  return host
}

/** Behind one port the two schemes are different servers: who speaks the wrong one fails. */
function serverOf(url: string): { scheme: string; name: string } {
  const parsed = URL.parse(url)
  if (!parsed) return { scheme: '', name: url }
  const { protocol: scheme, hostname, port } = parsed
  return { scheme, name: `${hostname}:${port || (scheme === 'https:' ? 443 : 80)}` }
}

function teamFor({ teams }: Schedule, id: string): TeamLoad {
  const known = teams.get(id)
  if (known) return known
  const nothing = { inFlight: 0, retriesInFlight: 0, doubtfulInFlight: 0 }
  const team: TeamLoad = { id, hosts: 0, ...nothing, bytes: 0, doubtfulBytes: 0 }
  teams.set(id, team)
  return team
}

/**
 * A team without hosts is forgotten once nothing of it is under way, and not before: else it
 * could leave its hosts to be counted anew.
 */
export function forgetTeamIfIdle({ teams }: Schedule, team: TeamLoad): void {
  if (team.hosts === 0 && team.inFlight === 0) teams.delete(team.id)
}

/** A host that no line leads to is forgotten, so there are never more of them than lines. */
function leaveHost(schedule: Schedule, line: Line): void {
  const { host } = line
  host.fresh.delete(line)
  host.again.delete(line)
  host.lines -= 1
  if (host.lines > 0) return
  schedule.hosts.delete(host.key)
  host.team.hosts -= 1
  forgetTeamIfIdle(schedule, host.team)
  for (const row of [schedule.ready, schedule.parked, schedule.waiting]) row.delete(host)
}

function evictOne(schedule: Schedule): boolean {
  let looks = 0
  for (const line of schedule.lines.values()) {
    if (isIdle(line)) {
      dropLine(schedule, line)
      return true
    }
    // To the end of the row, so that the next look meets others.
    schedule.lines.delete(line.webhook.id)
    schedule.lines.set(line.webhook.id, line)
    if (++looks >= EVICTION_LOOKS_MAX) return false
  }
  return false
}

function isIdle({ inFlight, held, wants, inHand }: Line): boolean {
  const wantsNothing = !wants.first && !wants.retry && !wants.errors
  return wantsNothing && inFlight === 0 && held.size === 0 && inHand.rows.length === 0
}

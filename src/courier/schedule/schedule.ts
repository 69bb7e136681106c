import { type HostHealth, newHostHealth } from '../../core/delivery/host-health.ts'
import type { CourierWebhook } from '../../tables/webhooks/courier-webhooks.ts'
import type { PrefetchBudget } from './outbox-question.ts'
import { abandon, isIdle, newWebhookQueue, type WebhookQueue, wants } from './webhook-queue.ts'

type InFlight = {
  slots: number
  retrySlots: number
  unprovenSlots: number
  bytes: number
  unprovenBytes: number
}

/** The load of the webhooks of one team, so that none crowds out the others. */
export type TeamLoad = InFlight & { id: string; hosts: number }

/**
 * One destination host of one team: how many attempts it takes at once, and who waits for it.
 * The failures of one team there say nothing about another, whose paths, keys and scheme may
 * differ.
 */
export type Host = {
  /** Team, scheme, name and port. */
  key: string
  /** Name and port. */
  name: string
  team: TeamLoad
  health: HostHealth
  webhooks: number
  slots: number
  retrySlots: number
  /** Grants for new deliveries that are being loaded. */
  loadingNew: number
  /** Its last attempt was answered. A host that was never seen to answer may hang. */
  isProven: boolean
  /** Webhooks with something new or an error; the longest waiting first. */
  withNew: Set<ScheduledWebhook>
  /** Webhooks with retries, resends or replays. */
  withRetries: Set<ScheduledWebhook>
}

export type SendSettings = {
  webhook: CourierWebhook
  /** The opened signing keys; the second until `previousKeyUntilMs`. */
  keys: readonly [current: string, previous?: string]
  previousKeyUntilMs: number
}

export type ScheduledWebhook = {
  readonly number: number
  readonly queue: WebhookQueue
  /** Null until it is read, and while it cannot be sent to; its host with it. */
  settings: SendSettings | null
  host: Host | null
}

/** The webhooks with something to send, and the attempts in flight. Bounded in all cases. */
export type Schedule = InFlight & {
  webhooks: Map<number, ScheduledWebhook>
  /** Queues of webhooks that were dropped while they held slots, by their numbers. */
  abandoned: Map<number, WebhookQueue>
  hosts: Map<string, Host>
  /** Teams that have hosts or something in flight, by their ids. */
  teams: Map<string, TeamLoad>
  /** Hosts whose webhooks want slots and may get some, in the order of their turns. */
  ready: Set<Host>
  /** Hosts whose circuit breaker is open, until their probe is due. */
  tripped: Set<Host>
  waitingForSlots: Set<Host>
  waitingForBytes: Set<Host>
  prefetched: PrefetchBudget
}

const NOTHING: InFlight = { slots: 0, retrySlots: 0, unprovenSlots: 0, bytes: 0, unprovenBytes: 0 }

/** Far more than a block brings; beyond it the oldest idle ones are read anew when needed. */
const WEBHOOKS_MAX = 20_000

/** Looked at to find one that can go; all of them would take too long. */
const EVICTION_LOOKS_MAX = 100

export function openSchedule(): Schedule {
  return {
    webhooks: new Map(),
    abandoned: new Map(),
    hosts: new Map(),
    teams: new Map(),
    ready: new Set(),
    tripped: new Set(),
    waitingForSlots: new Set(),
    waitingForBytes: new Set(),
    ...NOTHING,
    prefetched: { used: 0 },
  }
}

/** Adds a webhook, with what is in flight since it was dropped. Null when there are too many. */
export function addWebhook(schedule: Schedule, number: number): ScheduledWebhook | null {
  const { webhooks, abandoned, prefetched } = schedule
  if (webhooks.size >= WEBHOOKS_MAX && !evictOne(schedule)) return null
  const queue = abandoned.get(number) ?? newWebhookQueue(prefetched)
  abandoned.delete(number)
  const webhook = { number, queue, settings: null, host: null }
  webhooks.set(number, webhook)
  return webhook
}

/** Forgets the webhook. What of it is in flight ends without being settled. */
export function dropWebhook(schedule: Schedule, webhook: ScheduledWebhook): void {
  const { number, queue } = webhook
  schedule.webhooks.delete(number)
  abandon(queue)
  if (queue.slots > 0) schedule.abandoned.set(number, queue)
  leaveHost(schedule, webhook)
  webhook.settings = null
}

/** Slots of the webhook are free. If it was dropped since, who has its queue now lines up. */
export function slotsFreed(schedule: Schedule, { number, queue }: ScheduledWebhook): void {
  const { webhooks, abandoned } = schedule
  const webhook = webhooks.get(number)
  if (webhook) enlist(schedule, webhook)
  else if (queue.slots === 0) abandoned.delete(number)
}

/** Not so after it was dropped, though something of it may still be in flight. */
export function isScheduled({ webhooks }: Schedule, webhook: ScheduledWebhook): boolean {
  return webhooks.get(webhook.number) === webhook
}

/** The settings that hold from now on; null when it cannot be sent to. */
export function place(
  schedule: Schedule,
  webhook: ScheduledWebhook,
  settings: SendSettings | null,
): void {
  webhook.settings = settings
  const host = settings && hostFor(schedule, settings.webhook.teamId, settings.webhook.url)
  if (host === webhook.host) return
  if (host) host.webhooks += 1
  leaveHost(schedule, webhook)
  webhook.host = host
}

export function enlist(schedule: Schedule, webhook: ScheduledWebhook): void {
  const { host, queue } = webhook
  if (!host) return
  if (wants(queue, 'new') || wants(queue, 'ordered') || wants(queue, 'error')) {
    host.withNew.add(webhook)
  }
  if (wants(queue, 'retry')) host.withRetries.add(webhook)
  wake(schedule, host)
}

export function wake(schedule: Schedule, host: Host): void {
  const { ready, tripped, waitingForSlots, waitingForBytes } = schedule
  if (host.withNew.size + host.withRetries.size === 0) return
  if (tripped.has(host) || waitingForSlots.has(host) || waitingForBytes.has(host)) return
  ready.add(host)
}

/** Keeps a team with attempts in flight: forgotten, its hosts would be counted from zero. */
export function forgetTeamIfIdle({ teams }: Schedule, team: TeamLoad): void {
  if (team.hosts === 0 && team.slots === 0) teams.delete(team.id)
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
    webhooks: 0,
    slots: 0,
    retrySlots: 0,
    loadingNew: 0,
    isProven: false,
    withNew: new Set(),
    withRetries: new Set(),
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
  const team: TeamLoad = { id, hosts: 0, ...NOTHING }
  teams.set(id, team)
  return team
}

/** A host that no webhook leads to is forgotten, so there are never more hosts than webhooks. */
function leaveHost(schedule: Schedule, webhook: ScheduledWebhook): void {
  const { host } = webhook
  if (!host) return
  webhook.host = null
  host.withNew.delete(webhook)
  host.withRetries.delete(webhook)
  host.webhooks -= 1
  if (host.webhooks > 0) return
  schedule.hosts.delete(host.key)
  host.team.hosts -= 1
  forgetTeamIfIdle(schedule, host.team)
  const { ready, tripped, waitingForSlots, waitingForBytes } = schedule
  for (const some of [ready, tripped, waitingForSlots, waitingForBytes]) some.delete(host)
}

function evictOne(schedule: Schedule): boolean {
  let looks = 0
  for (const webhook of schedule.webhooks.values()) {
    if (canGo(webhook)) {
      dropWebhook(schedule, webhook)
      return true
    }
    // To the end, so that the next look meets others.
    schedule.webhooks.delete(webhook.number)
    schedule.webhooks.set(webhook.number, webhook)
    if (++looks >= EVICTION_LOOKS_MAX) return false
  }
  return false
}

/** To forget it loses nothing: the outbox has what waits. */
function canGo({ queue, host }: ScheduledWebhook): boolean {
  if (queue.slots > 0 || queue.unsettled.size > 0) return false
  return host === null || isIdle(queue)
}

import { limitNow } from '../../core/delivery/host-health.ts'
import type { Lane } from '../../tables/deliveries/delivery.ts'
import {
  forgetTeamIfIdle,
  type Host,
  type Schedule,
  type ScheduledWebhook,
  slotsFreed,
  wake,
} from './schedule.ts'
import { moveSlots, wants } from './webhook-queue.ts'

/** Slots for deliveries of one lane of a webhook, which may start now; they are taken. */
export type SlotGrant = {
  webhook: ScheduledWebhook
  host: Host
  lane: Lane
  slots: number
  /** Its host is not known to answer, so it counts among those that may hang. */
  isUnproven: boolean
}

export type Slot = Omit<SlotGrant, 'slots'> & { bytes: number }

/** Attempts in flight at once: sockets, and at 5 seconds each a thousand hosts that hang. */
export const SLOTS_MAX = 1024

/** Bodies in flight at once. One of 10 MB may be held three times over while it is sent. */
export const BYTES_MAX = 128 * 2 ** 20

/** The share of everything that hosts that may hang get at most: others keep the rest. */
const UNPROVEN_SHARE = 0.5

/** Retries and replays leave the rest to what is new. */
const RETRY_SHARE = 0.3

export const WEBHOOK_SLOTS_MAX = 8

/**
 * A team may have so many times what is free. Alone it gets eight ninths of all slots, two get
 * eight seventeenths each, and whoever comes finds some free, however long the others hang:
 * until the shares are even, what they give back is not theirs to take again.
 */
const TEAM_SLOTS_PER_FREE = 8

/** One team leaves a fifth free: room for the largest body, also among the unproven. */
const TEAM_BYTES_PER_FREE = 4

/** Grants slots host by host, each as far as it can take more, up to about `slotsMax`. */
export function allocateSlots(schedule: Schedule, nowMs: number, slotsMax: number): SlotGrant[] {
  const grants: SlotGrant[] = []
  const before = schedule.slots
  for (const host of schedule.ready) {
    if (schedule.slots >= SLOTS_MAX || schedule.slots - before >= slotsMax) break
    schedule.ready.delete(host)
    allocateTo(schedule, host, nowMs, grants)
  }
  return grants
}

/** The grant is used: slots that were not needed are free again, and the webhook lines up anew. */
export function endGrant(schedule: Schedule, grant: SlotGrant, used: number): void {
  const { webhook, host, lane } = grant
  if (lane !== 'retry') host.loadingNew -= 1
  const unused = grant.slots - used
  if (unused > 0) {
    moveGrant(schedule, grant, -unused)
    wakeAll(schedule, schedule.waitingForSlots)
  }
  slotsFreed(schedule, webhook)
}

/** True when a body of that size may be held too; then it is. */
export function takeBytes(schedule: Schedule, grant: SlotGrant, bytes: number): boolean {
  const { host, isUnproven } = grant
  const { team } = host
  const unprovenMax = BYTES_MAX * UNPROVEN_SHARE
  const fits = haveRoom(schedule.bytes, team.bytes, bytes, BYTES_MAX)
  const mayHang =
    !isUnproven || haveRoom(schedule.unprovenBytes, team.unprovenBytes, bytes, unprovenMax)
  if (!fits || !mayHang) {
    schedule.waitingForBytes.add(host)
    schedule.ready.delete(host)
    return false
  }
  moveBytes(schedule, host, bytes, isUnproven)
  return true
}

export function releaseSlot(schedule: Schedule, slot: Slot): void {
  const { webhook, host, bytes, isUnproven } = slot
  changeSlots(schedule, slot, -1)
  moveBytes(schedule, host, -bytes, isUnproven)
  slotsFreed(schedule, webhook)
  wake(schedule, host)
  wakeAll(schedule, schedule.waitingForSlots)
  wakeAll(schedule, schedule.waitingForBytes)
}

export function probeTripped(schedule: Schedule, nowMs: number): void {
  for (const host of schedule.tripped) {
    if (limitNow(host.health, nowMs) === 0) continue
    schedule.tripped.delete(host)
    wake(schedule, host)
  }
}

function haveRoom(all: number, ofTeam: number, bytes: number, bytesMax: number): boolean {
  // A single one larger than what is allowed must not wait for ever.
  if (all === 0) return true
  const free = bytesMax - all - bytes
  return free >= 0 && (ofTeam === 0 || ofTeam + bytes <= TEAM_BYTES_PER_FREE * free)
}

function moveBytes(schedule: Schedule, { team }: Host, by: number, isUnproven: boolean): void {
  schedule.bytes += by
  team.bytes += by
  if (!isUnproven) return
  schedule.unprovenBytes += by
  team.unprovenBytes += by
}

function wakeAll(schedule: Schedule, waiting: Set<Host>): void {
  for (const host of waiting) {
    waiting.delete(host)
    wake(schedule, host)
  }
}

function allocateTo(schedule: Schedule, host: Host, nowMs: number, grants: SlotGrant[]): void {
  const limit = limitNow(host.health, nowMs)
  // Its deliveries stay where they are, and no attempt is used up.
  if (limit === 0) return void schedule.tripped.add(host)

  const hadNew = host.withNew.size + host.loadingNew > 0
  const share = Math.max(1, Math.floor((limit - host.slots) / Math.max(1, host.withNew.size)))
  for (const webhook of host.withNew) {
    if (limit <= host.slots) return
    if (!hasSlot(schedule, host)) return void schedule.waitingForSlots.add(host)
    host.withNew.delete(webhook)
    allocateNew(schedule, webhook, host, Math.min(share, limit - host.slots), grants)
  }

  const retriesMax = hadNew ? retryShare(limit) : limit
  for (const webhook of host.withRetries) {
    const free = Math.min(limit - host.slots, retriesMax - host.retrySlots)
    if (free <= 0) return
    if (!hasSlot(schedule, host) || retriesAreMany(schedule, host)) {
      return void schedule.waitingForSlots.add(host)
    }
    host.withRetries.delete(webhook)
    allocateRetries(schedule, webhook, host, free, grants)
  }
}

function allocateNew(
  schedule: Schedule,
  webhook: ScheduledWebhook,
  host: Host,
  free: number,
  grants: SlotGrant[],
): void {
  const { queue } = webhook
  let left = free
  // One error says it all, so it never needs more than one slot.
  if (wants(queue, 'error')) left -= give(schedule, webhook, host, 'error', 1, grants)
  if (wants(queue, 'ordered')) give(schedule, webhook, host, 'ordered', Math.min(1, left), grants)
  if (!wants(queue, 'new')) return
  give(schedule, webhook, host, 'new', Math.min(left, WEBHOOK_SLOTS_MAX - queue.slots), grants)
}

function allocateRetries(
  schedule: Schedule,
  webhook: ScheduledWebhook,
  host: Host,
  free: number,
  grants: SlotGrant[],
): void {
  const { queue } = webhook
  if (!wants(queue, 'retry')) return
  const ownMax = wants(queue, 'new') ? retryShare(WEBHOOK_SLOTS_MAX) : WEBHOOK_SLOTS_MAX
  const left = RETRY_SHARE * SLOTS_MAX - schedule.retrySlots
  const slots = Math.min(free, Math.floor(left), ownMax - queue.slots)
  give(schedule, webhook, host, 'retry', slots, grants)
}

/** How many slots it got. Without one, it lines up again when one of its own attempts is over. */
function give(
  schedule: Schedule,
  webhook: ScheduledWebhook,
  host: Host,
  lane: Lane,
  wanted: number,
  grants: SlotGrant[],
): number {
  const slots = Math.min(wanted, SLOTS_MAX - schedule.slots)
  if (slots <= 0) return 0
  const grant: SlotGrant = { webhook, host, lane, slots: 0, isUnproven: !host.isProven }
  if (lane !== 'retry') host.loadingNew += 1
  moveGrant(schedule, grant, slots)
  grants.push(grant)
  return slots
}

function moveGrant(schedule: Schedule, grant: SlotGrant, by: number): void {
  grant.slots += by
  changeSlots(schedule, grant, by)
}

function changeSlots(
  schedule: Schedule,
  { webhook, host, lane, isUnproven }: Omit<Slot, 'bytes'>,
  by: number,
): void {
  const { team } = host
  schedule.slots += by
  team.slots += by
  host.slots += by
  moveSlots(webhook.queue, by)
  if (lane === 'retry') {
    schedule.retrySlots += by
    team.retrySlots += by
    host.retrySlots += by
  }
  if (isUnproven) {
    schedule.unprovenSlots += by
    team.unprovenSlots += by
  }
  if (by < 0) forgetTeamIfIdle(schedule, team)
}

function hasSlot(schedule: Schedule, { team, isProven }: Host): boolean {
  if (!mayTake(team.slots, SLOTS_MAX - schedule.slots)) return false
  const unprovenFree = SLOTS_MAX * UNPROVEN_SHARE - schedule.unprovenSlots
  return isProven || mayTake(team.unprovenSlots, unprovenFree)
}

function mayTake(ofTeam: number, free: number): boolean {
  return ofTeam < TEAM_SLOTS_PER_FREE * free
}

/**
 * A hard limit, even when nothing is new: retries go to hosts that failed before, and when all
 * of those hang, the next block must find slots.
 */
function retriesAreMany({ retrySlots }: Schedule, { team }: Host): boolean {
  const free = Math.floor(RETRY_SHARE * SLOTS_MAX) - retrySlots
  return !mayTake(team.retrySlots, free)
}

function retryShare(limit: number): number {
  return Math.max(limit > 1 ? 1 : 0, Math.floor(limit * RETRY_SHARE))
}

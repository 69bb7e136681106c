import { limitNow } from '../../core/delivery/host-health.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RecordedEvent } from '../../tables/chain/chain-events.ts'
import type { Delivery, DeliveryKey } from '../../tables/deliveries/delivery.ts'
import type { WaitingWebhook } from '../../tables/deliveries/outbox.ts'
import type { StoredPart } from '../../tables/deliveries/results.ts'
import { shardOf } from '../../tables/deliveries/shards.ts'
import type { ResultCache } from '../send/result-cache.ts'
import { WEBHOOK_SLOTS_MAX } from './allocate-slots.ts'
import type { OldestWaiting } from './oldest-waiting.ts'
import type { StoredLane } from './outbox-question.ts'
import {
  addWebhook,
  dropWebhook,
  enlist,
  type Schedule,
  type ScheduledWebhook,
} from './schedule.ts'
import {
  forget,
  nextNew,
  offer,
  remind,
  remindOfDue,
  remindOfNew,
  settled,
  suspend,
  type WebhookQueue,
  wants,
} from './webhook-queue.ts'
import type { WebhookSettings } from './webhook-settings.ts'

type Parts = {
  clock: Pick<Clock, 'monotonicMs'>
  schedule: Schedule
  webhookSettings: WebhookSettings
  results: ResultCache
  oldest: OldestWaiting
  owns(webhook: number): boolean
}

/** The webhooks of our shards, as far as they have something to send; others are ignored. */
export type OwnedWebhooks = {
  /** Takes the deliveries of an event that was just committed; false when some are not ours. */
  offer(event: RecordedEvent): boolean
  /** New deliveries are about to be read, which are offered as they are found. */
  beginReading(): OutboxReading
  /** The outcome of an attempt is committed; with `again`, the outbox may still have it. */
  settled(webhook: ScheduledWebhook, event: number, again: boolean): void
  remindOfDue(webhooks: readonly number[]): void
  /** Something of theirs was resent or replayed: what is known of the outbox is out of date. */
  reread(webhooks: readonly number[]): void
  /**
   * The outbox has something of theirs, which they may know; `isThorough` when they may not. What
   * they knew before and could have sent since is held up here, and its age is shown.
   */
  swept(
    waiting: readonly WaitingWebhook[],
    round: { isThorough: boolean; endsRound: boolean; isWholeRound: boolean },
  ): void
  changed(webhooks: readonly number[]): void
  /** These shards are ours again: what is known of their webhooks is out of date. */
  resume(shards: ReadonlySet<number>): void
  /** Gives up what is not ours any more; the shards of which something is still in flight. */
  withdraw(): ReadonlySet<number>
  dropAll(): void
}

type OutboxReading = {
  offer(found: { deliveries: readonly Delivery[]; results: readonly StoredPart[] }): void
  end(): void
}

const ALL_LANES: readonly StoredLane[] = ['new', 'retry', 'error']

export function openOwnedWebhooks(parts: Parts): OwnedWebhooks {
  const { schedule, webhookSettings, oldest, owns } = parts
  const { webhooks } = schedule

  /** Null when it is not ours, or there are too many: then a sweep finds it later. */
  const owned = (number: number): ScheduledWebhook | null => {
    if (!owns(number)) return null
    const known = webhooks.get(number)
    if (known) return known
    const added = addWebhook(schedule, number)
    if (added) webhookSettings.outdated(added)
    return added
  }
  const readings = openOutboxReadings(schedule, parts.results, owned)
  const allOwned = (numbers: readonly number[]) =>
    numbers.map(owned).filter((webhook) => webhook !== null)
  const tell = (numbers: readonly number[], note: (queue: WebhookQueue) => void) => {
    for (const webhook of allOwned(numbers)) {
      note(webhook.queue)
      enlist(schedule, webhook)
    }
  }

  return {
    offer: (event) => offerEvent(parts, owned, event),
    beginReading: readings.begin,
    settled(webhook, event, again) {
      readings.settled({ event, webhook: webhook.number })
      settled(webhook.queue, event, again)
    },
    remindOfDue: (numbers) => tell(numbers, remindOfDue),
    reread: (numbers) => tell(numbers, forget),
    swept(waiting, { isThorough, endsRound, isWholeRound }) {
      for (const { webhook: number, newest, sinceMs } of waiting) {
        const webhook = owned(number)
        if (!webhook) continue
        if (sinceMs !== null) noteHeldUp(parts, webhook, sinceMs)
        // A resend or a replay that nobody told of is known again then.
        if (isThorough) forget(webhook.queue)
        else if (newest !== null) remindOfNew(webhook.queue, newest, isWholeRound)
        enlist(schedule, webhook)
      }
      if (endsRound) oldest.roundEnded()
    },
    changed(numbers) {
      for (const webhook of allOwned(numbers)) {
        remind(webhook.queue, ALL_LANES)
        webhookSettings.outdated(webhook)
      }
    },
    resume(shards) {
      for (const webhook of webhooks.values()) {
        if (shards.has(shardOf(webhook.number))) webhookSettings.outdated(webhook)
      }
    },
    withdraw: () => withdrawOthers(parts),
    dropAll() {
      for (const webhook of webhooks.values()) dropWebhook(schedule, webhook)
    },
  }
}

type Owned = (webhook: number) => ScheduledWebhook | null

function offerEvent(
  { schedule, results }: Parts,
  owned: Owned,
  { deliveries, results: texts }: RecordedEvent,
): boolean {
  let isAllOurs = true
  /** Webhooks with the same query share a result, and come one after the other. */
  let keptPart: number | null = null
  for (const delivery of deliveries) {
    const { event, part } = delivery
    const webhook = owned(delivery.webhook)
    if (!webhook) {
      isAllOurs = false
      continue
    }
    const isTaken = offer(webhook.queue, delivery)
    const result = isTaken && part !== keptPart ? texts[part ?? 0] : undefined
    if (result) {
      results.keep(event, part ?? 0, result)
      keptPart = part
    }
    enlist(schedule, webhook)
  }
  return isAllOurs
}

function noteHeldUp({ clock, oldest }: Parts, webhook: ScheduledWebhook, sinceMs: number): void {
  const heldMs = heldUpSinceMs(webhook, sinceMs, clock.monotonicMs())
  if (heldMs !== null && webhook.settings) oldest.note(webhook.settings.webhook.network, heldMs)
}

/**
 * Since when the oldest new delivery to the webhook waits for this process; null where it waits
 * for its destination, which has as many as it takes or is given up, or for nobody: more couriers
 * would not send it sooner. `sinceMs` is that of the oldest in the outbox, which may be under way.
 * Strictly ordered webhooks are left out: what is new there may have to wait for a retry.
 */
function heldUpSinceMs(
  { queue, host }: ScheduledWebhook,
  sinceMs: number,
  nowMs: number,
): number | null {
  if (!host || !wants(queue, 'new')) return null
  if (host.health.opensAtMs !== null || host.slots >= limitNow(host.health, nowMs)) return null
  if (queue.slots >= WEBHOOK_SLOTS_MAX) return null
  // First attempts start in order, so whatever is prefetched is newer than what is under way.
  return queue.unsettled.size === 0 ? sinceMs : (nextNew(queue)?.createdAtMs ?? null)
}

/** Drops the webhooks that are not ours; those with something in flight only stop sending. */
function withdrawOthers({ schedule, owns }: Parts): ReadonlySet<number> {
  const busy = new Set<number>()
  for (const webhook of schedule.webhooks.values()) {
    const { number, queue } = webhook
    if (owns(number)) continue
    if (queue.slots === 0 && queue.unsettled.size === 0) {
      dropWebhook(schedule, webhook)
      continue
    }
    suspend(queue)
    forget(queue)
    busy.add(shardOf(number))
  }
  return busy
}

/** Offers queues what is read for many of them at once; others than `owned` are left out. */
function openOutboxReadings(schedule: Schedule, results: ResultCache, owned: Owned) {
  /** For each reading under way: the deliveries settled meanwhile, which it may find waiting. */
  const underWay = new Set<Set<string>>()
  return {
    begin(): OutboxReading {
      const settledMeanwhile = new Set<string>()
      underWay.add(settledMeanwhile)
      return {
        offer({ deliveries, results: parts }) {
          for (const { event, part, ...result } of parts) results.keep(event, part, result)
          for (const delivery of deliveries) {
            const webhook = owned(delivery.webhook)
            if (!webhook || settledMeanwhile.has(keyText(delivery))) continue
            offer(webhook.queue, delivery)
            enlist(schedule, webhook)
          }
        },
        end: () => void underWay.delete(settledMeanwhile),
      }
    },
    settled(key: DeliveryKey): void {
      for (const settledMeanwhile of underWay) settledMeanwhile.add(keyText(key))
    },
  }
}

function keyText({ event, webhook }: DeliveryKey): string {
  return `${event} ${webhook}`
}

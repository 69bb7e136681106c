import type { RecordedEvent } from '../../tables/chain/chain-events.ts'
import { shardOf } from '../../tables/couriers/shards.ts'
import type { WaitingWebhook } from '../../tables/deliveries/outbox.ts'
import type { ResultCache } from '../send/result-cache.ts'
import {
  addWebhook,
  dropWebhook,
  enlist,
  type Schedule,
  type ScheduledWebhook,
} from './schedule.ts'
import {
  forget,
  offer,
  remind,
  remindOfDue,
  remindOfNew,
  type StoredLane,
  suspend,
  type WebhookQueue,
} from './webhook-queue.ts'
import type { WebhookSettings } from './webhook-settings.ts'

type Needs = {
  schedule: Schedule
  webhookSettings: WebhookSettings
  results: ResultCache
  /** The webhook belongs to one of our shards. */
  owns(webhook: number): boolean
}

/** The webhooks of our shards, as far as they have something to send; others are ignored. */
export type OwnedWebhooks = {
  /** Takes the deliveries of an event that was just committed; the webhooks that are not ours. */
  offer(event: RecordedEvent): number[]
  /** The outbox may have something of theirs. */
  remind(webhooks: readonly number[], lanes: readonly StoredLane[]): void
  /** They have a retry or an error that became due. */
  remindOfDue(webhooks: readonly number[]): void
  /** Something of theirs was resent or replayed: what is known of the outbox is out of date. */
  reread(webhooks: readonly number[]): void
  /** The outbox has something of theirs, which they may know; `isThorough` when they may not. */
  swept(waiting: readonly WaitingWebhook[], isThorough: boolean): void
  /** Their settings are not what they were. */
  changed(webhooks: readonly number[]): void
  /** These shards are ours again: what is known of their webhooks is out of date. */
  resume(shards: ReadonlySet<number>): void
  /** Gives up what is not ours any more; the shards of which something is still in flight. */
  withdraw(): ReadonlySet<number>
  dropAll(): void
}

const ALL_LANES: readonly StoredLane[] = ['new', 'retry', 'error']

export function openOwnedWebhooks(needs: Needs): OwnedWebhooks {
  const { schedule, webhookSettings, results, owns } = needs
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
  const allOwned = (numbers: readonly number[]) =>
    numbers.map(owned).filter((webhook) => webhook !== null)
  const tell = (numbers: readonly number[], note: (queue: WebhookQueue) => void) => {
    for (const webhook of allOwned(numbers)) {
      note(webhook.queue)
      enlist(schedule, webhook)
    }
  }

  return {
    offer({ deliveries, results: texts }) {
      const others: number[] = []
      /** Webhooks with the same query share a result, and come one after the other. */
      let keptPart: number | null = null
      for (const delivery of deliveries) {
        const { event, webhook: number, part } = delivery
        const webhook = owned(number)
        if (!webhook) {
          others.push(number)
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
      return others
    },
    remind: (numbers, lanes) => tell(numbers, (queue) => remind(queue, lanes)),
    remindOfDue: (numbers) => tell(numbers, remindOfDue),
    reread: (numbers) => tell(numbers, forget),
    swept(waiting, isThorough) {
      for (const { webhook: number, newest } of waiting) {
        const webhook = owned(number)
        if (!webhook) continue
        // A resend or a replay that nobody told of is known again then.
        if (isThorough) forget(webhook.queue)
        else if (newest !== null) remindOfNew(webhook.queue, newest)
        enlist(schedule, webhook)
      }
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
    withdraw: () => withdrawOthers(needs),
    dropAll() {
      for (const webhook of webhooks.values()) dropWebhook(schedule, webhook)
    },
  }
}

/** Drops the webhooks that are not ours; those with something in flight only stop sending. */
function withdrawOthers({ schedule, owns }: Needs): ReadonlySet<number> {
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

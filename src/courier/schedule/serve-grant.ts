import type { Database } from '../../ports/database.ts'
import type { Delivery } from '../../tables/deliveries/delivery.ts'
import { waitingDeliveries } from '../../tables/deliveries/outbox.ts'
import type { SendAttempt } from '../send/attempt-outcome.ts'
import type { ResultCache } from '../send/result-cache.ts'
import { type AttemptNeeds, startAttempt } from '../send/start-attempt.ts'
import { endGrant, releaseSlot, type SlotGrant, takeBytes } from './allocate-slots.ts'
import type { Load } from './outbox-question.ts'
import {
  beginLoad,
  endLoad,
  loaded,
  mayStart,
  nextNew,
  refill,
  wants,
  wasStarted,
} from './webhook-queue.ts'
import type { WebhookSettings } from './webhook-settings.ts'

export type GrantNeeds = AttemptNeeds & {
  database: Database
  results: ResultCache
  webhookSettings: WebhookSettings
  /** The shards are ours for longer than an attempt takes, and nobody stops us. */
  maySend(): boolean
}

/** The bytes of an envelope beside the result. */
const ENVELOPE_BYTES = 512

/**
 * Starts as many deliveries as the grant has slots. Hot path: no promise where they and their
 * results are at hand; else one that ends when the store has been asked.
 */
export function serveGrant(needs: GrantNeeds, grant: SlotGrant): Promise<void> | null {
  const { results, schedule } = needs
  const { webhook, lane, slots } = grant
  if (lane !== 'new') return loadAndStart(needs, grant, 0)
  let used = 0
  while (used < slots) {
    const delivery = nextNew(webhook.queue)
    const result = delivery && results.atHand(delivery.event, delivery.part ?? 0)
    if (!delivery || !result) break
    const attempt = reserve(needs, grant, delivery)
    if (!attempt) {
      endGrant(schedule, grant, used)
      return null
    }
    startAttempt(needs, attempt, result)
    used += 1
  }
  if (used < slots && wants(webhook.queue, 'new')) return loadAndStart(needs, grant, used)
  endGrant(schedule, grant, used)
  return null
}

async function loadAndStart(needs: GrantNeeds, grant: SlotGrant, used: number): Promise<void> {
  const { schedule, clock } = needs
  const { webhook, lane, slots } = grant
  const { queue } = webhook
  const load = beginLoad(queue, lane, slots - used, clock.nowMs())
  const attempts: SendAttempt[] = []
  let isStarted = false
  try {
    await ask(needs, grant, load)
    for (const delivery of loaded(queue, load).slice(0, slots - used)) {
      const attempt = reserve(needs, grant, delivery)
      if (!attempt) break
      attempts.push(attempt)
    }
    const found = await Promise.all(attempts.map(({ delivery }) => resultFor(needs, delivery)))
    const isAsBefore = attempts.every(({ settings }) => settings === webhook.settings)
    isStarted = isAsBefore && mayStart(queue, load) && needs.maySend()
    if (!isStarted) return
    for (const [at, attempt] of attempts.entries()) {
      if (wasStarted(queue, load, attempt.delivery)) releaseSlot(schedule, attempt)
      else startAttempt(needs, attempt, found[at] ?? null)
    }
  } finally {
    if (!isStarted) for (const attempt of attempts) releaseSlot(schedule, attempt)
    endLoad(queue, load, !isStarted || load.found.length > attempts.length)
    endGrant(schedule, grant, used + attempts.length)
  }
}

async function ask(needs: GrantNeeds, { webhook }: SlotGrant, load: Load): Promise<void> {
  if (!load.question) return
  const rows = await waitingDeliveries(needs.database, webhook.number, load.question)
  refill(webhook.queue, load, rows)
  if (load.lane !== 'error' || load.found.length === 0) return
  // It comes with a pause, of which we may not have heard yet: then something else could still
  // go out after it.
  needs.webhookSettings.outdated(webhook)
  await needs.webhookSettings.read()
}

/** Null when the bodies in flight leave no room for its own. */
function reserve(
  { schedule }: GrantNeeds,
  grant: SlotGrant,
  delivery: Delivery,
): SendAttempt | null {
  const { webhook, host, lane, isUnproven } = grant
  const { settings } = webhook
  const bytes = delivery.dataBytes + ENVELOPE_BYTES
  if (!settings || !takeBytes(schedule, grant, bytes)) return null
  return { webhook, host, lane, bytes, isUnproven, delivery, settings }
}

/** Null for an error, and when it is not stored. */
async function resultFor({ results }: GrantNeeds, { event, kind, part }: Delivery) {
  return kind === 'error' || part === null ? null : results.read(event, part)
}

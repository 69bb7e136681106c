import type { Delivery } from '../../tables/deliveries/delivery.ts'
import { waitingDeliveries } from '../../tables/deliveries/outbox.ts'
import type { SendAttempt } from '../send/attempt-outcome.ts'
import { type DeliverySending, startAttempt } from '../send/start-attempt.ts'
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

/** The bytes of an envelope beside the result. */
const ENVELOPE_BYTES = 512

/**
 * Starts as many deliveries as the grant has slots. Hot path: no promise where they and their
 * results are at hand; else one that ends when the store has been asked.
 */
export function serveGrant(sending: DeliverySending, grant: SlotGrant): Promise<void> | null {
  const { results, schedule } = sending
  const { webhook, lane, slots } = grant
  if (lane !== 'new') return loadAndStart(sending, grant, 0)
  let used = 0
  while (used < slots) {
    const delivery = nextNew(webhook.queue)
    const result = delivery && results.atHand(delivery.event, delivery.part ?? 0)
    if (!delivery || !result) break
    const attempt = reserve(sending, grant, delivery)
    if (!attempt) {
      endGrant(schedule, grant, used)
      return null
    }
    startAttempt(sending, attempt, result)
    used += 1
  }
  if (used < slots && wants(webhook.queue, 'new')) return loadAndStart(sending, grant, used)
  endGrant(schedule, grant, used)
  return null
}

async function loadAndStart(
  sending: DeliverySending,
  grant: SlotGrant,
  used: number,
): Promise<void> {
  const { schedule, world } = sending
  const { webhook, lane, slots } = grant
  const { queue } = webhook
  const load = beginLoad(queue, lane, slots - used, world.clock.nowMs())
  const attempts: SendAttempt[] = []
  let isStarted = false
  try {
    await ask(sending, grant, load)
    for (const delivery of loaded(queue, load).slice(0, slots - used)) {
      const attempt = reserve(sending, grant, delivery)
      if (!attempt) break
      attempts.push(attempt)
    }
    const found = await Promise.all(attempts.map(({ delivery }) => resultFor(sending, delivery)))
    const isAsBefore = attempts.every(({ settings }) => settings === webhook.settings)
    isStarted = isAsBefore && mayStart(queue, load) && sending.maySend()
    if (!isStarted) return
    for (const [at, attempt] of attempts.entries()) {
      if (wasStarted(queue, load, attempt.delivery)) releaseSlot(schedule, attempt)
      else startAttempt(sending, attempt, found[at] ?? null)
    }
  } finally {
    if (!isStarted) for (const attempt of attempts) releaseSlot(schedule, attempt)
    endLoad(queue, load, !isStarted || load.found.length > attempts.length)
    endGrant(schedule, grant, used + attempts.length)
  }
}

async function ask(sending: DeliverySending, { webhook }: SlotGrant, load: Load): Promise<void> {
  if (!load.question) return
  const rows = await waitingDeliveries(sending.world.database, webhook.number, load.question)
  refill(webhook.queue, load, rows)
  if (load.lane !== 'error' || load.found.length === 0) return
  // It comes with a pause, of which we may not have heard yet: then something else could still
  // go out after it.
  sending.webhookSettings.outdated(webhook)
  await sending.webhookSettings.read()
}

/** Null when the bodies in flight leave no room for its own. */
function reserve(
  { schedule }: DeliverySending,
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
async function resultFor({ results }: DeliverySending, { event, kind, part }: Delivery) {
  return kind === 'error' || part === null ? null : results.read(event, part)
}

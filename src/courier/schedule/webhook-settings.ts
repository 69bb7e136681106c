import { standardSignature } from '../../core/delivery/signature.ts'
import { type SealedPlace, type Secrets, signingKeyPlace } from '../../ports/secrets.ts'
import type { World } from '../../ports/world.ts'
import { isOtherHistory, readRevision } from '../../tables/sql/revisions.ts'
import { type CourierWebhook, webhooksForCourier } from '../../tables/webhooks/courier-webhooks.ts'
import { webhooksChangedSince } from '../../tables/webhooks/webhooks.ts'
import {
  enlist,
  isScheduled,
  place,
  type Schedule,
  type ScheduledWebhook,
  type SendSettings,
} from './schedule.ts'
import { configure, suspend } from './webhook-queue.ts'

export type WebhookSettings = ReturnType<typeof openWebhookSettings>

const READ_AT_ONCE = 500
const CHANGES_PAGE = 500

export function openWebhookSettings(world: World, schedule: Schedule) {
  const { database } = world
  const stale = new Set<ScheduledWebhook>()
  let revision: number | null = null
  let reading: Promise<void> | null = null

  const changes = async (): Promise<number[]> => {
    const before = revision
    const now = await readRevision(database, 'webhooks')
    if (before === null) {
      // Nothing was known that could have changed; if webhooks were read meanwhile, the revision
      // from before they were is the one to go by.
      revision ??= now
      return []
    }
    if (before === now) return []
    const since = isOtherHistory(before, now) ? 0 : before
    const changed = await Array.fromAsync(
      webhooksChangedSince(database, since, CHANGES_PAGE),
      ({ number }) => number,
    )
    revision = now
    return changed
  }

  const readAll = async () => {
    // From here on changes are noticed, so it comes before the first webhook is read.
    if (revision === null) await changes()
    while (stale.size > 0) await readSome(world, schedule, stale)
  }

  return {
    /** Nothing more is sent to the webhook before it is read again. */
    outdated(webhook: ScheduledWebhook) {
      suspend(webhook.queue)
      stale.add(webhook)
    },
    isReadDue: () => stale.size > 0 && reading === null,
    read() {
      reading ??= readAll().finally(() => {
        reading = null
      })
      return reading
    },
    /** The numbers of webhooks that changed since the last look; cheap when none did. */
    changes,
  }
}

async function readSome(
  world: World,
  schedule: Schedule,
  stale: Set<ScheduledWebhook>,
): Promise<void> {
  const some = [...stale].slice(0, READ_AT_ONCE)
  for (const webhook of some) stale.delete(webhook)
  try {
    const numbers = some.map(({ number }) => number)
    const found = await webhooksForCourier(world.database, numbers)
    for (const webhook of some) {
      // Settings that became outdated while they were read are read once more.
      if (stale.has(webhook) || !isScheduled(schedule, webhook)) continue
      apply(world, schedule, webhook, found.get(webhook.number))
    }
  } catch (thrown) {
    for (const webhook of some) stale.add(webhook)
    throw thrown
  }
}

function apply(
  world: World,
  schedule: Schedule,
  webhook: ScheduledWebhook,
  found: CourierWebhook | undefined,
): void {
  const settings = found && found.state !== 'deleted' ? openSettings(world, found) : null
  place(schedule, webhook, settings)
  const isActive = settings?.webhook.state === 'active'
  configure(webhook.queue, { isActive, isOrdered: settings?.webhook.ordered === true })
  enlist(schedule, webhook)
}

/** Null when its deliveries cannot be signed. */
function openSettings({ secrets, telemetry }: World, webhook: CourierWebhook): SendSettings | null {
  const { sealed, previousSealed, previousUntilMs } = webhook.key
  const sealedPlace = signingKeyPlace(webhook.id)
  const current = signingKey(secrets, sealed, sealedPlace)
  if (current === null) {
    telemetry.log('error', 'signing_key_unreadable', { webhook: webhook.id })
    return null
  }
  // One that cannot be read is left out: its rotation is what mends that.
  const previous = previousSealed === null ? null : signingKey(secrets, previousSealed, sealedPlace)
  const keys: [string, string?] = previous === null ? [current] : [current, previous]
  return { webhook, keys, previousKeyUntilMs: previousUntilMs ?? 0 }
}

/** Null when it cannot be read. */
function signingKey(secrets: Secrets, sealed: string, sealedPlace: SealedPlace): string | null {
  try {
    const key = secrets.open(sealed, sealedPlace)
    // A key of another form would only be noticed where it must sign, and stop everything.
    standardSignature(key, '', 0, '')
    return key
  } catch {
    return null
  }
}

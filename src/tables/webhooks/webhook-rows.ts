import type { Webhook } from '../../core/delivery/webhook.ts'
import { sql } from '../../ports/database.ts'

/** The key that signs, and after a rotation the one before it, which signs for a while longer. */
export type StoredSigningKey = {
  sealed: string
  previousSealed: string | null
  previousUntilMs: number | null
}

export type StoredWebhook = {
  /** Counted in the order of creation, from 1. */
  number: number
  webhook: Webhook
  key: StoredSigningKey
  /** The key that the next rotation switches to, when it was asked for in advance. */
  nextKeySealed: string | null
}

/** A webhook as the follower needs it to run its query, one that is gone included. */
export type StandingWebhook = {
  number: number
  id: string
  teamId: string
  network: string
  query: string
  skipEmpty: boolean
  notifyRemoved: boolean
  state: Webhook['state'] | 'deleted'
  revision: number
}

type Flags<Name extends string> = Record<Name, number>

export type StandingRow = Omit<StandingWebhook, 'skipEmpty' | 'notifyRemoved'> &
  Flags<'skipEmpty' | 'notifyRemoved'>

export type WebhookRow = Omit<Webhook, 'skipEmpty' | 'notifyRemoved' | 'ordered'> &
  Flags<'skipEmpty' | 'notifyRemoved' | 'ordered'> &
  StoredSigningKey &
  Pick<StoredWebhook, 'number' | 'nextKeySealed'>

const OF_BOTH = sql`number, id, team_id AS "teamId", network, query, skip_empty AS "skipEmpty",
  notify_removed AS "notifyRemoved", state`

/** The columns of a `StandingRow`. */
export const STANDING = sql`${OF_BOTH}, revision`

export const SIGNING_KEY = sql`signing_key_sealed AS sealed,
  previous_key_sealed AS "previousSealed", previous_key_until_ms AS "previousUntilMs"`

export const WEBHOOK_COLUMNS = sql`
  ${OF_BOTH}, app_id AS "appId", name, url, ordered, reason, ${SIGNING_KEY},
  next_key_sealed AS "nextKeySealed", created_at_ms AS "createdAtMs"`

export function standingOf(row: StandingRow): StandingWebhook {
  return { ...row, skipEmpty: row.skipEmpty === 1, notifyRemoved: row.notifyRemoved === 1 }
}

export function storedOf(row: WebhookRow): StoredWebhook {
  const { number, sealed, previousSealed, previousUntilMs, nextKeySealed, ...rest } = row
  const webhook = {
    ...rest,
    skipEmpty: rest.skipEmpty === 1,
    ordered: rest.ordered === 1,
    notifyRemoved: rest.notifyRemoved === 1,
  }
  return { number, webhook, key: { sealed, previousSealed, previousUntilMs }, nextKeySealed }
}

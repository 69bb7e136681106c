import type { PauseReason, Webhook } from '../../core/delivery/webhook.ts'
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

export type StandingRow = {
  number: number
  id: string
  team_id: string
  network: string
  query: string
  skip_empty: number
  notify_removed: number
  state: string
  revision: number
}

export type WebhookRow = StandingRow & {
  app_id: string | null
  name: string
  url: string
  ordered: number
  reason: string | null
  signing_key_sealed: string
  previous_key_sealed: string | null
  previous_key_until_ms: number | null
  next_key_sealed: string | null
  variables: string
  created_at_ms: number
}

/** The columns of a `StandingRow`. */
export const STANDING = sql`
  number, id, team_id, network, query, skip_empty, notify_removed, state, revision`

/** The columns of a `WebhookRow`. */
export const WEBHOOK_COLUMNS = sql`
  ${STANDING}, app_id, name, url, ordered, reason, signing_key_sealed, previous_key_sealed,
  previous_key_until_ms, next_key_sealed, variables, created_at_ms`

export function standingOf(row: StandingRow): StandingWebhook {
  return {
    number: row.number,
    id: row.id,
    teamId: row.team_id,
    network: row.network,
    query: row.query,
    skipEmpty: row.skip_empty === 1,
    notifyRemoved: row.notify_removed === 1,
    state: row.state as StandingWebhook['state'],
    revision: row.revision,
  }
}

export function storedOf(row: WebhookRow): StoredWebhook {
  const webhook: Webhook = {
    id: row.id,
    teamId: row.team_id,
    appId: row.app_id,
    network: row.network,
    name: row.name,
    url: row.url,
    query: row.query,
    skipEmpty: row.skip_empty === 1,
    ordered: row.ordered === 1,
    notifyRemoved: row.notify_removed === 1,
    state: row.state as Webhook['state'],
    reason: row.reason as PauseReason | null,
    createdAtMs: row.created_at_ms,
  }
  const key = {
    sealed: row.signing_key_sealed,
    previousSealed: row.previous_key_sealed,
    previousUntilMs: row.previous_key_until_ms,
  }
  return { number: row.number, webhook, key, nextKeySealed: row.next_key_sealed }
}

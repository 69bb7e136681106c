import type { PauseReason, Webhook } from '../../core/delivery/webhook.ts'
import { assert, type Rejection } from '../../core/errors.ts'
import type { VariableUse } from '../../core/query/language/query-plan.ts'
import { type Database, sql } from '../../ports/database.ts'
import { freeTeamSlot, takeTeamSlot } from '../accounts/team-slots.ts'
import { holdEvents } from '../chain/chain-tail.ts'
import { cancelDeliveries } from '../deliveries/cancel-deliveries.ts'
import { activeOrPaused, type StandingRules } from './standing-rules.ts'
import {
  STANDING,
  type StandingRow,
  type StandingWebhook,
  type StoredWebhook,
  standingOf,
  storedOf,
  WEBHOOK_COLUMNS,
  type WebhookRow,
} from './webhook-rows.ts'
import { otherKindThanUsed, variablesText } from './webhook-variables.ts'
import { changeWebhooks, changeWebhooksIn } from './webhooks-change.ts'

export type { StandingRules, StandingWebhook, StoredWebhook }

export type Written<T> =
  | { kind: 'written'; stored: T }
  | { kind: 'no_slot' }
  | { kind: 'no_webhook' }
  | { kind: 'other_kind'; variable: VariableUse }
  | { kind: 'named'; named: readonly StoredWebhook[] }
  | { kind: 'refused'; rejection: Rejection }

export type WebhookChange = Partial<
  Pick<Webhook, 'name' | 'url' | 'query' | 'skipEmpty' | 'ordered' | 'notifyRemoved'>
> & {
  variables?: readonly VariableUse[]
  standing?: { state: 'active'; reason: null } | { state: 'paused'; reason: PauseReason }
  /** The key that the next rotation switches to, unless one is prepared already. */
  nextKeySealed?: string
  /** The key until now becomes the previous one, the prepared one, or else this, the new one. */
  newKey?: { sealed: string; previousUntilMs: number }
}

type Guard = (found: StoredWebhook) => Rejection | null

type Creation = {
  variables?: readonly VariableUse[]
  rules?: StandingRules
  /** Makes none where the team has one of the same name. */
  isByName?: boolean
}

/** The keys of deliveries have 24 bits for the number of a webhook. */
const WEBHOOKS_MAX = 16_777_216

/** Ten times the slots a team has. */
const LISTED_WEBHOOKS_MAX = 1_000

/**
 * The webhook as it is then: paused, with its error event, where the rules do not let it be
 * active. An app that was deleted a moment ago is none, as if it had been made before.
 */
export function createWebhook(
  db: Database,
  wanted: Webhook,
  keySealed: string,
  slotsMax: number,
  { variables = [], rules, isByName = false }: Creation = {},
): Promise<Written<Webhook>> {
  return changeWebhooks(db, async (tx, revision) => {
    const { teamId, appId } = wanted
    const named = isByName ? await listWebhooks(tx, teamId, wanted.name) : []
    if (named.length > 0) return { kind: 'named', named }

    const variable = await otherKindThanUsed(tx, teamId, variables)
    if (variable) return { kind: 'other_kind', variable }
    if (!(await takeTeamSlot(tx, teamId, slotsMax))) return { kind: 'no_slot' }

    const number = await nextNumber(tx)
    const webhook = await activeOrPaused(tx, { wanted, number }, 'new', revision, rules)
    await tx.query(sql`
      INSERT INTO webhooks
        (number, id, team_id, app_id, network, name, url, query, skip_empty, ordered, notify_removed,
        state, reason, signing_key_sealed, variables, revision, created_at_ms)
      VALUES (${number}, ${webhook.id}, ${teamId},
        (SELECT id FROM apps WHERE team_id = ${teamId} AND id = ${appId}), ${webhook.network},
        ${webhook.name}, ${webhook.url}, ${webhook.query}, ${Number(webhook.skipEmpty)},
        ${Number(webhook.ordered)}, ${Number(webhook.notifyRemoved)}, ${webhook.state},
        ${webhook.reason}, ${keySealed}, ${variablesText(variables)}, ${revision},
        ${webhook.createdAtMs})`)
    return { kind: 'written', stored: webhook }
  })
}

/**
 * Changes what is given and leaves the rest. One that is unpaused is paused again, with its
 * error event, where the rules do not let it be active.
 */
export function changeWebhook(
  db: Database,
  teamId: string,
  id: string,
  change: WebhookChange,
  rules?: StandingRules,
  guard: Guard = () => null,
): Promise<Written<StoredWebhook>> {
  return changeWebhooks(db, async (tx, revision) => {
    // Nobody else changes it between this and the UPDATE: changes come one after the other.
    const found = await findWebhook(tx, teamId, id)
    if (!found) return { kind: 'no_webhook' }
    const rejection = guard(found)
    if (rejection) return { kind: 'refused', rejection }
    const variable = await otherKindThanUsed(tx, teamId, change.variables ?? [])
    if (variable) return { kind: 'other_kind', variable }

    const { number, webhook: wanted, key, nextKeySealed } = changed(found, change)
    const variables = change.variables ? variablesText(change.variables) : null
    if (change.standing) await holdEvents(tx, wanted.network)
    const webhook = change.standing
      ? await activeOrPaused(tx, { wanted, number }, 'unpaused', revision, rules)
      : wanted
    await tx.query(sql`
      UPDATE webhooks SET name = ${webhook.name}, url = ${webhook.url}, query = ${webhook.query},
        skip_empty = ${Number(webhook.skipEmpty)}, ordered = ${Number(webhook.ordered)},
        notify_removed = ${Number(webhook.notifyRemoved)}, state = ${webhook.state},
        reason = ${webhook.reason}, signing_key_sealed = ${key.sealed},
        previous_key_sealed = ${key.previousSealed},
        previous_key_until_ms = ${key.previousUntilMs}, next_key_sealed = ${nextKeySealed},
        variables = COALESCE(${variables}, variables), revision = ${revision}
      WHERE id = ${id}`)
    return { kind: 'written', stored: { number, webhook, key, nextKeySealed } }
  })
}

/** Its webhooks name an app no more that is about to go: belongs into the same transaction. */
export function forgetApp(tx: Database, teamId: string, appId: string): Promise<void> {
  return changeWebhooksIn(tx, async (_tx, revision) => {
    await tx.query(sql`
      UPDATE webhooks SET app_id = NULL, revision = ${revision}
      WHERE team_id = ${teamId} AND app_id = ${appId} AND state <> 'deleted'`)
  })
}

/** Frees its slot and cancels what waits for it. False when the team has no such webhook. */
export function deleteWebhook(
  db: Database,
  teamId: string,
  id: string,
  guard: Guard = () => null,
): Promise<boolean | Rejection> {
  return changeWebhooks(db, async (tx, revision) => {
    const found = await findWebhook(tx, teamId, id)
    const refused = found && guard(found)
    if (refused) return refused
    const [gone] = await tx.query<{ network: string; number: number }>(sql`
      UPDATE webhooks SET state = 'deleted', reason = NULL, revision = ${revision}
      WHERE team_id = ${teamId} AND id = ${id} AND state <> 'deleted'
      RETURNING network, number`)
    if (!gone) return false

    await freeTeamSlot(tx, teamId)
    // First the events, then the deliveries: those of an event under way are cancelled too.
    await holdEvents(tx, gone.network)
    await cancelDeliveries(tx, { webhook: gone.number, teamId })
    return true
  })
}

export async function findWebhook(
  db: Database,
  teamId: string,
  id: string,
): Promise<StoredWebhook | null> {
  const rows = await db.query<WebhookRow>(sql`
    SELECT ${WEBHOOK_COLUMNS} FROM webhooks
    WHERE team_id = ${teamId} AND id = ${id} AND state <> 'deleted'`)
  return rows[0] ? storedOf(rows[0]) : null
}

/** Oldest first; with a name, only webhooks of that name. */
export async function listWebhooks(db: Database, teamId: string, name?: string) {
  const named = name === undefined ? sql`` : sql`AND name = ${name}`
  const rows = await db.query<WebhookRow>(sql`
    SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE team_id = ${teamId} AND state <> 'deleted' ${named}
    ORDER BY created_at_ms, id LIMIT ${LISTED_WEBHOOKS_MAX}`)
  return rows.map(storedOf)
}

/** The webhooks that changed after that revision, by (revision, id). A query reads one page. */
export async function* webhooksChangedSince(db: Database, since: number, pageRows: number) {
  let newer = sql`revision > ${since}`
  for (;;) {
    const rows = await db.query<StandingRow>(sql`
      SELECT ${STANDING} FROM webhooks WHERE ${newer} ORDER BY revision, id LIMIT ${pageRows}`)
    yield* rows.map(standingOf)
    const last = rows.at(-1)
    if (!last || rows.length < pageRows) return
    newer = sql`(revision, id) > (${last.revision}, ${last.id})`
  }
}

/** Changes come one after the other, and deleted webhooks stay: none is given out twice. */
async function nextNumber(tx: Database): Promise<number> {
  const [next] = await tx.query<{ number: number }>(sql`
    SELECT COALESCE(MAX(number), 0) + 1 AS number FROM webhooks`)
  const number = next?.number ?? 1
  assert(number < WEBHOOKS_MAX, 'keys have room for the number of every webhook')
  return number
}

function changed(found: StoredWebhook, change: WebhookChange): StoredWebhook {
  const { newKey, nextKeySealed = null, variables, standing, ...plain } = change
  const webhook = { ...found.webhook, ...plain, ...standing }
  const prepared = found.nextKeySealed
  const { number } = found
  if (!newKey) return { number, webhook, key: found.key, nextKeySealed: prepared ?? nextKeySealed }
  const { sealed, previousUntilMs } = newKey
  const key = { sealed: prepared ?? sealed, previousSealed: found.key.sealed, previousUntilMs }
  return { number, webhook, key, nextKeySealed: null }
}

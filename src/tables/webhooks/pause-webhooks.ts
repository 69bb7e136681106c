import type { PauseReason, Webhook } from '../../core/delivery/webhook.ts'
import { type Database, sql, type Transaction } from '../../ports/database.ts'
import { holdEvents } from '../chain/chain-tail.ts'
import { createDeliveries } from '../deliveries/create-deliveries.ts'
import { LANE } from '../deliveries/outbox.ts'
import { renewErrors } from '../deliveries/renew-errors.ts'
import { changeWebhooks, changeWebhooksIn } from './webhooks-change.ts'

export type Pause = { teamId: string; reason: PauseReason; message: string; nowMs: number }

/** A webhook and its destination, which said that it is gone for good. */
export type GoneWebhook = Pick<Webhook, 'teamId' | 'id' | 'url'>

type PausedRow = { number: number; network: string }

/**
 * Pauses all active webhooks of a team, and commits one error event for each, which goes out
 * although they are paused: all of it or nothing, and nothing when `isDue` says so meanwhile.
 * The numbers of those that were paused. None that is created or unpaused later is touched.
 */
export async function pauseTeam(
  db: Database,
  pause: Pause,
  isDue: (tx: Database) => Promise<boolean>,
): Promise<number[]> {
  // Looked at before, so that a team without any does not move the revision for nothing.
  const active = await db.query(sql`
    SELECT id FROM webhooks WHERE team_id = ${pause.teamId} AND state = 'active' LIMIT 1`)
  if (active.length === 0) return []

  return changeWebhooks(db, async (tx, revision) => {
    if (!(await isDue(tx))) return []
    const paused = await tx.query<PausedRow>(sql`
      UPDATE webhooks SET state = 'paused', reason = ${pause.reason}, revision = ${revision}
      WHERE team_id = ${pause.teamId} AND state = 'active' RETURNING number, network`)
    await commitErrors(tx, paused, pause, revision)
    return paused.map(({ number }) => number)
  })
}

/**
 * Pauses a webhook because its destination is gone. One that leads elsewhere by now, or was
 * paused for another reason, which its owner should see, is left alone.
 */
export async function pauseGoneWebhook(
  tx: Database,
  { teamId, id, url }: GoneWebhook,
): Promise<void> {
  const isSame = sql`team_id = ${teamId} AND id = ${id} AND state = 'active' AND url = ${url}`
  // Looked at before, so that many such answers do not move the revision for nothing.
  const same = await tx.query(sql`SELECT id FROM webhooks WHERE ${isSame}`)
  if (same.length === 0) return
  await changeWebhooksIn(tx, async (_tx, revision) => {
    const [paused] = await tx.query<{ network: string }>(sql`
      UPDATE webhooks SET state = 'paused', reason = 'DESTINATION_GONE', revision = ${revision}
      WHERE ${isSame} RETURNING network`)
    if (paused) await holdEvents(tx, paused.network)
  })
}

/**
 * The error events of webhooks that are paused with this revision. Where one still waits to say
 * the same, it is sent anew: who unpauses again and again piles up nothing, and what goes out
 * before the pause is heard of is followed by an error nonetheless.
 */
export async function commitErrors(
  tx: Transaction,
  paused: readonly PausedRow[],
  pause: Pause,
  revision: number,
): Promise<void> {
  // First the events, then the errors: what an event under way commits comes before them.
  const networks = [...new Set(paused.map(({ network }) => network))].sort()
  for (const network of networks) await holdEvents(tx, network)
  const numbers = paused.map(({ number }) => number)
  const renewed = await renewErrors(tx, numbers, pause)
  const untold = paused.filter(({ number }) => !renewed.has(number))
  for (const network of networks) {
    const here = untold.filter((one) => one.network === network).map(({ number }) => number)
    if (here.length > 0) await commitError(tx, network, here, pause, revision)
  }
}

async function commitError(
  tx: Transaction,
  network: string,
  webhooks: readonly number[],
  { teamId, message, nowMs }: Pause,
  revision: number,
): Promise<void> {
  const carriesNothing = { teamId, part: null, dataBytes: 0, previousSequence: null }
  await createDeliveries(tx, {
    event: {
      network,
      // The number of this pause, below zero, where it is the number of no event and no block.
      sequenceNumber: -revision,
      webhook: null,
      blockNumber: null,
      blockHash: null,
      error: message,
      createdAtMs: nowMs,
    },
    results: [],
    deliveries: webhooks.map((webhook) => ({ webhook, ...carriesNothing })),
    lane: LANE.error,
    isMarked: false,
  })
}

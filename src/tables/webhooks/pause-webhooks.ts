import { deliveryId } from '../../core/delivery/delivery-id.ts'
import type { PauseReason } from '../../core/delivery/webhook.ts'
import { type Database, type Sql, sql, sqlRows } from '../../ports/database.ts'
import { holdEvents } from '../chain/chain-tail.ts'
import { growLog, logBytesOf } from '../deliveries/log-sizes.ts'
import { listChunks, rowChunks } from '../sql/statement-chunks.ts'
import { changeWebhooks } from './webhooks-change.ts'

/** Why webhooks of a team are paused by us, and what their error events say. */
export type Pause = { teamId: string; reason: PauseReason; message: string; nowMs: number }

type PausedRow = { id: string; network: string }

/**
 * Pauses all active webhooks of a team, and commits one error event for each, which goes out
 * although they are paused: all of it or nothing, and nothing when `isDue` says so meanwhile.
 * The ids of those that were paused. None that is created or unpaused later is touched.
 */
export async function pauseTeam(
  db: Database,
  pause: Pause,
  isDue: (tx: Database) => Promise<boolean>,
): Promise<string[]> {
  // Looked at before, so that a team without any does not move the revision for nothing.
  const active = await db.query(sql`
    SELECT id FROM webhooks WHERE team_id = ${pause.teamId} AND state = 'active' LIMIT 1`)
  if (active.length === 0) return []

  return changeWebhooks(db, async (tx, revision) => {
    if (!(await isDue(tx))) return []
    const paused = await tx.query<PausedRow>(sql`
      UPDATE webhooks SET state = 'paused', reason = ${pause.reason}, revision = ${revision}
      WHERE team_id = ${pause.teamId} AND state = 'active' RETURNING id, network`)
    await commitErrors(tx, paused, pause, revision)
    return paused.map(({ id }) => id)
  })
}

/** Pauses again what its owner wants to be active: its error is due at once. */
export async function pauseAgain(
  tx: Database,
  webhook: PausedRow,
  pause: Pause,
  revision: number,
): Promise<void> {
  await tx.query(sql`
    UPDATE deliveries SET due_at_ms = ${pause.nowMs}
    WHERE ${saysSame([webhook.id], pause)} AND due_at_ms > ${pause.nowMs}`)
  await commitErrors(tx, [webhook], pause, revision)
}

/**
 * The error events of webhooks that are paused with this revision. One that still waits to say
 * the same is not repeated: who unpauses again and again piles up nothing.
 */
async function commitErrors(
  tx: Database,
  paused: readonly PausedRow[],
  pause: Pause,
  revision: number,
): Promise<void> {
  // First the events, then the errors: what an event under way commits comes before them.
  const networks = [...new Set(paused.map(({ network }) => network))].sort()
  for (const network of networks) await holdEvents(tx, network)
  const told = await waitingErrors(tx, paused, pause)
  const untold = paused.filter(({ id }) => !told.has(id))
  await insertErrors(tx, untold, pause, revision)
  for (const network of networks) {
    const errors = untold.filter((one) => one.network === network)
    await growLog(tx, network, logBytesOf([], errors.length))
  }
}

/** The webhooks that have one which says the same. */
async function waitingErrors(
  tx: Database,
  paused: readonly PausedRow[],
  pause: Pause,
): Promise<Set<string>> {
  const told = new Set<string>()
  for (const chunk of listChunks(paused.map(({ id }) => id))) {
    const rows = await tx.query<{ webhook_id: string }>(sql`
      SELECT webhook_id FROM deliveries WHERE ${saysSame(chunk, pause)}`)
    for (const { webhook_id } of rows) told.add(webhook_id)
  }
  return told
}

function saysSame(webhookIds: readonly string[], { message }: Pause): Sql {
  return sql`webhook_id IN ${sqlRows([webhookIds])} AND state = 'waiting' AND lane = 'errors'
    AND error = ${message}`
}

async function insertErrors(
  tx: Database,
  paused: readonly PausedRow[],
  { teamId, message, nowMs }: Pause,
  revision: number,
): Promise<void> {
  // The number of this pause, below zero, where it is the number of no event and no block.
  const rows = paused.map(({ id, network }) => [
    deliveryId(id, -revision),
    id,
    teamId,
    network,
    'error',
    'errors',
    message,
    'waiting',
    nowMs,
    nowMs,
    0,
    0,
    0,
  ])
  for (const chunk of rowChunks(rows)) {
    await tx.query(sql`
      INSERT INTO deliveries
        (id, webhook_id, team_id, network, kind, lane, error, state, created_at_ms, due_at_ms,
        attempts_made, lease_until_ms, replay)
      VALUES ${sqlRows(chunk)}`)
  }
}

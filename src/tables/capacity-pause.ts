import { CENTI_PER_CU, monthOf, type Tier } from '../core/billing/plan.ts'
import { deliveryId } from '../core/delivery/delivery-id.ts'
import { type Database, type Sql, sql, sqlRows } from '../ports/database.ts'
import { holdEvents } from './chain-tail.ts'
import { growLog, logBytesOf } from './log-sizes.ts'
import { rowChunks } from './statement-chunks.ts'
import { changeWebhooks } from './webhooks-change.ts'

export type CapacityPause = {
  teamId: string
  /** What the error events say. */
  message: string
  nowMs: number
  /** When given, it is made sure that the month is used up: they may have got more meanwhile. */
  tiers?: ReadonlyMap<string, Tier>
}

type PausedRow = { id: string; network: string }

/** The rest is found once these are paused. */
const TEAMS_AT_ONCE_MAX = 1_000

/**
 * Pauses all active webhooks of a team whose month is used up, and commits one error event
 * for each, which goes out although they are paused: all of it or nothing. The ids of those
 * that were paused. None that is created or unpaused later is touched.
 */
export async function pauseTeamOverLimit(db: Database, pause: CapacityPause): Promise<string[]> {
  // Looked at before, so that a team without any does not move the revision for nothing.
  const active = await db.query(sql`
    SELECT id FROM webhooks WHERE team_id = ${pause.teamId} AND state = 'active' LIMIT 1`)
  if (active.length === 0) return []

  return changeWebhooks(db, async (tx, revision) => {
    if (!(await isStillOver(tx, pause))) return []
    const paused = await tx.query<PausedRow>(sql`
      UPDATE webhooks SET state = 'paused', reason = 'MONTHLY_CAPACITY_EXCEEDED',
        revision = ${revision}
      WHERE team_id = ${pause.teamId} AND state = 'active' RETURNING id, network`)
    // First the events, then the errors: what an event under way commits comes before them.
    const networks = [...new Set(paused.map(({ network }) => network))].sort()
    for (const network of networks) await holdEvents(tx, network)
    await insertErrors(tx, paused, pause, revision)
    for (const network of networks) {
      const errors = paused.filter((one) => one.network === network)
      await growLog(tx, network, logBytesOf([], errors.length))
    }
    return paused.map(({ id }) => id)
  })
}

/**
 * Teams with active webhooks that have used up the month, such as 2026-11, and may not go on
 * past it; of all teams or of some.
 */
export async function teamsOverLimit(
  db: Database,
  month: string,
  tiers: ReadonlyMap<string, Tier>,
  teamIds: readonly string[] | null = null,
): Promise<string[]> {
  if (teamIds?.length === 0) return []
  const among = teamIds === null ? sql`` : sql`AND teams.id IN ${sqlRows([teamIds])}`
  const rows = await db.query<{ id: string }>(sql`
    SELECT teams.id FROM teams
      LEFT JOIN team_months ON team_months.team_id = teams.id AND team_months.month = ${month}
    WHERE teams.autoscaling = 0 ${among}
      AND COALESCE(team_months.centi_cu, 0) >= ${limitOfTier(tiers)}
      AND EXISTS (
        SELECT 1 FROM webhooks WHERE webhooks.team_id = teams.id AND webhooks.state = 'active')
    ORDER BY teams.id LIMIT ${TEAMS_AT_ONCE_MAX}`)
  return rows.map(({ id }) => id)
}

async function isStillOver(tx: Database, pause: CapacityPause): Promise<boolean> {
  const { teamId, nowMs, tiers } = pause
  if (!tiers) return true
  const over = await teamsOverLimit(tx, monthOf(nowMs), tiers, [teamId])
  return over.length > 0
}

async function insertErrors(
  tx: Database,
  paused: readonly PausedRow[],
  { teamId, message, nowMs }: CapacityPause,
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

/** In hundredths; NULL, which nothing reaches, without a limit. */
function limitOfTier(tiers: ReadonlyMap<string, Tier>): Sql {
  let cases = sql``
  for (const { name, monthlyCu } of tiers.values()) {
    const limit = monthlyCu === null ? null : monthlyCu * CENTI_PER_CU
    cases = sql`${cases} WHEN teams.tier = ${name} THEN CAST(${limit} AS BIGINT)`
  }
  // A tier taken out of the configuration must not set its teams free.
  return tiers.size === 0 ? sql`0` : sql`CASE ${cases} ELSE 0 END`
}

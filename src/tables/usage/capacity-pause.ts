import { CENTI_PER_CU, monthOf, type Tier } from '../../core/billing/plan.ts'
import { type Database, type Sql, sql, sqlRows } from '../../ports/database.ts'
import { type Pause, pauseTeam } from '../webhooks/pause-webhooks.ts'

export type CapacityPause = Omit<Pause, 'reason'> & {
  /** When given, it is made sure that the month is used up: they may have got more meanwhile. */
  tiers?: ReadonlyMap<string, Tier>
}

/** The rest is found once these are paused. */
const TEAMS_AT_ONCE_MAX = 1_000

/** Pauses all active webhooks of a team whose month is used up; the numbers of those. */
export function pauseTeamOverLimit(
  db: Database,
  { tiers, ...pause }: CapacityPause,
): Promise<number[]> {
  const reason = 'MONTHLY_CAPACITY_EXCEEDED'
  return pauseTeam(db, { ...pause, reason }, async (tx) =>
    tiers ? isOverLimit(tx, pause.teamId, pause.nowMs, tiers) : true,
  )
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
    ${usedUp(month, tiers)} ${among}
      AND EXISTS (
        SELECT 1 FROM webhooks WHERE webhooks.team_id = teams.id AND webhooks.state = 'active')
    ORDER BY teams.id LIMIT ${TEAMS_AT_ONCE_MAX}`)
  return rows.map(({ id }) => id)
}

/** The team has used up its month and may not go on past it. */
export async function isOverLimit(
  db: Database,
  teamId: string,
  nowMs: number,
  tiers: ReadonlyMap<string, Tier>,
): Promise<boolean> {
  const over = await db.query(sql`${usedUp(monthOf(nowMs), tiers)} AND teams.id = ${teamId}`)
  return over.length > 0
}

function usedUp(month: string, tiers: ReadonlyMap<string, Tier>): Sql {
  return sql`
    SELECT teams.id FROM teams
      LEFT JOIN team_months ON team_months.team_id = teams.id AND team_months.month = ${month}
    WHERE teams.autoscaling = 0
      AND COALESCE(team_months.centi_cu, 0) >= ${limitOfTier(tiers)}`
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

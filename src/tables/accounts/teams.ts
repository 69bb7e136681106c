import type { Team } from '../../core/billing/plan.ts'
import { type Database, sql } from '../../ports/database.ts'

type TeamRow = Omit<Team, 'autoscaling'> & { autoscaling: number }

/** An installation serves the teams of one company; a list beyond this helps nobody. */
const LISTED_TEAMS_MAX = 10_000

const COLUMNS = sql`id, name, tier, autoscaling, created_at_ms AS "createdAtMs"`

export async function insertTeam(db: Database, team: Team): Promise<void> {
  await db.query(sql`
    INSERT INTO teams (id, name, tier, autoscaling, created_at_ms)
    VALUES (${team.id}, ${team.name}, ${team.tier}, ${team.autoscaling ? 1 : 0},
      ${team.createdAtMs})`)
}

export async function findTeam(db: Database, id: string): Promise<Team | null> {
  const rows = await db.query<TeamRow>(sql`SELECT ${COLUMNS} FROM teams WHERE id = ${id}`)
  return rows[0] ? teamOf(rows[0]) : null
}

/** Oldest first; with a name, only teams of that name. */
export async function listTeams(db: Database, name?: string): Promise<Team[]> {
  const named = name === undefined ? sql`` : sql`WHERE name = ${name}`
  const rows = await db.query<TeamRow>(sql`
    SELECT ${COLUMNS} FROM teams ${named} ORDER BY created_at_ms, id LIMIT ${LISTED_TEAMS_MAX}`)
  return rows.map(teamOf)
}

export async function countTeamsByTier(db: Database): Promise<{ tier: string; teams: number }[]> {
  return db.query(sql`SELECT tier, COUNT(*) AS teams FROM teams GROUP BY tier ORDER BY tier`)
}

/** Changes what is given and leaves the rest; null when there is no such team. */
export async function changeTeam(
  db: Database,
  id: string,
  change: { tier?: string; autoscaling?: boolean },
): Promise<Team | null> {
  const autoscaling = change.autoscaling === undefined ? null : Number(change.autoscaling)
  const rows = await db.query<TeamRow>(sql`
    UPDATE teams SET tier = COALESCE(${change.tier ?? null}, tier),
      autoscaling = COALESCE(${autoscaling}, autoscaling)
    WHERE id = ${id} RETURNING ${COLUMNS}`)
  return rows[0] ? teamOf(rows[0]) : null
}

function teamOf(row: TeamRow): Team {
  return { ...row, autoscaling: row.autoscaling === 1 }
}

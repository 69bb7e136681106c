import type { Tier } from '../../core/billing/plan.ts'
import type { Backlog } from '../../core/delivery/backlog.ts'
import { type Database, type Sql, sql } from '../../ports/database.ts'
import { logBytesOf, REST } from '../usage/log-bytes.ts'

type BacklogRow = { teamId: string; tier: string; bytes: number; draining: number }

const GROW = sql`
  INSERT INTO team_backlogs (team_id, part, bytes) VALUES (${null}, ${null}, ${null})
  ON CONFLICT (team_id, part) DO UPDATE SET bytes = team_backlogs.bytes + excluded.bytes`

/** The rest is found by the next look. */
const TEAMS_AT_ONCE_MAX = 1_000

/** The bytes that a data delivery counts while it waits or has failed: result and log entry. */
export function undeliveredBytes(dataBytes: number): number {
  return logBytesOf([], 1) + dataBytes
}

/**
 * Notes what teams have more to get rid of, or less by a negative number, in the writer's part.
 * Hot path: once for each team in an event and in a group of outcomes.
 */
export async function growBacklogs(
  tx: Database,
  part: string,
  byTeam: ReadonlyMap<string, number>,
): Promise<void> {
  const rows: [teamId: string, part: string, bytes: number][] = []
  for (const [teamId, bytes] of byTeam) if (bytes !== 0) rows.push([teamId, part, bytes])
  // In order: two who lock the same rows in the same order cannot block each other.
  if (rows.length > 1) rows.sort(([a], [b]) => (a < b ? -1 : 1))
  if (rows.length > 0) await tx.each(GROW, rows)
}

export function growBacklog(tx: Database, teamId: string, bytes: number): Promise<void> {
  return growBacklogs(tx, REST, new Map([[teamId, bytes]]))
}

export async function allBacklogBytes(db: Database): Promise<number> {
  const [sum] = await db.query<{ bytes: number }>(sql`
    SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS bytes FROM team_backlogs`)
  return sum?.bytes ?? 0
}

/** The backlog of a team, with the limit of its tier. */
type TeamBacklog = Backlog & { teamId: string; limitBytes: number }

/** A team that is not there has neither a backlog nor a limit. */
export async function backlogOf(
  db: Database,
  teamId: string,
  tiers: ReadonlyMap<string, Tier>,
): Promise<TeamBacklog> {
  const [found] = await readBacklogs(db, tiers, sql`WHERE team_id = ${teamId}`)
  return found ?? { teamId, bytes: 0, draining: false, limitBytes: 0 }
}

/** Teams with active webhooks that are above their limit or draining; the largest first. */
export async function unusualBacklogs(
  db: Database,
  tiers: ReadonlyMap<string, Tier>,
): Promise<TeamBacklog[]> {
  const limits = [...tiers.values()].map(({ undeliveredBytesMax }) => undeliveredBytesMax)
  const least = limits.length === 0 ? 0 : Math.min(...limits)
  const all = await readBacklogs(
    db,
    tiers,
    sql``,
    sql`WHERE (sums.bytes > ${least} OR sums.draining = 1) AND EXISTS (
      SELECT 1 FROM webhooks WHERE webhooks.team_id = teams.id AND webhooks.state = 'active')`,
  )
  return all.filter(({ bytes, limitBytes, draining }) => bytes > limitBytes || draining)
}

/** Whether it may be above the limit for a while, since it is going down. */
export async function setDraining(tx: Database, teamId: string, draining: boolean): Promise<void> {
  await tx.query(sql`
    INSERT INTO team_backlogs (team_id, part, bytes, draining)
    VALUES (${teamId}, ${REST}, 0, ${Number(draining)})
    ON CONFLICT (team_id, part) DO UPDATE SET draining = excluded.draining
    WHERE team_backlogs.draining <> excluded.draining`)
}

async function readBacklogs(
  db: Database,
  tiers: ReadonlyMap<string, Tier>,
  some: Sql,
  like: Sql = sql``,
): Promise<TeamBacklog[]> {
  const rows = await db.query<BacklogRow>(sql`
    SELECT sums.team_id AS "teamId", teams.tier, sums.bytes, sums.draining
    FROM (
      SELECT team_id, CAST(SUM(bytes) AS BIGINT) AS bytes, MAX(draining) AS draining
      FROM team_backlogs ${some} GROUP BY team_id) AS sums
      JOIN teams ON teams.id = sums.team_id
    ${like} ORDER BY sums.bytes DESC LIMIT ${TEAMS_AT_ONCE_MAX}`)
  return rows.map(({ tier, draining, ...row }) => ({
    ...row,
    draining: draining === 1,
    // A tier taken out of the configuration must not set its teams free.
    limitBytes: tiers.get(tier)?.undeliveredBytesMax ?? 0,
  }))
}

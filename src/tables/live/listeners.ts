import { type Database, sql, sqlRows } from '../../ports/database.ts'
import { listChunks } from '../sql/row-chunks.ts'

/**
 * From here on the changes of these teams' deliveries are noted, until then. Every courier's row is
 * written too: a group of outcomes that is being settled is waited for, and the next one finds
 * that somebody listens. So nothing is missed that is committed after this.
 */
export function listenTo(
  db: Database,
  holder: string,
  teamIds: readonly string[],
  untilMs: number,
): Promise<void> {
  return db.transaction(async (tx) => {
    for (const chunk of listChunks(teamIds)) {
      await tx.query(sql`
        INSERT INTO listeners (team_id, holder, until_ms)
        VALUES ${sqlRows(chunk.map((teamId) => [teamId, holder, untilMs]))}
        ON CONFLICT (team_id, holder) DO UPDATE SET until_ms = excluded.until_ms`)
    }
    await tx.query(sql`
      UPDATE couriers SET listened_until_ms =
        CASE WHEN listened_until_ms < ${untilMs} THEN ${untilMs} ELSE listened_until_ms END`)
  })
}

/** Couriers that joined at the same moment as a listener hear of it too. */
export async function remindCouriers(
  db: Database,
  beforeMs: number,
  untilMs: number,
): Promise<void> {
  await db.query(sql`
    UPDATE couriers SET listened_until_ms = ${untilMs} WHERE listened_until_ms < ${beforeMs}`)
}

/** Ends all that this process listens to, or only a team. */
export async function stopListening(db: Database, holder: string, teamId?: string): Promise<void> {
  const one = teamId === undefined ? sql`` : sql`AND team_id = ${teamId}`
  await db.query(sql`DELETE FROM listeners WHERE holder = ${holder} ${one}`)
}

/** Removes those that are long gone: their processes were killed. */
export async function forgetListeners(db: Database, beforeMs: number): Promise<void> {
  await db.query(sql`DELETE FROM listeners WHERE until_ms < ${beforeMs}`)
}

/** Which of these teams are listened to. */
export async function listenedAmong(
  tx: Database,
  teamIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const chunk of listChunks(teamIds)) {
    const rows = await tx.query<{ team_id: string }>(sql`
      SELECT DISTINCT team_id FROM listeners WHERE team_id IN ${sqlRows([chunk])}`)
    for (const { team_id } of rows) found.add(team_id)
  }
  return found
}

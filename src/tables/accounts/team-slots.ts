import { assert } from '../../core/errors.ts'
import { type Database, sql } from '../../ports/database.ts'

/** How many webhooks the team has. */
export async function teamSlotsTaken(db: Database, teamId: string): Promise<number> {
  const rows = await db.query<{ webhooks: number }>(sql`
    SELECT webhooks FROM team_slots WHERE team_id = ${teamId}`)
  return rows[0]?.webhooks ?? 0
}

/** The count lives in the row it limits, so one conditional write is race-free on both engines. */
export async function takeTeamSlot(
  tx: Database,
  teamId: string,
  slotsMax: number,
): Promise<boolean> {
  assert(slotsMax > 0, 'the first webhook of a team always has a slot')
  const taken = await tx.query(sql`
    INSERT INTO team_slots (team_id, webhooks) VALUES (${teamId}, 1)
    ON CONFLICT (team_id) DO UPDATE SET webhooks = team_slots.webhooks + 1
    WHERE team_slots.webhooks < ${slotsMax} RETURNING team_id`)
  return taken.length === 1
}

export async function freeTeamSlot(tx: Database, teamId: string): Promise<void> {
  await tx.query(sql`
    UPDATE team_slots SET webhooks = webhooks - 1 WHERE team_id = ${teamId}`)
}

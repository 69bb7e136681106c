import { type Database, sql, sqlRows } from '../../ports/database.ts'
import type { DeliveryKey } from '../deliveries/delivery.ts'
import { listChunks } from '../sql/row-chunks.ts'
import { listenedAmong } from './listeners.ts'

/** A delivery that a transaction has changed, with its team. */
type ChangedDelivery = DeliveryKey & { teamId: string }

export type DeliveryChange = {
  change: number
  teamId: string
  /** Null where there were too many. */
  keys: readonly DeliveryKey[] | null
}

/** A stream tells no more at once; whoever hears of more fetches anew. */
export const CHANGED_KEYS_MAX = 200

/** Notes what a transaction has changed of the teams that are listened to. */
export async function noteChanges(
  tx: Database,
  changed: readonly ChangedDelivery[],
  atMs: number,
): Promise<void> {
  const byTeam = Map.groupBy(changed, ({ teamId }) => teamId)
  const listened = byTeam.size === 0 ? [] : await listenedAmong(tx, [...byTeam.keys()])
  for (const teamId of listened) {
    const keys = byTeam.get(teamId) ?? []
    const entries = keys.length > CHANGED_KEYS_MAX ? '' : entriesOf(keys)
    await tx.query(sql`
      INSERT INTO delivery_changes (team_id, at_ms, entries)
      VALUES (${teamId}, ${atMs}, ${entries})`)
  }
}

/** The numbers of all changes after that one, in no order; at most so many. */
export async function changesAfter(
  db: Database,
  change: number,
  limit: number,
): Promise<{ change: number; teamId: string }[]> {
  const rows = await db.query<{ change: number; team_id: string }>(sql`
    SELECT change, team_id FROM delivery_changes WHERE change > ${change}
    ORDER BY change LIMIT ${limit}`)
  return rows.map(({ change, team_id: teamId }) => ({ change, teamId }))
}

/** The number of the last change; 0 when there is none. */
export async function lastChange(db: Database): Promise<number> {
  const [last] = await db.query<{ change: number | null }>(sql`
    SELECT MAX(change) AS change FROM delivery_changes`)
  return last?.change ?? 0
}

export async function readChanges(
  db: Database,
  changes: readonly number[],
): Promise<DeliveryChange[]> {
  const found: DeliveryChange[] = []
  for (const chunk of listChunks(changes)) {
    const rows = await db.query<{ change: number; team_id: string; entries: string }>(sql`
      SELECT change, team_id, entries FROM delivery_changes WHERE change IN ${sqlRows([chunk])}`)
    for (const { change, team_id: teamId, entries } of rows) {
      found.push({ change, teamId, keys: entries === '' ? null : keysIn(entries) })
    }
  }
  return found
}

/** Removes what everybody who listens has read long ago. */
export async function forgetChanges(db: Database, beforeMs: number): Promise<void> {
  await db.query(sql`DELETE FROM delivery_changes WHERE at_ms < ${beforeMs}`)
}

function entriesOf(keys: readonly DeliveryKey[]): string {
  return keys.map(({ event, webhook }) => `${event}-${webhook}`).join(' ')
}

function keysIn(entries: string): DeliveryKey[] {
  return entries.split(' ').map((entry) => {
    const [event, webhook] = entry.split('-').map(Number)
    return { event: event ?? 0, webhook: webhook ?? 0 }
  })
}

import { assert } from '../../../core/errors.ts'
import { type Database, sql } from '../../../ports/database.ts'
import { moveOpen } from './sheets.ts'

/**
 * Gives rows to all deliveries that were made up to then and are still open; the webhooks that
 * they are for. Cheap where there are none.
 */
export async function moveOldOpen(db: Database, createdUpToMs: number): Promise<string[]> {
  const webhookIds = new Set<string>()
  for (;;) {
    const [open] = await db.query(sql`
      SELECT sheet FROM sheets WHERE open > 0 AND created_at_ms <= ${createdUpToMs} LIMIT 1`)
    if (!open) return [...webhookIds]
    const moved = await db.transaction((tx) => moveOpen(tx, { createdUpToMs }))
    assert(moved.webhookIds.length > 0, 'a sheet that is open has open deliveries')
    for (const id of moved.webhookIds) webhookIds.add(id)
  }
}

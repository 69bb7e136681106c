import { assert, Failure } from '../../core/errors.ts'
import { type Database, sql } from '../../ports/database.ts'
import { readInstanceFact } from '../sql/instance.ts'
import type { RowValues } from './moved-rows.ts'
import { MOVE_FACT } from './moved-tables.ts'

/** How far a move has come. It stands in the target, and changes together with its rows. */
export type MoveMark = {
  /** The stamp of the source when the move began. */
  source: string
  step: 'copy' | 'check'
  /** The table that is worked on, and the key up to which that is done. */
  table: string
  after: RowValues | null
  /** Rows that are done in this step, by table. */
  rows: Readonly<Record<string, number>>
}

/**
 * The mark of the move into this store, begun now or before; null when the store is in use.
 * Whoever was killed in the middle of writing is waited for.
 */
export function beginMove(
  target: Database,
  source: string,
  firstTable: string,
): Promise<MoveMark | null> {
  return target.transaction(async (tx) => {
    const [kept] = await tx.query<{ value: string }>(sql`
      UPDATE instance_facts SET value = value WHERE name = ${MOVE_FACT} RETURNING value`)
    if (kept) return sameMove(JSON.parse(kept.value), source)
    if (!(await isEmptyStore(tx))) return null
    const mark: MoveMark = { source, step: 'copy', table: firstTable, after: null, rows: {} }
    await tx.query(sql`
      INSERT INTO instance_facts (name, value) VALUES (${MOVE_FACT}, ${JSON.stringify(mark)})`)
    // A new store has a row of its own.
    await tx.query(sql`DELETE FROM retention`)
    return mark
  })
}

/** Puts the next mark in the place of the last one; only one who moves can. */
export async function advanceMark(tx: Database, last: MoveMark, next: MoveMark): Promise<void> {
  const advanced = await tx.query(sql`
    UPDATE instance_facts SET value = ${JSON.stringify(next)}
    WHERE name = ${MOVE_FACT} AND value = ${JSON.stringify(last)} RETURNING name`)
  if (advanced.length === 0) throw new Failure('move_failed', { reason: MOVED_BY_ANOTHER })
}

/** From here on the store can be used. */
export async function finishMove(target: Database, last: MoveMark): Promise<void> {
  const finished = await target.query(sql`
    DELETE FROM instance_facts
    WHERE name = ${MOVE_FACT} AND value = ${JSON.stringify(last)} RETURNING name`)
  if (finished.length === 0) throw new Failure('move_failed', { reason: MOVED_BY_ANOTHER })
}

/** Half of a store would deliver half of what waits. */
export async function refuseUnfinishedMove(db: Database): Promise<void> {
  if ((await readInstanceFact(db, MOVE_FACT)) === null) return
  const reason = 'the move into this store is not finished; run headgate migrate again'
  throw new Failure('start_failed', { reason })
}

const MOVED_BY_ANOTHER = 'another process moves into the same store at this moment'

function sameMove(mark: MoveMark, source: string): MoveMark {
  assert(mark.step === 'copy' || mark.step === 'check', 'a move copies or checks')
  if (mark.source === source) return mark
  throw new Failure('move_failed', {
    reason:
      'an unfinished move stands in the target, of another source or of this one before it was ' +
      'used again; make the target anew, empty, and run headgate migrate again',
  })
}

/** Whether a store has never been used. */
export async function isEmptyStore(tx: Database): Promise<boolean> {
  const used = await tx.query(sql`
    SELECT 1 AS used FROM teams UNION ALL SELECT 1 FROM tokens UNION ALL SELECT 1 FROM chains
    UNION ALL SELECT 1 FROM events LIMIT 1`)
  return used.length === 0
}

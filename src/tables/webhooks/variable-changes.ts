import { type Database, sql } from '../../ports/database.ts'
import { VARIABLE_COLUMNS, type Variable } from './variables.ts'

export type ChangedItem = { item: string; isGone: boolean; revision: number }

/** The variables that changed after that revision, in order; no two have the same revision. */
export async function* variablesChangedSince(db: Database, since: number, pageRows: number) {
  for (let revision = since; ; ) {
    const rows: (Variable & { isGone: number })[] = await db.query(sql`
      SELECT ${VARIABLE_COLUMNS}, is_gone AS "isGone" FROM variables WHERE revision > ${revision}
      ORDER BY revision LIMIT ${pageRows}`)
    yield* rows.map((row) => ({ ...row, isGone: row.isGone === 1 }))
    const last = rows.at(-1)
    if (!last || rows.length < pageRows) return
    revision = last.revision
  }
}

/** Pages of the items that came or went after that revision, in the order of (revision, item). */
export async function* itemsChangedSince(
  db: Database,
  variableId: number,
  since: number,
  pageRows: number,
): AsyncGenerator<ChangedItem[]> {
  let newer = sql`revision > ${since}`
  for (;;) {
    const rows = await db.query<Omit<ChangedItem, 'isGone'> & { isGone: number }>(sql`
      SELECT item, is_gone AS "isGone", revision FROM variable_items
      WHERE variable_id = ${variableId} AND ${newer} ORDER BY revision, item LIMIT ${pageRows}`)
    yield rows.map((row) => ({ ...row, isGone: row.isGone === 1 }))
    const last = rows.at(-1)
    if (!last || rows.length < pageRows) return
    newer = sql`(revision, item) > (${last.revision}, ${last.item})`
  }
}

/** Forgets items of one deleted variable; the number of those it has forgotten now. */
export async function forgetGoneItems(db: Database, itemsMax: number): Promise<number> {
  const [gone] = await db.query<{ id: number }>(sql`
    SELECT id FROM variables WHERE is_gone = 1 AND EXISTS (
      SELECT 1 FROM variable_items WHERE variable_items.variable_id = variables.id)
    ORDER BY id LIMIT 1`)
  if (!gone) return 0

  const forgotten = await db.query(sql`
    DELETE FROM variable_items WHERE variable_id = ${gone.id} AND item IN (
      SELECT item FROM variable_items WHERE variable_id = ${gone.id} LIMIT ${itemsMax})
    RETURNING is_gone`)
  return forgotten.length
}

import { type Database, sql } from '../../ports/database.ts'
import { VARIABLE_COLUMNS, type Variable } from './variables.ts'

export type ChangedItem = { item: string; isGone: boolean; revision: number }

/**
 * A page of the variables that changed after that revision, in the order of it; no two have
 * the same. The next page begins after the last row's.
 */
export async function variablesChangedSince(
  db: Database,
  revision: number,
  limit: number,
): Promise<(Variable & { isGone: boolean })[]> {
  const rows = await db.query<Variable & { isGone: number }>(sql`
    SELECT ${VARIABLE_COLUMNS}, is_gone AS "isGone" FROM variables WHERE revision > ${revision}
    ORDER BY revision LIMIT ${limit}`)
  return rows.map((row) => ({ ...row, isGone: row.isGone === 1 }))
}

/**
 * A page of the items that came or went after that revision, in the order of (revision,
 * item). The next page begins after the last row of this one: pass its revision and its item.
 */
export async function itemsChangedSince(
  db: Database,
  variableId: number,
  revision: number,
  limit: number,
  afterItem: string | null = null,
): Promise<ChangedItem[]> {
  const newer =
    afterItem === null
      ? sql`revision > ${revision}`
      : sql`(revision, item) > (${revision}, ${afterItem})`
  const rows = await db.query<Omit<ChangedItem, 'isGone'> & { isGone: number }>(sql`
    SELECT item, is_gone AS "isGone", revision FROM variable_items
    WHERE variable_id = ${variableId} AND ${newer} ORDER BY revision, item LIMIT ${limit}`)
  return rows.map((row) => ({ ...row, isGone: row.isGone === 1 }))
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

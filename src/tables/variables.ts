import { assert } from '../core/errors.ts'
import type { VariableKind } from '../core/query/plan.ts'
import { type Database, sql, sqlRows } from '../ports/database.ts'
import { listChunks, rowChunks } from './statement-chunks.ts'
import { changeWebhooks } from './webhooks-change.ts'

export type Variable = {
  /** The revision that made it. */
  id: number
  teamId: string
  name: string
  kind: VariableKind
  itemCount: number
  /** Of its last change, those of its items included. */
  revision: number
}

/** Items are in lower case; one given twice counts once. */
export type NewItems = {
  teamId: string
  name: string
  kind: VariableKind
  items: readonly string[]
}

export type Added =
  | { kind: 'added'; added: number }
  | { kind: 'kind_differs'; variable: Variable }
  | { kind: 'too_many_items' }
  | { kind: 'too_many_variables' }

export type ChangedItem = { item: string; isGone: boolean; revision: number }

type VariableRow = {
  id: number
  team_id: string
  name: string
  kind: string
  item_count: number
  is_gone: number
  revision: number
}

/** Thrown to undo what was added so far, and caught right outside of the transaction. */
class TooManyItems extends Error {}

export const VARIABLE_ITEMS_MAX = 10_000_000

/** Ten for each webhook a team may have. */
export const TEAM_VARIABLES_MAX = 1_000

const COLUMNS = sql`id, team_id, name, kind, item_count, is_gone, revision`

/** The first items of a name make the variable. */
export async function addItems(
  db: Database,
  adding: NewItems,
  itemsMax = VARIABLE_ITEMS_MAX,
): Promise<Added> {
  try {
    return await changeWebhooks(db, (tx, revision) => add(tx, revision, adding, itemsMax))
  } catch (error) {
    if (error instanceof TooManyItems) return { kind: 'too_many_items' }
    throw error
  }
}

/** How many there were to remove; null when the team has no such variable. */
export function removeItems(
  db: Database,
  teamId: string,
  name: string,
  items: readonly string[],
): Promise<number | null> {
  return changeWebhooks(db, async (tx, revision) => {
    const variable = await findVariable(tx, teamId, name)
    if (!variable) return null

    let removed = 0
    for (const chunk of listChunks(inOrder(items))) {
      const gone = await tx.query(sql`
        UPDATE variable_items SET is_gone = 1, revision = ${revision}
        WHERE variable_id = ${variable.id} AND is_gone = 0 AND item IN ${sqlRows([chunk])}
        RETURNING is_gone`)
      removed += gone.length
    }
    await count(tx, variable.id, -removed, revision, VARIABLE_ITEMS_MAX)
    return removed
  })
}

/** Its items are of no use from then on. False when the team has no such variable. */
export function deleteVariable(db: Database, teamId: string, name: string): Promise<boolean> {
  return changeWebhooks(db, async (tx, revision) => {
    const gone = await tx.query(sql`
      UPDATE variables SET is_gone = 1, item_count = 0, revision = ${revision}
      WHERE team_id = ${teamId} AND name = ${name} AND is_gone = 0 RETURNING id`)
    return gone.length === 1
  })
}

export async function findVariable(
  db: Database,
  teamId: string,
  name: string,
): Promise<Variable | null> {
  const rows = await db.query<VariableRow>(sql`
    SELECT ${COLUMNS} FROM variables
    WHERE team_id = ${teamId} AND name = ${name} AND is_gone = 0`)
  return rows[0] ? variableOf(rows[0]) : null
}

/** In their order, after the one given; null when the team has no such variable. */
export async function listItems(
  db: Database,
  teamId: string,
  name: string,
  limit: number,
  after: string | null = null,
): Promise<{ items: string[]; totalCount: number } | null> {
  const variable = await findVariable(db, teamId, name)
  if (!variable) return null

  const rows = await db.query<{ item: string }>(sql`
    SELECT item FROM variable_items
    WHERE variable_id = ${variable.id} AND is_gone = 0 AND item > ${after ?? ''}
    ORDER BY item LIMIT ${limit}`)
  return { items: rows.map(({ item }) => item), totalCount: variable.itemCount }
}

/** Those of the keys, in lower case, that are items of the variable. */
export async function itemsAmong(
  db: Database,
  variableId: number,
  keys: readonly string[],
): Promise<string[]> {
  const found: string[] = []
  for (const chunk of listChunks(inOrder(keys))) {
    const rows = await db.query<{ item: string }>(sql`
      SELECT item FROM variable_items
      WHERE variable_id = ${variableId} AND is_gone = 0 AND item IN ${sqlRows([chunk])}`)
    for (const { item } of rows) found.push(item)
  }
  return found
}

/**
 * A page of the variables that changed after that revision, in the order of it; no two have
 * the same. The next page begins after the last row's.
 */
export async function variablesChangedSince(
  db: Database,
  revision: number,
  limit: number,
): Promise<(Variable & { isGone: boolean })[]> {
  const rows = await db.query<VariableRow>(sql`
    SELECT ${COLUMNS} FROM variables WHERE revision > ${revision}
    ORDER BY revision LIMIT ${limit}`)
  return rows.map((row) => ({ ...variableOf(row), isGone: row.is_gone === 1 }))
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
  const rows = await db.query<{ item: string; is_gone: number; revision: number }>(sql`
    SELECT item, is_gone, revision FROM variable_items
    WHERE variable_id = ${variableId} AND ${newer} ORDER BY revision, item LIMIT ${limit}`)
  return rows.map((row) => ({
    item: row.item,
    isGone: row.is_gone === 1,
    revision: row.revision,
  }))
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

async function add(
  tx: Database,
  revision: number,
  { teamId, name, kind, items }: NewItems,
  itemsMax: number,
): Promise<Added> {
  const found = await findVariable(tx, teamId, name)
  if (found && found.kind !== kind) return { kind: 'kind_differs', variable: found }
  if (!found && !(await insertVariable(tx, revision, teamId, name, kind))) {
    return { kind: 'too_many_variables' }
  }

  const id = found?.id ?? revision
  let added = 0
  const rows = inOrder(items).map((item) => [id, item, revision, 0] as const)
  for (const chunk of rowChunks(rows)) {
    const fresh = await tx.query(sql`
      INSERT INTO variable_items (variable_id, item, revision, is_gone) VALUES ${sqlRows(chunk)}
      ON CONFLICT (variable_id, item) DO UPDATE
      SET is_gone = 0, revision = excluded.revision WHERE variable_items.is_gone = 1
      RETURNING is_gone`)
    added += fresh.length
  }
  const fits = await count(tx, id, added, revision, itemsMax)
  if (!fits) throw new TooManyItems()
  return { kind: 'added', added }
}

async function insertVariable(
  tx: Database,
  revision: number,
  teamId: string,
  name: string,
  kind: VariableKind,
): Promise<boolean> {
  const [living] = await tx.query<{ count: number }>(sql`
    SELECT COUNT(*) AS count FROM variables WHERE team_id = ${teamId} AND is_gone = 0`)
  assert(living !== undefined, 'a count is one row')
  if (living.count >= TEAM_VARIABLES_MAX) return false

  await tx.query(sql`
    INSERT INTO variables (id, team_id, name, kind, item_count, is_gone, revision)
    VALUES (${revision}, ${teamId}, ${name}, ${kind}, 0, 0, ${revision})`)
  return true
}

/** False when there would be too many. */
async function count(
  tx: Database,
  id: number,
  change: number,
  revision: number,
  itemsMax: number,
): Promise<boolean> {
  if (change === 0) return true
  const counted = await tx.query(sql`
    UPDATE variables SET item_count = item_count + ${change}, revision = ${revision}
    WHERE id = ${id} AND item_count + ${change} <= ${itemsMax} RETURNING id`)
  return counted.length === 1
}

/** Each once and sorted: neighbours are written together, and one row is never written twice. */
function inOrder(items: readonly string[]): string[] {
  return [...new Set(items)].sort()
}

function variableOf(row: VariableRow): Variable {
  return {
    id: row.id,
    teamId: row.team_id,
    name: row.name,
    kind: row.kind as VariableKind,
    itemCount: row.item_count,
    revision: row.revision,
  }
}

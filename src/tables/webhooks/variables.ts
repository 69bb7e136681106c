import { assert } from '../../core/errors.ts'
import type { VariableKind } from '../../core/query/language/query-plan.ts'
import { type Database, sql, sqlRows } from '../../ports/database.ts'
import { listChunks, rowChunks, rowsOfChunks } from '../sql/row-chunks.ts'
import { webhookOfOtherKind } from './webhook-variables.ts'
import { changeWebhooks } from './webhooks-change.ts'

export type Variable = {
  /** The revision that made it. */
  id: number
  teamId: string
  name: string
  kind: VariableKind
  itemCount: number
  /** Items that were removed and whose rows are still kept. */
  removedCount: number
  /** The revision of its last change, those of its items included. */
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
  | { kind: 'too_many_items'; of: keyof ItemLimits }
  | { kind: 'other_kind_in_use'; webhookId: string }
  | { kind: 'too_many_variables' }

export type ItemLimits = { ofVariable: number; ofTeam: number; removed: number }

/** Thrown to undo what was added so far, and caught right outside of the transaction. */
class TooManyItems extends Error {
  readonly of: keyof ItemLimits

  constructor(of: keyof ItemLimits) {
    super(`too many items: ${of}`)
    this.of = of
  }
}

export const VARIABLE_ITEMS_MAX = 10_000_000

/** Ten for each webhook a team may have. */
export const TEAM_VARIABLES_MAX = 1_000

/**
 * Removed items of a team that are kept, or as many as it may have items: the row of a removed
 * item stays for those who read what has changed, until its variable is deleted.
 */
const TEAM_REMOVED_MAX = 1_000_000

const TEAM_ITEMS_MAX = 2 ** 50

export const VARIABLE_COLUMNS = sql`id, team_id AS "teamId", name, kind, item_count AS "itemCount",
  removed_count AS "removedCount", revision`

/** The first items of a name make the variable. */
export async function addItems(
  db: Database,
  adding: NewItems,
  limits: Partial<ItemLimits> = {},
): Promise<Added> {
  const { ofVariable = VARIABLE_ITEMS_MAX, ofTeam = TEAM_ITEMS_MAX } = limits
  const { removed = Math.max(ofTeam, TEAM_REMOVED_MAX) } = limits
  const all = { ofVariable, ofTeam, removed }
  try {
    return await changeWebhooks(db, (tx, revision) => add(tx, revision, adding, all))
  } catch (error) {
    if (error instanceof TooManyItems) return { kind: 'too_many_items', of: error.of }
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
    await count(tx, variable.id, -removed, removed, revision)
    return removed
  })
}

/** Its items are of no use from then on. False when the team has no such variable. */
export function deleteVariable(db: Database, teamId: string, name: string): Promise<boolean> {
  return changeWebhooks(db, async (tx, revision) => {
    const gone = await tx.query(sql`
      UPDATE variables SET is_gone = 1, item_count = 0, removed_count = 0, revision = ${revision}
      WHERE team_id = ${teamId} AND name = ${name} AND is_gone = 0 RETURNING id`)
    return gone.length === 1
  })
}

export async function findVariable(
  db: Database,
  teamId: string,
  name: string,
): Promise<Variable | null> {
  const [variable] = await db.query<Variable>(sql`
    SELECT ${VARIABLE_COLUMNS} FROM variables
    WHERE team_id = ${teamId} AND name = ${name} AND is_gone = 0`)
  return variable ?? null
}

/** All of a team, by name. */
export async function listVariables(db: Database, teamId: string): Promise<Variable[]> {
  const rows = await db.query<Variable>(sql`
    SELECT ${VARIABLE_COLUMNS} FROM variables
    WHERE team_id = ${teamId} AND is_gone = 0 LIMIT ${TEAM_VARIABLES_MAX}`)
  // The engines sort names by rules of their own.
  return rows.sort((a, b) => (a.name < b.name ? -1 : 1))
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

/** The keys, in lower case, that are items of the variable. */
export async function itemsAmong(
  db: Database,
  variableId: number,
  keys: readonly string[],
): Promise<string[]> {
  const rows = await rowsOfChunks(listChunks(inOrder(keys)), (chunk) =>
    db.query<{ item: string }>(sql`
      SELECT item FROM variable_items
      WHERE variable_id = ${variableId} AND is_gone = 0 AND item IN ${sqlRows([chunk])}`),
  )
  return rows.map(({ item }) => item)
}

async function add(
  tx: Database,
  revision: number,
  { teamId, name, kind, items }: NewItems,
  limits: ItemLimits,
): Promise<Added> {
  const found = await findVariable(tx, teamId, name)
  if (found && found.kind !== kind) return { kind: 'kind_differs', variable: found }
  const webhookId = found ? null : await webhookOfOtherKind(tx, teamId, { name, kind })
  if (webhookId !== null) return { kind: 'other_kind_in_use', webhookId }
  if (!found && !(await insertVariable(tx, revision, teamId, name, kind))) {
    return { kind: 'too_many_variables' }
  }

  const id = found?.id ?? revision
  let added = 0
  let revived = 0
  const rows = inOrder(items).map((item) => [id, item, revision, 0] as const)
  for (const chunk of rowChunks(rows)) {
    if (found && found.removedCount > 0) revived += await goneAmong(tx, id, chunk)
    const fresh = await tx.query(sql`
      INSERT INTO variable_items (variable_id, item, revision, is_gone) VALUES ${sqlRows(chunk)}
      ON CONFLICT (variable_id, item) DO UPDATE
      SET is_gone = 0, revision = excluded.revision WHERE variable_items.is_gone = 1
      RETURNING is_gone`)
    added += fresh.length
  }
  if (added === 0) return { kind: 'added', added }
  await count(tx, id, added, -revived, revision)
  if ((found?.itemCount ?? 0) + added > limits.ofVariable) throw new TooManyItems('ofVariable')
  await checkTeam(tx, teamId, limits)
  return { kind: 'added', added }
}

/** Counted anew each time: a team has few variables, and their sum cannot go astray. */
async function checkTeam(tx: Database, teamId: string, limits: ItemLimits): Promise<void> {
  const [total] = await tx.query<{ items: number; removed: number }>(sql`
    SELECT CAST(SUM(item_count) AS BIGINT) AS items,
      CAST(SUM(removed_count) AS BIGINT) AS removed
    FROM variables WHERE team_id = ${teamId} AND is_gone = 0`)
  assert(total !== undefined, 'a sum is one row')
  if (total.items > limits.ofTeam) throw new TooManyItems('ofTeam')
  if (total.removed > limits.removed) throw new TooManyItems('removed')
}

async function goneAmong(
  tx: Database,
  variableId: number,
  rows: readonly (readonly [number, string, number, number])[],
): Promise<number> {
  const items = rows.map(([, item]) => item)
  const [gone] = await tx.query<{ count: number }>(sql`
    SELECT COUNT(*) AS count FROM variable_items
    WHERE variable_id = ${variableId} AND is_gone = 1 AND item IN ${sqlRows([items])}`)
  return gone?.count ?? 0
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
    INSERT INTO variables (id, team_id, name, kind, item_count, removed_count, is_gone, revision)
    VALUES (${revision}, ${teamId}, ${name}, ${kind}, 0, 0, 0, ${revision})`)
  return true
}

async function count(
  tx: Database,
  id: number,
  items: number,
  removed: number,
  revision: number,
): Promise<void> {
  if (items === 0) return
  await tx.query(sql`
    UPDATE variables SET item_count = item_count + ${items},
      removed_count = removed_count + ${removed}, revision = ${revision}
    WHERE id = ${id}`)
}

/** Each once and sorted: neighbours are written together, and one row is never written twice. */
function inOrder(items: readonly string[]): string[] {
  return [...new Set(items)].sort()
}

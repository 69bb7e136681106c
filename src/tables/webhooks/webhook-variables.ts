import type { VariableKind, VariableUse } from '../../core/query/language/query-plan.ts'
import { type Database, sql, sqlRows } from '../../ports/database.ts'

/** Kept with a webhook: the kinds of the variables that its query declares, by name. */
export function variablesText(uses: readonly VariableUse[]): string {
  return JSON.stringify(Object.fromEntries(uses.map(({ name, kind }) => [name, kind])))
}

export function variablesNamed(
  db: Database,
  teamId: string,
  names: readonly string[],
): Promise<(VariableUse & { items: number })[]> {
  return db.query(sql`
    SELECT name, kind, item_count AS items FROM variables
    WHERE team_id = ${teamId} AND is_gone = 0 AND name IN ${sqlRows([names])} ORDER BY name`)
}

/** A variable of the team that is of another kind than it is used as, if there is one. */
export async function otherKindThanUsed(
  db: Database,
  teamId: string,
  uses: readonly VariableUse[],
): Promise<VariableUse | null> {
  if (uses.length === 0) return null
  const names = uses.map(({ name }) => name)
  const rows = await variablesNamed(db, teamId, names)
  return (
    rows.find((row) => uses.some((use) => use.name === row.name && use.kind !== row.kind)) ?? null
  )
}

/** The team's webhooks that name a variable, by its name and in the order of their ids. */
export async function webhooksByVariable(
  db: Database,
  teamId: string,
): Promise<Map<string, string[]>> {
  const rows = await db.query<{ id: string; variables: string }>(sql`
    SELECT id, variables FROM webhooks
    WHERE team_id = ${teamId} AND state <> 'deleted' AND variables <> '{}' ORDER BY id`)
  const users = new Map<string, string[]>()
  for (const { id, variables } of rows) {
    for (const name of Object.keys(JSON.parse(variables))) {
      const ids = users.get(name) ?? []
      ids.push(id)
      users.set(name, ids)
    }
  }
  return users
}

/** A webhook of the team whose query uses a variable of that name as one of another kind. */
export async function webhookOfOtherKind(
  db: Database,
  teamId: string,
  { name, kind }: VariableUse,
): Promise<string | null> {
  const rows = await db.query<{ id: string; variables: string }>(sql`
    SELECT id, variables FROM webhooks
    WHERE team_id = ${teamId} AND state <> 'deleted' AND variables LIKE ${`%"${name}":%`}
    ORDER BY id`)
  // An underscore of the name stands for any character there, and case may count for nothing.
  const using = rows.find(({ variables }) => {
    const kinds = new Map(Object.entries(JSON.parse(variables) as Record<string, VariableKind>))
    return kinds.has(name) && kinds.get(name) !== kind
  })
  return using?.id ?? null
}

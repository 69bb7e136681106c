import type { VariableKind, VariableUse } from '../../core/query/language/query-plan.ts'
import { type Database, sql, sqlRows } from '../../ports/database.ts'

/** Kept with a webhook: the kinds of the variables that its query declares, by name. */
export function variablesText(uses: readonly VariableUse[]): string {
  return JSON.stringify(Object.fromEntries(uses.map(({ name, kind }) => [name, kind])))
}

/** A variable of the team that is of another kind than it is used as, if there is one. */
export async function otherKindThanUsed(
  db: Database,
  teamId: string,
  uses: readonly VariableUse[],
): Promise<VariableUse | null> {
  if (uses.length === 0) return null
  const names = uses.map(({ name }) => name)
  const rows = await db.query<VariableUse>(sql`
    SELECT name, kind FROM variables
    WHERE team_id = ${teamId} AND is_gone = 0 AND name IN ${sqlRows([names])} ORDER BY name`)
  return (
    rows.find((row) => uses.some((use) => use.name === row.name && use.kind !== row.kind)) ?? null
  )
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

import type { Database, Sql } from '../../src/ports/database.ts'

/** How SQLite goes about every statement of the work, in its own words. */
export async function plansOf(
  db: Database,
  work: (watched: Database) => Promise<unknown>,
): Promise<string[]> {
  const statements: Sql[] = []
  const watch = (inner: Database): Database => ({
    ...inner,
    query(statement) {
      statements.push(statement)
      return inner.query(statement)
    },
    each(statement, rows) {
      statements.push(statement)
      return inner.each(statement, rows)
    },
    transaction: (inside) => inner.transaction((tx) => inside(watch(tx))),
    perform: (procedure, args) => inner.transaction((tx) => procedure.run(watch(tx), args)),
  })
  await work(watch(db))

  const details: string[] = []
  for (const { parts, values } of statements) {
    const explained = [`EXPLAIN QUERY PLAN ${parts[0]}`, ...parts.slice(1)]
    const plan = await db.query<{ detail: string }>({ parts: explained, values })
    details.push(...plan.map(({ detail }) => detail))
  }
  return details
}

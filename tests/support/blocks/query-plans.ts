import { manyRows, numberedText } from '../../../src/cluster/postgres/many-rows.ts'
import type {
  Database,
  Procedure,
  Sql,
  SqlValue,
  Transaction,
} from '../../../src/ports/database.ts'
import { POSTGRES_PROCEDURES } from '../../../src/tables/postgres/postgres-procedures.ts'
import { WORLD } from '../product/world.ts'

type Asked = { statement: Sql; rows: readonly (readonly SqlValue[])[] | null }

/** How the engine goes about every statement of the work, in the words of SQLite. */
export async function plansOf(
  db: Database,
  work: (watched: Database) => Promise<unknown>,
): Promise<string[]> {
  const asked: Asked[] = []
  const own = WORLD === 'postgres' ? POSTGRES_PROCEDURES : []
  const watch = <Kind extends Database>(inner: Kind): Kind => ({
    ...inner,
    query<Row>(statement: Sql) {
      asked.push({ statement, rows: null })
      return inner.query<Row>(statement)
    },
    each(statement: Sql, rows: readonly (readonly SqlValue[])[]) {
      asked.push({ statement, rows })
      return inner.each(statement, rows)
    },
    transaction: <T>(inside: (tx: Transaction) => Promise<T>) =>
      inner.transaction((tx) => inside(watch(tx))),
    perform: <Args extends readonly unknown[], Answer>(
      procedure: Procedure<Args, Answer>,
      args: Args,
    ) => {
      const { run } = own.find((one) => one.name === procedure.name) ?? procedure
      const inside = (tx: Transaction) => run(watch(tx), args as never) as Promise<Answer>
      return 'last' in inner ? inside(inner as unknown as Transaction) : inner.transaction(inside)
    },
  })
  await work(watch(db))

  return WORLD === 'postgres' ? plansOnPostgres(db, asked) : plansOnSqlite(db, asked)
}

async function plansOnSqlite(db: Database, asked: readonly Asked[]): Promise<string[]> {
  const details: string[] = []
  for (const { statement } of asked) {
    const { parts, values } = statement
    const explained = [`EXPLAIN QUERY PLAN ${parts[0]}`, ...parts.slice(1)]
    const plan = await db.query<{ detail: string }>({ parts: explained, values })
    details.push(...plan.map(({ detail }) => detail))
  }
  return details
}

type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: PlanNode[]
}

/** In SQLite's words as far as they go; a partition is called as its table. */
async function plansOnPostgres(db: Database, asked: readonly Asked[]): Promise<string[]> {
  const details: string[] = []
  const visit = (node: PlanNode) => {
    const { 'Node Type': type, 'Index Cond': condition, Plans: plans = [] } = node
    const table = (node['Relation Name'] ?? '').replace(/_\d+$/, '')
    if (type === 'Seq Scan') details.push(`SCAN ${table}`)
    else if (/^Index (Only )?Scan/.test(type)) {
      const index = `USING INDEX ${node['Index Name']} ${condition}`
      details.push(condition === undefined ? `SCAN ${table}` : `SEARCH ${table} ${index}`)
    } else if (type === 'Bitmap Index Scan') details.push(`SEARCH by ${condition}`)
    plans.forEach(visit)
  }
  for (const { text, values } of asked.flatMap(textsOf)) {
    const parts = `EXPLAIN (FORMAT JSON) ${text}`.split(/\$\d+/)
    const [explained] = await db.query<{ 'QUERY PLAN': string | { Plan: PlanNode }[] }>({
      parts,
      values,
    } as Sql)
    const plan = explained?.['QUERY PLAN'] ?? []
    for (const { Plan } of typeof plan === 'string' ? JSON.parse(plan) : plan) visit(Plan)
  }
  return details
}

/** As the driver sends it: one statement may stand for many rows. */
function textsOf({ statement, rows }: Asked): { text: string; values: readonly SqlValue[] }[] {
  const many = rows ? manyRows(statement) : null
  if (!many || !rows) return [{ text: numberedText(statement.parts), values: statement.values }]
  return many.statements(rows)
}

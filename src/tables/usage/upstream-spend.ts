import type { Spending } from '../../core/billing/upstream-budget.ts'
import { type Database, sql, sqlRows } from '../../ports/database.ts'
import { inOrder } from '../sql/in-order.ts'
import { rowChunks } from '../sql/row-chunks.ts'

type AccountSpend = { account: string; periodStartMs: number; credits: number }

/** A hundred upstreams over some years. */
const SPEND_ROWS_MAX = 5000

/** Adds what was spent, in the transaction that makes sure that it happens once. */
export async function addSpends(tx: Database, rows: readonly Spending[]): Promise<void> {
  const sums = new Map<string, Spending>()
  for (const row of rows) {
    const key = JSON.stringify([row.account, row.periodStartMs, row.network, row.upstream])
    const sum = sums.get(key)
    const requests = (sum?.requests ?? 0) + row.requests
    sums.set(key, { ...row, requests, credits: (sum?.credits ?? 0) + row.credits })
  }
  const values = inOrder(sums).map((row) => [
    row.account,
    row.periodStartMs,
    row.network,
    row.upstream,
    row.requests,
    row.credits,
  ])
  const statements = rowChunks(values).map(
    (chunk) => sql`
      INSERT INTO upstream_spend
        (account, period_start_ms, network, upstream, requests, credits)
      VALUES ${sqlRows(chunk)}
      ON CONFLICT (account, period_start_ms, network, upstream) DO UPDATE
      SET requests = upstream_spend.requests + excluded.requests,
        credits = upstream_spend.credits + excluded.credits`,
  )
  await Promise.all(statements.map((statement) => tx.query(statement)))
}

/** The credits of each account by billing month, of those that began then or later. */
export function accountSpends(db: Database, fromMs: number): Promise<AccountSpend[]> {
  return db.query(sql`
    SELECT account, period_start_ms AS "periodStartMs", CAST(SUM(credits) AS BIGINT) AS credits
    FROM upstream_spend WHERE period_start_ms >= ${fromMs}
    GROUP BY account, period_start_ms LIMIT ${SPEND_ROWS_MAX}`)
}

/** The spending of each upstream by billing month since then, newest first. */
export function upstreamSpends(db: Database, fromMs: number): Promise<Spending[]> {
  return db.query(sql`
    SELECT account, period_start_ms AS "periodStartMs", network, upstream, requests, credits
    FROM upstream_spend WHERE period_start_ms >= ${fromMs}
    ORDER BY period_start_ms DESC, account, network, upstream LIMIT ${SPEND_ROWS_MAX}`)
}

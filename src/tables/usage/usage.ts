import { hourOf, monthEndMs, monthOf } from '../../core/billing/plan.ts'
import type { Spending } from '../../core/billing/upstream-budget.ts'
import { assert } from '../../core/errors.ts'
import { type Database, type Procedure, type Sql, sql, sqlRows } from '../../ports/database.ts'
import { inOrder } from '../sql/in-order.ts'
import { rowChunks } from '../sql/row-chunks.ts'
import { addFigures, type FigureRow } from './call-stats.ts'
import { addSpends } from './upstream-spend.ts'

export type UsageTotals = {
  calls: number
  centiCu: number
  /** Bytes delivered to webhooks; 0 for RPC. */
  bytes: number
}

export type UsageRow = UsageTotals & {
  teamId: string
  appId: string
  network: string
  method: string
  hourMs: number
}

/** A writer numbers its batches upwards, so that one sent twice is counted once. */
export type UsageBatch = {
  writer: string
  sequence: number
  atMs: number
  rows: readonly UsageRow[]
  /** How calls went, which is no part of the bill. */
  figures?: readonly FigureRow[]
  spends?: readonly Spending[]
}

export type UsageQuestion = {
  teamId: string
  fromMs: number
  toMs: number
  bucket: 'hour' | 'day' | 'month'
  groupBy: 'method' | 'network' | 'app' | 'none'
}

/** `group` is the method, the network or the app's id; empty when not grouped. */
export type UsagePoint = UsageTotals & { startMs: number; group: string }

/** A batch is repeated within seconds or never; a writer silent for a day is gone. */
const MARK_LIFE_MS = 24 * 3_600_000

/** A year of days with 27 groups. An answer as long as this may have been cut. */
export const SERIES_POINTS_MAX = 10_000

/** A century: beyond it a clock was wrong when the ledger was written. */
const MONTHS_MAX = 1_200

const DAY_MS = sql`86400000`

const GROUP = { method: sql`method`, network: sql`network`, app: sql`app_id`, none: sql`''` }

/** False when that sequence was written before, by a commit whose answer was lost. */
export function recordUsage(db: Database, batch: UsageBatch): Promise<boolean> {
  return db.perform(writeUsage, [plainBatch(batch)])
}

/** A whole: on its way to another thread and back, each statement alone would lose time. */
export const writeUsage: Procedure<[batch: UsageBatch], boolean> = {
  name: 'writeUsage',
  async run(tx, [batch]) {
    if (!(await markBatch(tx, batch))) return false
    const { rows, figures = [], spends = [] } = batch
    await addUsage(tx, rows)
    // At the end of the transaction: many processes write the same rows of these.
    if (figures.length > 0) tx.last(() => addFigures(tx, figures))
    if (spends.length > 0) tx.last(() => addSpends(tx, spends))
    return true
  },
}

/** A batch that can travel: the rows of a meter hold on to their accounts, which stay with it. */
function plainBatch(batch: UsageBatch): UsageBatch {
  const rows = batch.rows.map((row) => {
    const { teamId, appId, network, method, hourMs, calls, centiCu, bytes } = row
    return { teamId, appId, network, method, hourMs, calls, centiCu, bytes }
  })
  return { ...batch, rows }
}

async function markBatch(tx: Database, { writer, sequence, atMs }: UsageBatch): Promise<boolean> {
  const marked = await tx.query(sql`
    INSERT INTO usage_marks (writer, sequence, written_at_ms)
    VALUES (${writer}, ${sequence}, ${atMs})
    ON CONFLICT (writer) DO UPDATE
    SET sequence = excluded.sequence, written_at_ms = excluded.written_at_ms
    WHERE usage_marks.sequence < excluded.sequence RETURNING writer`)
  return marked.length > 0
}

/** For those who know by other means that it was not counted before. */
export async function addUsage(tx: Database, rows: readonly UsageRow[]): Promise<void> {
  await Promise.all([addToLedger(tx, rows), addToMonths(tx, rows)])
}

/** The usage of a team in a month such as 2026-11. */
export async function teamMonthCentiCu(
  db: Database,
  teamId: string,
  month: string,
): Promise<number> {
  return (await teamsMonthCentiCu(db, [teamId], month)).get(teamId) ?? 0
}

/** The same for many teams at once; teams that spent nothing are left out. */
export async function teamsMonthCentiCu(
  db: Database,
  teamIds: readonly string[],
  month: string,
): Promise<Map<string, number>> {
  const rows = await db.query<{ team_id: string; centi_cu: number }>(sql`
    SELECT team_id, centi_cu FROM team_months
    WHERE month = ${month} AND team_id IN ${sqlRows([teamIds])}`)
  return new Map(rows.map((row) => [row.team_id, row.centi_cu]))
}

/** The sum over the hours that begin in [fromMs, toMs). */
export async function usageTotals(
  db: Database,
  teamId: string,
  fromMs: number,
  toMs: number,
): Promise<UsageTotals> {
  const [sum] = await db.query<UsageTotals>(sql`
    SELECT CAST(COALESCE(SUM(calls), 0) AS BIGINT) AS calls,
      CAST(COALESCE(SUM(centi_cu), 0) AS BIGINT) AS "centiCu",
      CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS bytes
    FROM usage WHERE team_id = ${teamId} AND hour_ms >= ${fromMs} AND hour_ms < ${toMs}`)
  assert(sum !== undefined, 'a sum without groups is one row')
  return sum
}

/** Sums over the hours that begin in [fromMs, toMs), by UTC bucket and group, oldest first. */
export async function usageSeries(db: Database, question: UsageQuestion): Promise<UsagePoint[]> {
  const start = await bucketStart(db, question)
  if (!start) return []

  return db.query(sql`
    SELECT ${start} AS "startMs", ${GROUP[question.groupBy]} AS "group",
      CAST(SUM(calls) AS BIGINT) AS calls, CAST(SUM(centi_cu) AS BIGINT) AS "centiCu",
      CAST(SUM(bytes) AS BIGINT) AS bytes
    FROM usage ${within(question)}
    GROUP BY "startMs", "group" ORDER BY "startMs", "group" LIMIT ${SERIES_POINTS_MAX}`)
}

/** Forgets the writers that are gone: every start of a process is a new one. */
export async function pruneMarks(db: Database, nowMs: number): Promise<void> {
  await db.query(sql`DELETE FROM usage_marks WHERE written_at_ms < ${nowMs - MARK_LIFE_MS}`)
}

async function addToLedger(tx: Database, rows: readonly UsageRow[]): Promise<void> {
  const sums = new Map<string, UsageRow>()
  for (const row of rows) {
    assert(hourOf(row.hourMs) === row.hourMs, 'the ledger counts by whole hours')
    const key = JSON.stringify([row.teamId, row.hourMs, row.appId, row.network, row.method])
    const sum = sums.get(key)
    sums.set(key, sum ? added(sum, row) : row)
  }
  const values = inOrder(sums).map((row) => [
    row.teamId,
    row.hourMs,
    row.appId,
    row.network,
    row.method,
    row.calls,
    row.centiCu,
    row.bytes,
  ])
  const statements = rowChunks(values).map(
    (chunk) => sql`
      INSERT INTO usage
        (team_id, hour_ms, app_id, network, method, calls, centi_cu, bytes)
      VALUES ${sqlRows(chunk)}
      ON CONFLICT (team_id, hour_ms, app_id, network, method) DO UPDATE
      SET calls = usage.calls + excluded.calls,
        centi_cu = usage.centi_cu + excluded.centi_cu,
        bytes = usage.bytes + excluded.bytes`,
  )
  await Promise.all(statements.map((statement) => tx.query(statement)))
}

async function addToMonths(tx: Database, rows: readonly UsageRow[]): Promise<void> {
  const sums = new Map<string, [teamId: string, month: string, centiCu: number]>()
  for (const { teamId, hourMs, centiCu } of rows) {
    const month = monthOf(hourMs)
    const key = JSON.stringify([teamId, month])
    sums.set(key, [teamId, month, (sums.get(key)?.[2] ?? 0) + centiCu])
  }
  const statements = rowChunks(inOrder(sums)).map(
    (chunk) => sql`
      INSERT INTO team_months (team_id, month, centi_cu) VALUES ${sqlRows(chunk)}
      ON CONFLICT (team_id, month) DO UPDATE
      SET centi_cu = team_months.centi_cu + excluded.centi_cu`,
  )
  await Promise.all(statements.map((statement) => tx.query(statement)))
}

function added(sum: UsageRow, row: UsageRow): UsageRow {
  return {
    ...sum,
    calls: sum.calls + row.calls,
    centiCu: sum.centiCu + row.centiCu,
    bytes: sum.bytes + row.bytes,
  }
}

/** The expression that gives an hour's bucket; null when there is no usage at all. */
async function bucketStart(db: Database, question: UsageQuestion): Promise<Sql | null> {
  if (question.bucket === 'hour') return sql`hour_ms`
  if (question.bucket === 'day') return sql`hour_ms - hour_ms % ${DAY_MS}`

  // The engines have no common word for a month, so we list those that occur. Adding up
  // days here instead would cut off what lies beyond the limit on rows.
  const [span] = await db.query<{ first_ms: number | null; last_ms: number | null }>(sql`
    SELECT MIN(hour_ms) AS first_ms, MAX(hour_ms) AS last_ms FROM usage ${within(question)}`)
  if (!span || span.first_ms === null || span.last_ms === null) return null
  return monthStart(span.first_ms, span.last_ms)
}

function monthStart(firstMs: number, lastMs: number): Sql {
  const first = new Date(firstMs)
  let startMs = Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), 1)
  let cases = sql``
  for (let months = 0; startMs <= lastMs; months++) {
    assert(months < MONTHS_MAX, 'the ledger spans less than a century')
    const endMs = monthEndMs(startMs)
    cases = sql`${cases} WHEN hour_ms < ${endMs} THEN CAST(${startMs} AS BIGINT)`
    startMs = endMs
  }
  // Usage of a new month may be written between our two statements.
  return sql`CASE ${cases} ELSE CAST(${startMs} AS BIGINT) END`
}

function within(question: UsageQuestion): Sql {
  return sql`WHERE team_id = ${question.teamId}
    AND hour_ms >= ${question.fromMs} AND hour_ms < ${question.toMs}`
}

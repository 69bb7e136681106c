import { addTimes, newTimes, TIME_BUCKETS } from '../../core/rpc/call-times.ts'
import { type Database, type Sql, type SqlValue, sql } from '../../ports/database.ts'
import { inOrder } from '../sql/in-order.ts'
import { rowChunks } from '../sql/row-chunks.ts'

export type CallCounts = {
  calls: number
  /** Refused, or not answered. */
  errors: number
  /** Answered by a node with an error. */
  nodeErrors: number
  cached: number
  coalesced: number
  centiCu: number
  /** By bucket of `CallTimes`. */
  times: readonly number[]
}

export type CallSplit = 'method' | 'status' | 'upstream'

/** The figures of one minute. Those of `node`, for an upstream, have neither team nor app. */
export type FigureRow = CallCounts & {
  teamId: string
  appId: string
  network: string
  split: CallSplit | 'node'
  /** The method, the status or the upstream. */
  name: string
  minuteMs: number
}

type Split = FigureRow['split'] | 'none'

type StoredRow = Omit<FigureRow, 'split' | 'minuteMs' | 'times'> & {
  split: Split
  spanMs: number
  atMs: number
  times: number[]
}

/** A question for the figures of a team, of spans that begin in [fromMs, toMs). */
export type CallsQuestion = {
  teamId: string
  fromMs: number
  toMs: number
  spanMs: number
  /** Null for those of all. */
  appId: string | null
  network: string | null
}

export type CallGroup = CallCounts & { group: string; callsOfAll: number }

export type CallPoint = CallCounts & { startMs: number }

export type NodePoint = CallCounts & { network: string; upstream: string; startMs: number }

export const MINUTE_MS = 60_000
export const NODE_SPAN_MS = 5 * MINUTE_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** How far back each span is kept, with a little more for those who ask by whole spans. */
const KEPT_MS: readonly (readonly [spanMs: number, keptMs: number])[] = [
  [MINUTE_MS, 7 * HOUR_MS],
  [NODE_SPAN_MS, 26 * HOUR_MS],
  [HOUR_MS, 8 * DAY_MS],
  [DAY_MS, 32 * DAY_MS],
]

/**
 * The rows that a figure is added to. Few questions name a method and many do not, so calls are
 * also counted without: an answer then reads a row for each span, app and network.
 */
const ROWS_OF: Readonly<Record<FigureRow['split'], readonly (readonly [Split, number])[]>> = {
  method: [
    ['none', MINUTE_MS],
    ['none', HOUR_MS],
    ['none', DAY_MS],
    ['method', HOUR_MS],
    ['method', DAY_MS],
  ],
  status: [
    ['status', HOUR_MS],
    ['status', DAY_MS],
  ],
  upstream: [
    ['upstream', HOUR_MS],
    ['upstream', DAY_MS],
  ],
  node: [['node', NODE_SPAN_MS]],
}

const TIMES = Array.from({ length: TIME_BUCKETS }, (_, bucket) => `t${bucket}`)

const COLUMN_OF = {
  calls: 'calls',
  errors: 'errors',
  nodeErrors: 'node_errors',
  cached: 'cached',
  coalesced: 'coalesced',
  centiCu: 'centi_cu',
} as const

const FIELDS = Object.keys(COLUMN_OF) as (keyof typeof COLUMN_OF)[]

const COUNTS = [...Object.values(COLUMN_OF), ...TIMES]

const KEY = ['team_id', 'split', 'span_ms', 'at_ms', 'app_id', 'network', 'name']

const ADD: Sql = {
  parts: [
    `INSERT INTO call_stats (${[...KEY, ...COUNTS].join(', ')}) VALUES (`,
    ...Array<string>(KEY.length + COUNTS.length - 1).fill(', '),
    `) ON CONFLICT (${KEY.join(', ')}) DO UPDATE SET ` +
      COUNTS.map((column) => `${column} = call_stats.${column} + excluded.${column}`).join(', '),
  ],
  values: Array<null>(KEY.length + COUNTS.length).fill(null),
}

const SUMS: Sql = {
  parts: [
    [...Object.entries(COLUMN_OF), ...TIMES.map((column) => [column, column])]
      .map(([field, column]) => `CAST(SUM(${column}) AS BIGINT) AS "${field}"`)
      .join(', '),
  ],
  values: [],
}

const GROUP = {
  none: sql`''`,
  app: sql`app_id`,
  network: sql`network`,
  method: sql`name`,
  status: sql`name`,
  upstream: sql`name`,
} as const

export type GroupCallsBy = keyof typeof GROUP

/** Adds the figures of a moment, in the transaction that makes sure that it happens once. */
export async function addFigures(tx: Database, figures: readonly FigureRow[]): Promise<void> {
  const sums = new Map<string, StoredRow>()
  for (const figure of figures) {
    for (const [split, spanMs] of ROWS_OF[figure.split]) addTo(sums, figure, split, spanMs)
  }
  const rows = inOrder(sums).map(valuesOf)
  await Promise.all(rowChunks(rows).map((chunk) => tx.each(ADD, chunk)))
}

/** The largest groups first; each knows how many calls all of them had, those left out too. */
export async function callGroups(
  db: Database,
  question: CallsQuestion,
  groupBy: GroupCallsBy,
  groupsMax: number,
): Promise<CallGroup[]> {
  const split = groupBy === 'app' || groupBy === 'network' ? 'none' : groupBy
  const rows = await db.query<CountsRow & { group_name: string; calls_of_all: number }>(sql`
    SELECT ${GROUP[groupBy]} AS group_name, ${SUMS},
      CAST(SUM(SUM(calls)) OVER () AS BIGINT) AS calls_of_all
    FROM call_stats ${within(question, split)}
    GROUP BY group_name ORDER BY calls DESC, group_name LIMIT ${groupsMax}`)
  return rows.map((row) => ({
    group: row.group_name,
    callsOfAll: row.calls_of_all,
    ...countsOf(row),
  }))
}

/** By span, oldest first. */
export async function callSeries(db: Database, question: CallsQuestion): Promise<CallPoint[]> {
  const rows = await db.query<CountsRow & { at_ms: number }>(sql`
    SELECT at_ms, ${SUMS} FROM call_stats ${within(question, 'none')}
    GROUP BY at_ms ORDER BY at_ms`)
  return rows.map((row) => ({ startMs: row.at_ms, ...countsOf(row) }))
}

/** Requests to the upstreams of all networks since then, by span, oldest first. */
export async function nodeSeries(db: Database, fromMs: number): Promise<NodePoint[]> {
  const rows = await db.query<CountsRow & { network: string; name: string; at_ms: number }>(sql`
    SELECT network, name, at_ms, ${SUMS} FROM call_stats
    WHERE team_id = '' AND split = 'node' AND span_ms = ${NODE_SPAN_MS} AND at_ms >= ${fromMs}
    GROUP BY network, name, at_ms ORDER BY at_ms`)
  return rows.map((row) => ({
    network: row.network,
    upstream: row.name,
    startMs: row.at_ms,
    ...countsOf(row),
  }))
}

export async function pruneFigures(db: Database, nowMs: number, rowsMax: number): Promise<number> {
  for (const [spanMs, keptMs] of KEPT_MS) {
    const removed = await db.query(sql`
      DELETE FROM call_stats
      WHERE (team_id, split, span_ms, at_ms, app_id, network, name) IN (
        SELECT team_id, split, span_ms, at_ms, app_id, network, name FROM call_stats
        WHERE span_ms = ${spanMs} AND at_ms < ${nowMs - keptMs} LIMIT ${rowsMax})
      RETURNING at_ms`)
    if (removed.length > 0) return removed.length
  }
  return 0
}

function addTo(
  sums: Map<string, StoredRow>,
  { minuteMs, times, ...figure }: FigureRow,
  split: Split,
  spanMs: number,
): void {
  const name = split === 'none' ? '' : figure.name
  const atMs = minuteMs - (minuteMs % spanMs)
  const { teamId, appId, network } = figure
  const key = JSON.stringify([teamId, split, spanMs, atMs, appId, network, name])
  const sum = sums.get(key)
  if (!sum) {
    const own = newTimes()
    addTimes(own, times)
    sums.set(key, { ...figure, split, spanMs, atMs, name, times: own })
    return
  }
  for (const field of FIELDS) sum[field] += figure[field]
  addTimes(sum.times, times)
}

function within({ teamId, fromMs, toMs, spanMs, appId, network }: CallsQuestion, split: Split) {
  const ofApp = appId === null ? sql`` : sql`AND app_id = ${appId}`
  const onNetwork = network === null ? sql`` : sql`AND network = ${network}`
  return sql`WHERE team_id = ${teamId} AND split = ${split} AND span_ms = ${spanMs}
    AND at_ms >= ${fromMs} AND at_ms < ${toMs} ${ofApp} ${onNetwork}`
}

function valuesOf(row: StoredRow): SqlValue[] {
  return [
    row.teamId,
    row.split,
    row.spanMs,
    row.atMs,
    row.appId,
    row.network,
    row.name,
    ...FIELDS.map((field) => row[field]),
    ...row.times,
  ]
}

type CountsRow = Omit<CallCounts, 'times'>

function countsOf(row: CountsRow): CallCounts {
  const columns = new Map<string, unknown>(Object.entries(row))
  const { calls, errors, nodeErrors, cached, coalesced, centiCu } = row
  const times = TIMES.map((column) => Number(columns.get(column) ?? 0))
  return { calls, errors, nodeErrors, cached, coalesced, centiCu, times }
}

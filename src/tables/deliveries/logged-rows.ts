import { type Database, type Sql, sql } from '../../ports/database.ts'

export type DeliveryState = 'waiting' | 'delivered' | 'failed' | 'cancelled'

/** Where a page ends: the last one that is on it. */
export type LogCursor = { createdAtMs: number; id: string }

export type LogQuestion = {
  webhookId?: string | undefined
  status?: DeliveryState | undefined
  block?: number | undefined
  after?: LogCursor | undefined
  limit: number
}

export type LogRow = {
  id: string
  webhook_id: string
  network: string
  kind: string
  sequence_number: number | null
  block_number: number | null
  block_hash: string | null
  error: string | null
  replay: number
  state: string
  created_at_ms: number
  due_at_ms: number
  done_at_ms: number | null
  attempts_made: number
  body_bytes: number | null
}

/** Of one height there are as many as a team has webhooks, times its reorganisations. */
const ONE_HEIGHT_MAX = 10_000

export const LOG_COLUMNS = sql`
  id, webhook_id, network, kind, sequence_number, block_number, block_hash, error, replay,
  state, created_at_ms, due_at_ms, done_at_ms, attempts_made, body_bytes`

/**
 * In the words of the indexes: each state has its own, so that none is searched for another.
 * Of those that wait, what is new is not among them: see `newOnes`.
 */
const IN_STATE: Readonly<Record<DeliveryState, Sql>> = {
  waiting: sql`state = 'waiting' AND lane <> 'first'`,
  delivered: sql`state = 'delivered'`,
  failed: sql`state = 'failed' AND state IN ('failed', 'cancelled')`,
  cancelled: sql`state = 'cancelled' AND state IN ('failed', 'cancelled')`,
}

/** Of a webhook's new deliveries, so many are looked at whatever page is wanted. */
const NEW_FEW = 100

const STATES = ['waiting', 'delivered', 'failed', 'cancelled'] as const

/** The newest of a team's deliveries that have rows, at least as many as are wanted. */
export async function newestRows(
  db: Database,
  teamId: string,
  question: LogQuestion,
): Promise<LogRow[]> {
  const { status, block, limit } = question
  const states = status ? [status] : STATES
  const found =
    block === undefined ? ofStates(teamId, question, states) : ofBlock(teamId, block, question)
  const rows = await db.query<LogRow>(sql`
    SELECT ${LOG_COLUMNS} FROM (${found}) AS found
    ORDER BY created_at_ms DESC, id DESC LIMIT ${limit}`)
  const mayBeNew = block === undefined && states.includes('waiting')
  if (mayBeNew) rows.push(...(await newOnes(db, teamId, question)))
  return rows
}

/**
 * What waits for its first attempt. An index of its own would cost every delivery two writes;
 * so it is read webhook by webhook. Few are sorted by time; where many wait, they come in the
 * order of their numbers, which is the same unless the clock was set back meanwhile.
 */
async function newOnes(db: Database, teamId: string, question: LogQuestion): Promise<LogRow[]> {
  const { webhookId, after, limit } = question
  const one = webhookId === undefined ? sql`` : sql`AND webhooks.id = ${webhookId}`
  const webhooks = await db.query<{ id: string; network: string }>(sql`
    SELECT id, network FROM webhooks WHERE team_id = ${teamId} ${one} AND EXISTS (
      SELECT 1 FROM deliveries WHERE deliveries.webhook_id = webhooks.id
        AND deliveries.state = 'waiting' AND deliveries.lane = 'first')`)
  const [last] = after
    ? await db.query<{ network: string; sequence_number: number | null }>(sql`
        SELECT network, sequence_number FROM deliveries WHERE id = ${after.id}`)
    : []
  const pages = webhooks.map(async ({ id, network }) => {
    const newest = (only: Sql, count: number) =>
      db.query<LogRow>(sql`
        SELECT ${LOG_COLUMNS} FROM deliveries
        WHERE webhook_id = ${id} AND state = 'waiting' AND lane = 'first' ${only}
        ORDER BY sequence_number DESC LIMIT ${count}`)
    const few = await newest(sql``, NEW_FEW)
    if (few.length < NEW_FEW) return few.filter((row) => isBeyond(row, after))
    // Numbers count the events of a network, so a page that is far down is found at once.
    const isKnown = last?.network === network && last.sequence_number !== null
    const below = isKnown ? sql`AND sequence_number <= ${last.sequence_number}` : sql``
    return newest(sql`${below} ${beyond(question)}`, limit)
  })
  return (await Promise.all(pages)).flat()
}

export function isBeyond(
  row: Pick<LogRow, 'created_at_ms' | 'id'>,
  after: LogCursor | undefined,
): boolean {
  if (!after) return true
  const { createdAtMs, id } = after
  return row.created_at_ms < createdAtMs || (row.created_at_ms === createdAtMs && row.id < id)
}

/** The newest of each state, each found by its own index. */
function ofStates(teamId: string, question: LogQuestion, states: readonly DeliveryState[]): Sql {
  const { webhookId, limit } = question
  const whose = webhookId === undefined ? sql`team_id = ${teamId}` : ofWebhook(teamId, webhookId)
  let all: Sql | null = null
  for (const state of states) {
    const some = sql`SELECT ${LOG_COLUMNS} FROM (
      SELECT ${LOG_COLUMNS} FROM deliveries
      WHERE ${whose} AND ${IN_STATE[state]} ${beyond(question)}
      ORDER BY created_at_ms DESC, id DESC LIMIT ${limit}) AS newest`
    all = all === null ? some : sql`${all} UNION ALL ${some}`
  }
  return all ?? sql``
}

/** Few at one height, so that these are read first and sorted out afterwards. */
function ofBlock(teamId: string, block: number, question: LogQuestion): Sql {
  const { webhookId, status } = question
  const whose =
    webhookId === undefined
      ? sql`webhook_id IN (SELECT webhooks.id FROM webhooks WHERE webhooks.team_id = ${teamId})`
      : ofWebhook(teamId, webhookId)
  const inState = status ? sql`AND state = ${status}` : sql``
  return sql`SELECT ${LOG_COLUMNS} FROM (
    SELECT ${LOG_COLUMNS} FROM deliveries WHERE block_number = ${block} AND ${whose}
    LIMIT ${ONE_HEIGHT_MAX}) AS height
    WHERE kind = 'data' ${inState} ${beyond(question)}`
}

/** Does not name the team of the delivery: the index by teams would look as good. */
function ofWebhook(teamId: string, webhookId: string): Sql {
  return sql`webhook_id = ${webhookId} AND EXISTS (
    SELECT 1 FROM webhooks WHERE webhooks.id = ${webhookId} AND webhooks.team_id = ${teamId})`
}

function beyond({ after }: LogQuestion): Sql {
  if (!after) return sql``
  const { createdAtMs, id } = after
  return sql`AND created_at_ms <= ${createdAtMs}
    AND (created_at_ms < ${createdAtMs} OR id < ${id})`
}

import { type Database, type Sql, sql, sqlRows } from '../../ports/database.ts'
import { followedAt } from '../chain/chain-tail.ts'
import { renewDelivery } from '../deliveries/renew-delivery.ts'
import type { EventResult } from '../deliveries/results.ts'
import { holdWebhook } from './courier-webhooks.ts'

/** A webhook's query on blocks of the past, as a job that outlives the process. */
export type Replay = {
  id: string
  teamId: string
  webhookId: string
  network: string
  fromBlock: number
  /** Itself included. */
  toBlock: number
  /** The block it comes to next; after the last, one more. */
  nextBlock: number
  state: 'running' | 'done' | 'cancelled' | 'failed'
  /** Blocks whose result is delivered. */
  delivered: number
  /** Blocks whose result was empty and is not wanted. */
  skipped: number
  /** Why it failed, or what keeps it from getting on. */
  error: string | null
  createdAtMs: number
  updatedAtMs: number
}

export type NewReplay = Pick<
  Replay,
  'id' | 'teamId' | 'webhookId' | 'network' | 'fromBlock' | 'toBlock' | 'createdAtMs'
>

export type ReplayStep = {
  replayId: string
  webhookId: string
  network: string
  blockNumber: number
  blockHash: string
  /** The number of the event that made the block canonical, or the height when there is none. */
  sequenceNumber: number
  /** Null when there is nothing to deliver. */
  due: EventResult | null
  atMs: number
}

const COLUMNS = sql`
  id, team_id AS "teamId", webhook_id AS "webhookId", network, from_block AS "fromBlock",
  to_block AS "toBlock", next_block AS "nextBlock", state, delivered, skipped, error,
  created_at_ms AS "createdAtMs", updated_at_ms AS "updatedAtMs"`

/** False when one of the webhook's is running already. */
export async function createReplay(db: Database, replay: NewReplay): Promise<boolean> {
  const { id, teamId, webhookId, network, fromBlock, toBlock, createdAtMs } = replay
  const created = await db.query(sql`
    INSERT INTO replays (id, team_id, webhook_id, network, from_block, to_block, next_block, state,
      delivered, skipped, error, created_at_ms, updated_at_ms)
    VALUES (${id}, ${teamId}, ${webhookId}, ${network}, ${fromBlock}, ${toBlock}, ${fromBlock},
      'running', 0, 0, NULL, ${createdAtMs}, ${createdAtMs})
    ON CONFLICT (webhook_id) WHERE state = 'running' DO NOTHING RETURNING id`)
  return created.length === 1
}

export type ReplayLimits = { replaysMax: number; blocksMax: number }

/**
 * 'running' when one of the webhook's is; `too_many` and `too_long` where the team has as much
 * to do as it may: then nothing happens. `blocks` are those of all that run, before it.
 */
export function startReplay(
  db: Database,
  replay: NewReplay,
  { replaysMax, blocksMax }: ReplayLimits,
): Promise<{ kind: 'started' | 'running' | 'too_many' | 'too_long'; blocks: number }> {
  const { teamId, webhookId, fromBlock, toBlock } = replay
  return db.transaction(async (tx) => {
    // PostgreSQL locks a row that is written, even with what it holds; SQLite has one writer.
    await tx.query(sql`UPDATE team_slots SET webhooks = webhooks WHERE team_id = ${teamId}`)
    const [sum] = await tx.query<Record<'own' | 'count' | 'blocks', number>>(sql`
      SELECT CAST(COUNT(*) AS BIGINT) AS count,
        CAST(COUNT(CASE WHEN webhook_id = ${webhookId} THEN 1 END) AS BIGINT) AS own,
        CAST(COALESCE(SUM(to_block - next_block + 1), 0) AS BIGINT) AS blocks
      FROM replays WHERE state = 'running' AND team_id = ${teamId}`)
    const { own, count, blocks } = sum ?? { own: 0, count: 0, blocks: 0 }
    if (own > 0) return { kind: 'running', blocks }
    if (count >= replaysMax) return { kind: 'too_many', blocks }
    if (blocks + toBlock - fromBlock + 1 > blocksMax) return { kind: 'too_long', blocks }
    const isNew = await createReplay(tx, replay)
    return { kind: isNew ? 'started' : 'running', blocks }
  })
}

/** Null when the team has no such replay. */
export async function findReplay(db: Database, teamId: string, id: string): Promise<Replay | null> {
  const [found] = await readReplays(db, sql`WHERE id = ${id} AND team_id = ${teamId}`)
  return found ?? null
}

/** Newest first. */
export function listReplays(db: Database, teamId: string, limit: number): Promise<Replay[]> {
  return readReplays(
    db,
    sql`WHERE team_id = ${teamId} ORDER BY created_at_ms DESC, id DESC LIMIT ${limit}`,
  )
}

/** Teams that have any running, in the order of their ids, beginning after that one. */
export async function replayingTeams(
  db: Database,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ team_id: string }>(sql`
    SELECT DISTINCT team_id, CASE WHEN team_id > ${after} THEN 0 ELSE 1 END AS round
    FROM replays WHERE state = 'running' ORDER BY round, team_id LIMIT ${limit}`)
  return rows.map(({ team_id }) => team_id)
}

/** The replays of a team, oldest first. */
export function runningReplays(db: Database, teamId: string, limit: number): Promise<Replay[]> {
  return readReplays(
    db,
    sql`WHERE state = 'running' AND team_id = ${teamId}
      ORDER BY created_at_ms, id LIMIT ${limit}`,
  )
}

/** Replays of a team that run, were created lately, or are named; each once. */
export async function watchedReplays(
  db: Database,
  teamId: string,
  { sinceMs, ids }: { sinceMs: number; ids: readonly string[] },
): Promise<Replay[]> {
  const named =
    ids.length === 0 ? sql`` : sql`UNION SELECT id FROM replays WHERE id IN ${sqlRows([ids])}`
  return readReplays(
    db,
    sql`WHERE id IN (
      SELECT id FROM replays WHERE state = 'running' AND team_id = ${teamId}
      UNION SELECT id FROM replays WHERE team_id = ${teamId} AND created_at_ms > ${sinceMs}
      ${named})
    ORDER BY created_at_ms, id`,
  )
}

/** The replay as it is then; one that had ended stays as it was. Null when there is none. */
export async function cancelReplay(
  db: Database,
  teamId: string,
  id: string,
  nowMs: number,
): Promise<Replay | null> {
  const found = await findReplay(db, teamId, id)
  if (!found) return null

  await endReplay(db, id, 'cancelled', null, nowMs)
  return findReplay(db, teamId, id)
}

/** Says why it does not get on just now; the next block that is recorded takes it back. */
export async function noteReplayError(db: Database, id: string, error: string): Promise<void> {
  await db.query(sql`
    UPDATE replays SET error = ${error}
    WHERE id = ${id} AND state = 'running' AND COALESCE(error, '') <> ${error}`)
}

/**
 * The one transaction of a block: the replay moves on, and the delivery is due, together. A
 * delivery of the same event is renewed, whatever had become of it. 'lost' when the replay
 * has ended, its webhook is gone or somebody else did this block; 'moved' when the height has
 * got another number since, as by a reorganisation. Then nothing is written.
 */
export function recordReplayStep(
  db: Database,
  step: ReplayStep,
): Promise<'recorded' | 'moved' | 'lost'> {
  const { replayId, blockNumber, due, atMs } = step
  return db.transaction(async (tx) => {
    const held = await holdWebhook(tx, step.webhookId)
    if (held === null) {
      await endReplay(tx, replayId, 'cancelled', null, atMs)
      return 'lost'
    }
    if (!(await holdReplay(tx, replayId, blockNumber))) return 'lost'
    if (!(await isStillSo(tx, step))) return 'moved'
    const { teamId, number: webhook } = held
    if (due) await renewDelivery(tx, { ...step, teamId, webhook, due })

    await tx.query(sql`
      UPDATE replays SET next_block = next_block + 1, delivered = delivered + ${due ? 1 : 0},
        skipped = skipped + ${due ? 0 : 1}, error = NULL, updated_at_ms = ${atMs},
        state = CASE WHEN next_block < to_block THEN 'running' ELSE 'done' END
      WHERE id = ${replayId}`)
    return 'recorded'
  })
}

/** Until the transaction ends nobody else moves it. False when it does not stand there. */
async function holdReplay(tx: Database, id: string, blockNumber: number): Promise<boolean> {
  const held = await tx.query(sql`
    UPDATE replays SET next_block = next_block
    WHERE id = ${id} AND next_block = ${blockNumber} AND state = 'running' RETURNING id`)
  return held.length === 1
}

/** Numbers only grow: as long as the height has this one, its block is the same. */
async function isStillSo(
  tx: Database,
  { network, blockNumber, sequenceNumber }: ReplayStep,
): Promise<boolean> {
  const now = await followedAt(tx, network, blockNumber)
  return (now?.sequenceNumber ?? blockNumber) === sequenceNumber
}

/** Nothing happens when the replay has ended otherwise. */
export async function endReplay(
  db: Database,
  id: string,
  state: 'cancelled' | 'failed',
  error: string | null,
  nowMs: number,
): Promise<void> {
  await db.query(sql`
    UPDATE replays SET state = ${state}, error = ${error}, updated_at_ms = ${nowMs}
    WHERE id = ${id} AND state = 'running'`)
}

function readReplays(db: Database, which: Sql): Promise<Replay[]> {
  return db.query(sql`SELECT ${COLUMNS} FROM replays ${which}`)
}

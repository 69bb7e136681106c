import type { TransactionState } from '../../core/rpc/sends/transaction-state.ts'
import { type Database, sql, sqlRows } from '../../ports/database.ts'
import { listChunks, rowChunks } from '../sql/row-chunks.ts'

/** A transaction that an app has sent. */
export type SentTransaction = {
  appId: string
  network: string
  hash: string
  state: TransactionState
  blockNumber: number | null
  /** The upstreams that took it. */
  upstreams: readonly string[]
  sentAtMs: number
  updatedAtMs: number
}

export type NewSent = Pick<
  SentTransaction,
  'appId' | 'network' | 'hash' | 'upstreams' | 'sentAtMs'
> & {
  /** False where anybody may follow it. */
  isFollowed: boolean
}

export type SentChange = { hash: string; state: TransactionState; blockNumber: number | null }

/** A transaction that nobody has followed for a while. */
export type TakenOver = { hash: string; sentAtMs: number }

type SentRow = {
  app_id: string
  network: string
  hash: string
  state: string
  block_number: number | null
  upstreams: string
  sent_at_ms: number
  updated_at_ms: number
}

/** Holds what nobody follows. */
const NOBODY = ''

/** Notes what was sent. One that was dropped and is sent anew is pending again. */
export async function recordSent(
  db: Database,
  sent: readonly NewSent[],
  holder: string,
  nowMs: number,
): Promise<void> {
  const rows = sent.map(({ appId, network, hash, upstreams, sentAtMs, isFollowed }) => {
    const names = JSON.stringify(upstreams)
    const heldAtMs = isFollowed ? nowMs : 0
    const held = [isFollowed ? holder : NOBODY, heldAtMs]
    return [appId, network, hash, 'pending', names, sentAtMs, nowMs, ...held]
  })
  for (const chunk of rowChunks(rows)) {
    await db.query(sql`
      INSERT INTO sent_transactions
        (app_id, network, hash, state, upstreams, sent_at_ms, updated_at_ms, holder, held_at_ms)
      VALUES ${sqlRows(chunk)}
      ON CONFLICT (app_id, network, hash) DO UPDATE SET upstreams = excluded.upstreams,
        updated_at_ms = excluded.updated_at_ms, holder = excluded.holder,
        held_at_ms = excluded.held_at_ms,
        state = CASE WHEN sent_transactions.state = 'dropped' THEN 'pending'
          ELSE sent_transactions.state END`)
  }
}

/** Notes what became of transactions, for all apps that have sent them. */
export async function settleSent(
  db: Database,
  network: string,
  changes: readonly SentChange[],
  nowMs: number,
): Promise<void> {
  if (changes.length === 0) return
  const rows = changes.map(({ hash, state, blockNumber }) => [
    state,
    blockNumber,
    nowMs,
    network,
    hash,
  ])
  await db.each(
    sql`UPDATE sent_transactions SET state = ${''}, block_number = ${0}, updated_at_ms = ${0}
      WHERE network = ${''} AND hash = ${''} AND state = 'pending'`,
    rows,
  )
}

/** Takes over transactions that nobody has followed since then; of several takers one has each. */
export async function takeOverSent(
  db: Database,
  network: string,
  holder: string,
  { beforeMs, nowMs, limit }: { beforeMs: number; nowMs: number; limit: number },
): Promise<TakenOver[]> {
  const left = await db.query<{ hash: string }>(sql`
    SELECT hash FROM sent_transactions
    WHERE network = ${network} AND state = 'pending' AND held_at_ms < ${beforeMs}
    ORDER BY held_at_ms LIMIT ${limit}`)
  const taken = new Map<string, TakenOver>()
  for (const hashes of listChunks([...new Set(left.map(({ hash }) => hash))])) {
    const rows = await db.query<{ hash: string; sent_at_ms: number }>(sql`
      UPDATE sent_transactions SET holder = ${holder}, held_at_ms = ${nowMs}
      WHERE network = ${network} AND state = 'pending' AND held_at_ms < ${beforeMs}
        AND hash IN ${sqlRows([hashes])}
      RETURNING hash, sent_at_ms`)
    for (const { hash, sent_at_ms } of rows) taken.set(hash, { hash, sentAtMs: sent_at_ms })
  }
  return [...taken.values()]
}

/** Says that this process still follows what it holds; at 0, that it does so no longer. */
export async function holdSent(
  db: Database,
  network: string,
  holder: string,
  atMs: number,
): Promise<void> {
  await db.query(sql`
    UPDATE sent_transactions SET held_at_ms = ${atMs}
    WHERE network = ${network} AND state = 'pending' AND holder = ${holder}`)
}

/** The log of an app, newest first, after a place in it. */
export async function listSent(
  db: Database,
  appId: string,
  page: { state: TransactionState | null; after: SentPlace | null; limit: number },
): Promise<SentTransaction[]> {
  const { state, after, limit } = page
  const ofState = state === null ? sql`` : sql`AND state = ${state}`
  const further = after && sql`AND (sent_at_ms, hash) < (${after.sentAtMs}, ${after.hash})`
  const rows = await db.query<SentRow>(sql`
    SELECT app_id, network, hash, state, block_number, upstreams, sent_at_ms, updated_at_ms
    FROM sent_transactions WHERE app_id = ${appId} ${ofState} ${further ?? sql``}
    ORDER BY sent_at_ms DESC, hash DESC LIMIT ${limit}`)
  return rows.map(sentOf)
}

/** Where a page of the log ends. */
export type SentPlace = { sentAtMs: number; hash: string }

/** Removes what is older than that, and of each app all but the newest. */
export async function pruneSent(
  db: Database,
  { beforeMs, perAppMax }: { beforeMs: number; perAppMax: number },
): Promise<void> {
  await db.query(sql`DELETE FROM sent_transactions WHERE sent_at_ms < ${beforeMs}`)
  const full = await db.query<{ app_id: string }>(sql`
    SELECT app_id FROM sent_transactions GROUP BY app_id HAVING COUNT(*) > ${perAppMax}`)
  for (const { app_id } of full) {
    await db.query(sql`
      DELETE FROM sent_transactions WHERE app_id = ${app_id} AND sent_at_ms < (
        SELECT sent_at_ms FROM sent_transactions WHERE app_id = ${app_id}
        ORDER BY sent_at_ms DESC, hash DESC LIMIT 1 OFFSET ${perAppMax - 1})`)
  }
}

/** Forgets the log of an app that is deleted. */
export async function forgetSent(tx: Database, appId: string): Promise<void> {
  await tx.query(sql`DELETE FROM sent_transactions WHERE app_id = ${appId}`)
}

function sentOf(row: SentRow): SentTransaction {
  return {
    appId: row.app_id,
    network: row.network,
    hash: row.hash,
    state: row.state as TransactionState,
    blockNumber: row.block_number,
    upstreams: JSON.parse(row.upstreams) as string[],
    sentAtMs: row.sent_at_ms,
    updatedAtMs: row.updated_at_ms,
  }
}

import type { Header } from '../../core/chain/block.ts'
import { assert } from '../../core/errors.ts'
import { type Database, sql } from '../../ports/database.ts'

export type StoredChain = {
  /** The number of the last event. */
  sequenceNumber: number
  finalized: number | null
  /** The tail, ascending; the last one is the tip. Empty when the chain began anew. */
  headers: Header[]
}

export type ChainMove = {
  network: string
  /** The number of the event before; null for the first of the network. */
  previousSequence: number | null
  header: Header
  kind: 'first' | 'extends' | 'forks'
  finalized: number | null
  /** Blocks below this height leave the tail. */
  keepFrom: number
  atMs: number
}

export type FollowedHeight = {
  /** The event that made it canonical; null for a height older than anything followed. */
  sequenceNumber: number | null
  /** Null for one that has left the tail: its block cannot be replaced any more. */
  header: Header | null
}

/** The numbers of events lie above all block numbers, which replays of old heights carry. */
export const FIRST_SEQUENCE_NUMBER = 1_000_000_000_001

/** Null for a network that was never followed. */
export async function readChain(db: Database, network: string): Promise<StoredChain | null> {
  // One statement, since between two of them the chain may move.
  const rows = await db.query<
    Pick<StoredChain, 'sequenceNumber' | 'finalized'> & (Header | { number: null })
  >(sql`
    SELECT chains.sequence_number AS "sequenceNumber", chains.finalized, chain_blocks.number,
      chain_blocks.hash, chain_blocks.parent_hash AS "parentHash"
    FROM chains LEFT JOIN chain_blocks ON chain_blocks.network = chains.network
    WHERE chains.network = ${network} ORDER BY chain_blocks.number`)
  const [first] = rows
  if (!first) return null
  const { sequenceNumber, finalized } = first
  const headers = rows.flatMap((row) => {
    if (row.number === null) return []
    return [{ number: row.number, hash: row.hash, parentHash: row.parentHash }]
  })
  return { sequenceNumber, finalized, headers }
}

/** The number of the last event; null for a network that was never followed. */
export async function lastSequence(db: Database, network: string): Promise<number | null> {
  const [chain] = await db.query<{ sequence_number: number }>(sql`
    SELECT sequence_number FROM chains WHERE network = ${network}`)
  return chain?.sequence_number ?? null
}

/** Number and block of a height as they are now; null when it has not been followed so far. */
export async function followedAt(
  db: Database,
  network: string,
  number: number,
): Promise<FollowedHeight | null> {
  // One statement, so that the number is that of the block. Where a chain began anew, the
  // old one's tip is still there and its spans are not.
  const [row] = await db.query<
    { sequence: number | null } & Record<'hash' | 'parentHash', string | null>
  >(sql`
    SELECT chain_spans.sequence_number + ${number} - chain_spans.from_number AS sequence,
      chain_blocks.hash, chain_blocks.parent_hash AS "parentHash"
    FROM chains LEFT JOIN chain_spans ON chain_spans.network = chains.network
      AND chain_spans.from_number = (
        SELECT MAX(from_number) FROM chain_spans
        WHERE network = ${network} AND from_number <= ${number})
    LEFT JOIN chain_blocks ON chain_blocks.network = chains.network
      AND chain_blocks.number = ${number}
    WHERE chains.network = ${network} AND chains.tip_number >= ${number}
      AND EXISTS (SELECT 1 FROM chain_spans WHERE network = ${network})`)
  if (!row) return null
  const { sequence: sequenceNumber, hash, parentHash } = row
  const header = hash === null || parentHash === null ? null : { number, hash, parentHash }
  return { sequenceNumber, header }
}

export function sequenceAfter(previousSequence: number | null): number {
  return previousSequence === null ? FIRST_SEQUENCE_NUMBER : previousSequence + 1
}

/** The number of a new event, and whether a reorganisation made it run its height again. */
export type MovedTip = { sequenceNumber: number; isRerun: boolean }

/**
 * The new event; null when somebody else moved the chain, and nothing is written. Its blocks are
 * moved by `moveTail`.
 */
export function moveChain(tx: Database, move: ChainMove): Promise<MovedTip | null> {
  const { header, kind, previousSequence } = move
  assert(kind === 'first' || previousSequence !== null, 'only a first event has none before')
  assert(move.keepFrom <= header.number, 'the tip stays in the tail')
  return moveTip(tx, move, sequenceAfter(previousSequence))
}

export async function moveTail(
  tx: Database,
  move: ChainMove,
  sequenceNumber: number,
): Promise<void> {
  const { network, header, kind } = move
  if (kind === 'first') await expectNoBlocks(tx, network)

  const [, , , followed] = await Promise.all([
    kind === 'extends' ? null : leaveBranch(tx, network, header.number, sequenceNumber),
    tx.query(sql`
      DELETE FROM chain_blocks WHERE network = ${network} AND number < ${move.keepFrom}`),
    // One that is there already is a bug, which the number of the block tells.
    tx.query(sql`
      INSERT INTO chain_blocks (network, number, hash, parent_hash)
      VALUES (${network}, ${header.number}, ${header.hash}, ${header.parentHash})
      ON CONFLICT (network, number) DO UPDATE
      SET hash = excluded.hash, parent_hash = excluded.parent_hash`),
    followedAt(tx, network, header.number),
  ])
  const isNext = followed?.sequenceNumber === sequenceNumber
  assert(isNext, 'a block that extends the chain is right above its tip')
}

/**
 * Forgets the blocks of a network whose chain is a new one under the same name, as that of
 * local development is at each start. Its events go on being counted.
 */
export function beginAnew(db: Database, network: string): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.query(sql`DELETE FROM chain_blocks WHERE network = ${network}`)
    await tx.query(sql`DELETE FROM chain_spans WHERE network = ${network}`)
    await tx.query(sql`UPDATE chains SET finalized = NULL WHERE network = ${network}`)
  })
}

/**
 * Until the transaction ends no event of that network comes in between: one that has begun
 * is waited for. Who stops a webhook calls this, so that nothing is committed for it later.
 */
export async function holdEvents(tx: Database, network: string): Promise<void> {
  // PostgreSQL locks a row that is written, even with what it holds; SQLite has one writer.
  await tx.query(sql`
    UPDATE chains SET updated_at_ms = updated_at_ms WHERE network = ${network}`)
}

/** Compares and sets: of all who found the same last event, one gets to write the next. */
async function moveTip(
  tx: Database,
  move: ChainMove,
  sequenceNumber: number,
): Promise<MovedTip | null> {
  const { network, header, finalized, atMs } = move
  if (move.previousSequence === null) {
    const begun = await tx.query(sql`
      INSERT INTO chains
        (network, sequence_number, tip_number, tip_hash, finalized, updated_at_ms, highest_number)
      VALUES (${network}, ${sequenceNumber}, ${header.number}, ${header.hash}, ${finalized},
        ${atMs}, ${header.number})
      ON CONFLICT (network) DO NOTHING RETURNING network`)
    return begun.length === 1 ? { sequenceNumber, isRerun: false } : null
  }
  // A chain that begins anew replaces no block of its own.
  const highest = move.kind === 'first' ? sql`CAST(-1 AS BIGINT)` : sql`highest_number`
  // A final block stays final when nobody can say anything newer.
  const [moved] = await tx.query<{ tip_rerun: number }>(sql`
    UPDATE chains SET sequence_number = ${sequenceNumber}, tip_number = ${header.number},
      tip_hash = ${header.hash}, finalized = COALESCE(${finalized}, finalized),
      updated_at_ms = ${atMs},
      tip_rerun = CASE WHEN ${highest} < ${header.number} THEN 0 ELSE 1 END,
      highest_number = CASE WHEN ${highest} < ${header.number} THEN ${header.number}
        ELSE highest_number END
    WHERE network = ${network} AND sequence_number = ${move.previousSequence}
    RETURNING tip_rerun`)
  return moved ? { sequenceNumber, isRerun: moved.tip_rerun === 1 } : null
}

async function expectNoBlocks(tx: Database, network: string): Promise<void> {
  const held = await tx.query(sql`
    SELECT number FROM chain_blocks WHERE network = ${network} LIMIT 1`)
  assert(held.length === 0, 'a first event comes before all others of its chain')
}

/** The blocks from that height on are others now, and their numbers are counted anew. */
async function leaveBranch(
  tx: Database,
  network: string,
  fromNumber: number,
  sequenceNumber: number,
): Promise<void> {
  await Promise.all([
    tx.query(sql`
      DELETE FROM chain_blocks WHERE network = ${network} AND number >= ${fromNumber}`),
    tx.query(sql`
      DELETE FROM chain_spans WHERE network = ${network} AND from_number >= ${fromNumber}`),
    tx.query(sql`
      INSERT INTO chain_spans (network, from_number, sequence_number)
      VALUES (${network}, ${fromNumber}, ${sequenceNumber})`),
  ])
}

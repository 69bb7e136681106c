import { type Database, sql } from '../../ports/database.ts'

export type FollowedTip = {
  network: string
  sequenceNumber: number
  number: number
  hash: string
  atMs: number
  /** The highest block that ever was the tip. */
  highest: number
}

export type CanonicalBlock = { sequenceNumber: number; number: number; hash: string }

export function followedTips(db: Database): Promise<FollowedTip[]> {
  return db.query(sql`
    SELECT network, sequence_number AS "sequenceNumber", tip_number AS number, tip_hash AS hash,
      updated_at_ms AS "atMs", highest_number AS highest
    FROM chains ORDER BY network`)
}

/**
 * The blocks that became canonical after that event and still are, ascending; at most so many of
 * the newest. There are never more of them than events.
 */
export async function canonicalSince(
  db: Database,
  network: string,
  sequenceNumber: number,
  limit: number,
): Promise<CanonicalBlock[]> {
  // One statement, since between two of them the chain may move.
  const rows = await db.query<{ number: number; hash: string; sequence: number | null }>(sql`
    SELECT chain_blocks.number, chain_blocks.hash, (
      SELECT chain_spans.sequence_number + chain_blocks.number - chain_spans.from_number
      FROM chain_spans WHERE chain_spans.network = ${network}
        AND chain_spans.from_number <= chain_blocks.number
      ORDER BY chain_spans.from_number DESC LIMIT 1) AS sequence
    FROM chains JOIN chain_blocks ON chain_blocks.network = chains.network
      AND chain_blocks.number > chains.tip_number - (chains.sequence_number - ${sequenceNumber})
    WHERE chains.network = ${network}
    ORDER BY chain_blocks.number DESC LIMIT ${limit}`)
  return rows
    .map(({ number, hash, sequence }) => ({ number, hash, sequenceNumber: sequence ?? 0 }))
    .filter((block) => block.sequenceNumber > sequenceNumber)
    .reverse()
}

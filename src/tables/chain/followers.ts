import { type Database, sql, sqlRows } from '../../ports/database.ts'

/** A process that says for so long that it could follow a network, unless it says so again. */
export type Following = { holder: string; nowMs: number; untilMs: number }

/** Says that the holder could follow these networks. */
export async function standBy(
  db: Database,
  networks: readonly string[],
  { holder, untilMs }: Following,
): Promise<void> {
  const rows = networks.map((network) => [network, holder, untilMs])
  await db.query(sql`
    INSERT INTO followers (network, holder, until_ms) VALUES ${sqlRows(rows)}
    ON CONFLICT (network, holder) DO UPDATE SET until_ms = excluded.until_ms`)
}

/** How many others could follow each of these networks; those that none could are missing. */
export async function countOthers(
  db: Database,
  networks: readonly string[],
  { holder, nowMs }: Pick<Following, 'holder' | 'nowMs'>,
): Promise<Map<string, number>> {
  const counts = await db.query<{ network: string; followers: number }>(sql`
    SELECT network, COUNT(*) AS followers FROM followers
    WHERE until_ms > ${nowMs} AND holder <> ${holder} AND network IN ${sqlRows([networks])}
    GROUP BY network`)
  return new Map(counts.map(({ network, followers }) => [network, followers]))
}

/** A process that has not said so for this long has ended; clocks differ by less. */
const FORGOTTEN_AFTER_MS = 3_600_000

/** The holder stands by no longer, and neither do those who have ended without a word. */
export async function standDown(
  db: Database,
  network: string,
  { holder, nowMs }: Pick<Following, 'holder' | 'nowMs'>,
): Promise<void> {
  await db.query(sql`
    DELETE FROM followers
    WHERE network = ${network} AND (holder = ${holder} OR until_ms <= ${nowMs - FORGOTTEN_AFTER_MS})`)
}

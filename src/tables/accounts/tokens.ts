import { type Database, sql, sqlRows } from '../../ports/database.ts'

/** A management token. The secret itself is shown once and stored only as its SHA-256. */
export type Token = {
  id: string
  kind: 'operator' | 'team'
  /** Null for the operator's. */
  teamId: string | null
  name: string
  createdAtMs: number
}

/** People and programs of one team; each of these may have sessions of its own. */
export const TEAM_TOKENS_MAX = 200

/** All that a team may have, and those it had before there was a limit. */
const LISTED_TOKENS_MAX = 1_000

const COLUMNS = sql`id, kind, team_id AS "teamId", name, created_at_ms AS "createdAtMs"`

export async function insertToken(db: Database, token: Token, sha256Hex: string): Promise<void> {
  await db.query(sql`
    INSERT INTO tokens (id, kind, team_id, name, hash, created_at_ms)
    VALUES (${token.id}, ${token.kind}, ${token.teamId}, ${token.name}, ${sha256Hex},
      ${token.createdAtMs})`)
}

export async function findTokenByHash(db: Database, sha256Hex: string): Promise<Token | null> {
  const [token] = await db.query<Token>(sql`
    SELECT ${COLUMNS} FROM tokens WHERE hash = ${sha256Hex}`)
  return token ?? null
}

export async function findTokensByHash(
  db: Database,
  sha256Hexes: readonly string[],
): Promise<Map<string, Token>> {
  if (sha256Hexes.length === 0) return new Map()
  const rows = await db.query<Token & { hash: string }>(sql`
    SELECT ${COLUMNS}, hash FROM tokens WHERE hash IN ${sqlRows([sha256Hexes])}`)
  return new Map(rows.map(({ hash, ...token }) => [hash, token]))
}

/** Oldest first. */
export function listTokens(db: Database, teamId: string): Promise<Token[]> {
  return db.query(sql`
    SELECT ${COLUMNS} FROM tokens WHERE team_id = ${teamId}
    ORDER BY created_at_ms, id LIMIT ${LISTED_TOKENS_MAX}`)
}

export async function countTokens(db: Database, teamId: string): Promise<number> {
  const rows = await db.query<{ tokens: number }>(sql`
    SELECT COUNT(*) AS tokens FROM tokens WHERE team_id = ${teamId}`)
  return rows[0]?.tokens ?? 0
}

/** Any token, or only one of that team; false when there was none. */
export async function deleteToken(
  db: Database,
  id: string,
  teamId: string | null = null,
): Promise<boolean> {
  const ofTeam = teamId === null ? sql`` : sql`AND team_id = ${teamId}`
  const gone = await db.query(sql`DELETE FROM tokens WHERE id = ${id} ${ofTeam} RETURNING id`)
  return gone.length === 1
}

export async function deleteOtherOperatorTokens(db: Database, sha256Hex: string): Promise<void> {
  await db.query(sql`DELETE FROM tokens WHERE kind = ${'operator'} AND hash <> ${sha256Hex}`)
}

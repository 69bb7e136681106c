import { type Database, type Sql, sql, sqlRows } from '../../ports/database.ts'

/** A browser that is signed in. Its secret, the cookie, is stored only as its SHA-256. */
export type Session = {
  id: string
  /** Null where it was signed in by the link of local development. */
  token: { id: string; name: string; hash: string } | null
  /** Null for the operator's. */
  teamId: string | null
  address: string
  userAgent: string
  createdAtMs: number
  usedAtMs: number
  expiresAtMs: number
}

type NewSession = Omit<Session, 'usedAtMs' | 'expiresAtMs'>

type SessionRow = Omit<Session, 'token'> &
  Record<'tokenId' | 'tokenName' | 'tokenHash', string | null>

const DAY_MS = 86_400_000

/** A session ends so long after it was signed in, however much it is used. */
export const SESSION_MS_MAX = 30 * DAY_MS

const UNUSED_MS_MAX = 7 * DAY_MS

/** How exact the time of the last use is: a page calls often, and each time would be a write. */
const USE_EVERY_MS = 60_000

/** More browsers than one person has; past it the oldest are signed out. */
const SESSIONS_PER_TOKEN_MAX = 50

/** Expired ones that a sign-in removes: more than it adds, and no long transaction. */
const REMOVED_AT_ONCE_MAX = 100

const LISTED_SESSIONS_MAX = 1_000

const COLUMNS = sql`sessions.id, sessions.token_id AS "tokenId", tokens.name AS "tokenName",
  tokens.hash AS "tokenHash", sessions.team_id AS "teamId", sessions.address,
  sessions.user_agent AS "userAgent", sessions.created_at_ms AS "createdAtMs",
  sessions.used_at_ms AS "usedAtMs", sessions.expires_at_ms AS "expiresAtMs"`

/** A session is nothing without its token. */
const LIVING = sql`sessions LEFT JOIN tokens ON tokens.id = sessions.token_id
  WHERE (sessions.token_id IS NULL OR tokens.id IS NOT NULL)`

/** Signs a browser in, which signs out the oldest of its token where those are too many. */
export async function insertSession(
  db: Database,
  session: NewSession,
  sha256Hex: string,
): Promise<Session> {
  const { id, token, teamId, address, userAgent, createdAtMs } = session
  const expiresAtMs = expiryOf(createdAtMs, createdAtMs)
  const holder = token ? sql`token_id = ${token.id}` : sql`token_id IS NULL AND team_id = ${teamId}`
  await db.transaction(async (tx) => {
    await removeExpired(tx, createdAtMs)
    await tx.query(sql`
      INSERT INTO sessions (id, hash, token_id, team_id, address, user_agent, created_at_ms,
        used_at_ms, expires_at_ms)
      VALUES (${id}, ${sha256Hex}, ${token?.id ?? null}, ${teamId}, ${address}, ${userAgent},
        ${createdAtMs}, ${createdAtMs}, ${expiresAtMs})`)
    await tx.query(sql`
      DELETE FROM sessions WHERE ${holder} AND id <> ${id} AND id NOT IN (
        SELECT id FROM sessions WHERE ${holder} AND id <> ${id}
        ORDER BY created_at_ms DESC, id LIMIT ${SESSIONS_PER_TOKEN_MAX - 1})`)
  })
  return { ...session, usedAtMs: createdAtMs, expiresAtMs }
}

/** The sessions that exist and have not expired, by their hash. */
export async function findSessionsByHash(
  db: Database,
  sha256Hexes: readonly string[],
  nowMs: number,
): Promise<Map<string, Session>> {
  if (sha256Hexes.length === 0) return new Map()
  const rows = await db.query<SessionRow & { hash: string }>(sql`
    SELECT ${COLUMNS}, sessions.hash FROM ${LIVING}
      AND sessions.expires_at_ms > ${nowMs} AND sessions.hash IN ${sqlRows([sha256Hexes])}`)
  return new Map(rows.map(({ hash, ...row }) => [hash, sessionOf(row)]))
}

/** Notes that a session is used, unless that was noted within the last minute. */
export async function noteUse(db: Database, session: Session, nowMs: number): Promise<void> {
  if (nowMs < session.usedAtMs + USE_EVERY_MS) return
  await db.query(sql`
    UPDATE sessions SET used_at_ms = ${nowMs}, expires_at_ms = ${expiryOf(session.createdAtMs, nowMs)}
    WHERE id = ${session.id} AND used_at_ms <= ${nowMs - USE_EVERY_MS}`)
}

/** The sessions of a team, or of the operator where it is null, the one used last first. */
export async function listSessions(
  db: Database,
  teamId: string | null,
  nowMs: number,
): Promise<Session[]> {
  const rows = await db.query<SessionRow>(sql`
    SELECT ${COLUMNS} FROM ${LIVING}
      AND ${isOf(teamId)} AND sessions.expires_at_ms > ${nowMs}
    ORDER BY sessions.used_at_ms DESC, sessions.id LIMIT ${LISTED_SESSIONS_MAX}`)
  return rows.map(sessionOf)
}

/** Ends one of a team, or of the operator where it is null; false when there was none. */
export async function deleteSession(
  db: Database,
  teamId: string | null,
  id: string,
): Promise<boolean> {
  const gone = await db.query(sql`
    DELETE FROM sessions WHERE id = ${id} AND ${isOf(teamId)} RETURNING id`)
  return gone.length === 1
}

export async function deleteSessionByHash(db: Database, sha256Hex: string): Promise<void> {
  await db.query(sql`DELETE FROM sessions WHERE hash = ${sha256Hex}`)
}

/** Belongs into the transaction that revokes the token. */
export async function deleteSessionsOfToken(tx: Database, tokenId: string): Promise<void> {
  await tx.query(sql`DELETE FROM sessions WHERE token_id = ${tokenId}`)
}

export async function deleteSessionsWithoutToken(tx: Database): Promise<void> {
  await tx.query(sql`
    DELETE FROM sessions
    WHERE token_id IS NOT NULL AND token_id NOT IN (SELECT id FROM tokens)`)
}

async function removeExpired(tx: Database, nowMs: number): Promise<void> {
  await tx.query(sql`
    DELETE FROM sessions WHERE id IN (
      SELECT id FROM sessions WHERE expires_at_ms <= ${nowMs}
      ORDER BY expires_at_ms LIMIT ${REMOVED_AT_ONCE_MAX})`)
}

function expiryOf(createdAtMs: number, usedAtMs: number): number {
  return Math.min(createdAtMs + SESSION_MS_MAX, usedAtMs + UNUSED_MS_MAX)
}

function isOf(teamId: string | null): Sql {
  return teamId === null ? sql`sessions.team_id IS NULL` : sql`sessions.team_id = ${teamId}`
}

function sessionOf({
  tokenId: id,
  tokenName: name,
  tokenHash: hash,
  ...session
}: SessionRow): Session {
  const hasToken = id !== null && name !== null && hash !== null
  return { ...session, token: hasToken ? { id, name, hash } : null }
}

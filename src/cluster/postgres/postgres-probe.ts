import { within } from '../../core/async/within.ts'
import { Failure } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Sql } from '../../ports/database.ts'
import { type PostgresConnection, SERVER_START } from './postgres-connection.ts'

export type PostgresServer = { connect(): PostgresConnection }

export type ProbedServer = {
  server: PostgresServer
  acceptsWrites: boolean
  /** Rises with each promotion, so an old primary that comes back has a lower one. */
  timeline: number
  /** Our sessions on it, and whether each runs a statement; null if the server does not tell. */
  sessions: ReadonlyMap<string, boolean> | null
}

type Needs = { clock: Clock; isPooled: boolean }

/** How long the other servers may take once one that accepts writes has answered. */
const OTHERS_MS = 250

export const NO_ANSWER = 'server_away'

const READ_ONLY = statement('SHOW transaction_read_only')

const TIMELINE = statement('SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline')

const SESSIONS = statement(`
  SELECT ${SERVER_START} || ' ' || pid AS session, state FROM pg_stat_activity
  WHERE usename = current_user AND datname = current_database()`)

/** A server that does not track activity cannot tell that a session is idle. */
const BUSY = /^(active|disabled)$/

/** Asks all servers at once, on new connections: what each is, or why it cannot be used. */
export async function probeServers(
  needs: Needs,
  servers: readonly PostgresServer[],
  probeMs: number,
): Promise<(ProbedServer | string)[]> {
  const answers: (ProbedServer | string)[] = []
  const found = Promise.withResolvers<void>()
  const asked = servers.map(async (server) => {
    const answer = await probeServer(needs, server, probeMs)
    answers.push(answer)
    if (typeof answer !== 'string' && answer.acceptsWrites) found.resolve()
  })
  const enough = found.promise.then(() => needs.clock.sleep(OTHERS_MS))
  await Promise.race([Promise.all(asked), enough])
  return [...answers]
}

async function probeServer(
  { clock, isPooled }: Needs,
  server: PostgresServer,
  probeMs: number,
): Promise<ProbedServer | string> {
  const connection = server.connect()
  const asked = (async () => {
    const [row] = await connection.run(READ_ONLY)
    const [timeline, sessions] = await Promise.all([
      connection.run(TIMELINE).then(timelineIn, () => 0),
      isPooled ? null : connection.run(SESSIONS).then(sessionsIn, () => null),
    ])
    return { server, acceptsWrites: row?.transaction_read_only === 'off', timeline, sessions }
  })().catch((thrown) => (thrown instanceof Failure ? String(thrown.facts.code) : NO_ANSWER))
  const answer = await within(clock, probeMs, asked, () => NO_ANSWER)
  connection.close().catch(() => {})
  return answer
}

type Rows = Awaited<ReturnType<PostgresConnection['run']>>

function timelineIn([row]: Rows): number {
  return Number.parseInt(String(row?.timeline), 16) || 0
}

function sessionsIn(rows: Rows): Map<string, boolean> {
  return new Map(rows.map(({ session, state }) => [String(session), BUSY.test(String(state))]))
}

function statement(text: string): Sql {
  return { parts: [text], values: [] }
}

import { SQL } from 'bun'
import { assert, Failure } from '../../core/errors.ts'
import type { Sql, SqlValue } from '../../ports/database.ts'
import { plainNumbers } from '../../ports/driver-parts/plain-numbers.ts'
import { countsOf, manyRows, numberedText } from './many-rows.ts'
import { postgresFault } from './postgres-fault.ts'
import { BEGIN_WITH_SETTINGS, SESSION_SETTINGS } from './session-settings.ts'

type PostgresRow = Record<string, SqlValue>

/** One connection to the server. Statements are sent at once and answered in their order. */
export type PostgresConnection = {
  run(statement: Sql): Promise<PostgresRow[]>
  /** The statement for each of the rows; how many rows each wrote. */
  each(statement: Sql, rows: readonly (readonly SqlValue[])[]): Promise<number[]>
  begin(): Promise<void>
  /** Fails where the server rolled back instead. */
  commit(): Promise<void>
  rollback(): Promise<void>
  isBroken(): boolean
  /** True when it has prepared so many statements that the server is better rid of it. */
  isWorn(): boolean
  /** When the server last answered, or was first asked after that; null when nothing is asked. */
  waitingSinceMs(): number | null
  /** The server and its process that serve this connection, once it has named them. */
  session(): string | null
  /** At once: whatever is under way fails. */
  close(): Promise<void>
}

type Options = {
  url: string
  /** A pooler lends a connection to each transaction: nothing outlasts one. */
  isPooled: boolean
  nowMs(): number
  connectMs: number
}

/** A server's process that serves one connection; its name is null until the server gave it. */
type Session = { name: string | null }

type Answer = PostgresRow[] & { count: number; command: string }

/** A server keeps the plan of each statement for as long as the connection lives. */
const STATEMENTS_MAX = 500

const APPLICATION = { application_name: 'headgate' }

/** Names the server by its start, since process ids repeat on other servers. */
export const SERVER_START = 'CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) AS TEXT)'
const SESSION = `SELECT ${SERVER_START} || ' ' || pg_backend_pid() AS name`

export function openPostgresConnection(options: Options): PostgresConnection {
  const { nowMs, isPooled } = options
  let isBroken = false
  const client = openClient(options, () => {
    // The client would connect anew, and go on in the middle of what was rolled back.
    isBroken = true
  })
  const texts = new Set<string>()
  let waiting = 0
  let sinceMs: number | null = null
  let session: Session | null = isPooled ? { name: null } : null

  async function send(text: string, values: readonly SqlValue[]): Promise<Answer> {
    if (isBroken) throw new Failure('database_unavailable', { code: 'connection_lost' })
    session ??= askSession(client)
    if (waiting === 0) sinceMs = nowMs()
    waiting += 1
    try {
      return (await asked(client, text, values)) as Answer
    } catch (thrown) {
      const fault = postgresFault(thrown)
      if (fault.isConnectionLost) isBroken = true
      throw fault.error
    } finally {
      waiting -= 1
      sinceMs = waiting === 0 ? null : nowMs()
    }
  }

  async function oneByOne({ parts }: Sql, rows: readonly (readonly SqlValue[])[]) {
    const text = numberedText(parts)
    const answers = await Promise.all(rows.map((values) => send(text, values)))
    return answers.map(({ count }) => count)
  }

  async function commit(): Promise<void> {
    const { command } = await send('COMMIT', [])
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back')
  }

  return {
    async run({ parts, values }) {
      const text = numberedText(parts)
      texts.add(text)
      const rows = await send(text, values)
      for (const row of rows) plainNumbers(row)
      // Without what the client hangs on the list.
      return [...rows]
    },
    async each(statement, rows) {
      const many = manyRows(statement)
      if (!many) return oneByOne(statement, rows)
      const answers = many.statements(rows).map(async ({ text, values, rows: count }) => {
        const written = await send(text, values)
        if (many.writesOneEach) return Array<number>(count).fill(1)
        return countsOf(count, written as unknown as { at: number }[])
      })
      return (await Promise.all(answers)).flat()
    },
    begin: async () => void (await send(isPooled ? BEGIN_WITH_SETTINGS : 'BEGIN', [])),
    commit,
    rollback: async () => void (await send('ROLLBACK', [])),
    isBroken: () => isBroken,
    isWorn: () => texts.size > STATEMENTS_MAX,
    waitingSinceMs: () => sinceMs,
    session: () => session?.name ?? null,
    async close() {
      isBroken = true
      await client.close({ timeout: 0 })
    },
  }
}

function openClient({ url, isPooled, connectMs }: Options, onclose: () => void): SQL {
  return new SQL(url, {
    max: 1,
    bigint: true,
    prepare: !isPooled,
    idleTimeout: 0,
    maxLifetime: 0,
    connectionTimeout: connectMs / 1000,
    onclose,
    connection: isPooled ? APPLICATION : { ...APPLICATION, ...SESSION_SETTINGS },
  })
}

/** Sent ahead of the first statement, so nothing waits for it. */
function askSession(client: SQL): Session {
  const session: Session = { name: null }
  asked(client, SESSION, []).then(
    ([row]: { name: string }[]) => {
      session.name = row?.name ?? null
    },
    () => {},
  )
  return session
}

/** A template is prepared by the server, and takes one statement; a text may hold several. */
function asked(client: SQL, text: string, values: readonly SqlValue[]) {
  const isText = values.length > 0 || text === BEGIN_WITH_SETTINGS
  if (isText) return client.unsafe(text, values.map(bound))
  const parts = [text]
  Object.defineProperty(parts, 'raw', { value: parts })
  return client(parts as unknown as TemplateStringsArray)
}

function bound(value: SqlValue): string | bigint | Uint8Array | null {
  if (typeof value === 'number') {
    assert(Number.isSafeInteger(value), 'a stored number is whole and below 2^53')
    // Always the wide type: by small numbers the server would reckon in the narrow one.
    return BigInt(value)
  }
  if (typeof value === 'string') assert(!value.includes('\0'), 'a stored text holds no NUL')
  return value
}

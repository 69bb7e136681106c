import { Database as Connection, type SQLQueryBindings } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import { openStatementCache, type StatementCache } from './statement-cache.ts'

/** One connection to the file of a network's accounts, in the thread it is opened in. */
export type AccountTables = {
  connection: Connection
  statements: StatementCache
  /** The number that stands for a program in every row; made at its first use. */
  programId(program: Uint8Array): number
  /** Its number may be another's from now on. */
  forgetProgram(id: number): void
  /** No body of the program is longer. */
  bodyBytesMax(id: number): number
  noteBodyBytes(id: number, bytes: number): void
  run(text: string, ...values: SQLQueryBindings[]): void
  rows<Row>(text: string, ...values: SQLQueryBindings[]): Row[]
  /** All that `work` writes is committed together, or not at all. */
  together<T>(work: () => T): T
  close(): void
}

/** Raised with every change of the tables: what another version wrote is had again by a scan. */
const FORM_VERSION = 1

/** What has no end yet. */
export const OPEN_END = Number.MAX_SAFE_INTEGER

const BUSY_TIMEOUT_MS = 5_000
const CACHE_KIB = 32_768
/** Pages of the file are read where the system has them, up to here. */
const MAPPED_BYTES_MAX = 16 * 1024 ** 3
/** Up to here the log of what is not in the file yet stays on the disk. */
const LOG_BYTES_MAX = 64 * 1024 * 1024

/** These say that the file is of no use. All it holds can be had again. */
const UNREADABLE = /^SQLITE_(CORRUPT|NOTADB)/

const FORM = [
  `CREATE TABLE programs (
    id INTEGER PRIMARY KEY,
    pubkey BLOB NOT NULL UNIQUE,
    body_bytes_max INTEGER NOT NULL DEFAULT 0
  )`,
  `CREATE TABLE accounts (
    program INTEGER NOT NULL,
    pubkey BLOB NOT NULL,
    slot_from INTEGER NOT NULL,
    slot_to INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (program, pubkey, slot_from)
  ) WITHOUT ROWID`,
  `CREATE INDEX ended ON accounts (program, slot_to) WHERE slot_to < ${OPEN_END}`,
  `PRAGMA user_version = ${FORM_VERSION}`,
]

const SCANNED =
  'CREATE TABLE spool.scanned (pubkey BLOB PRIMARY KEY, space INTEGER, body BLOB) WITHOUT ROWID'

/** Opens the file, or begins a new one where it cannot be used. */
export function openAccountTables(path: string): AccountTables {
  try {
    return openFile(path)
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
    if (!UNREADABLE.test(code) || path === ':memory:') throw thrown
    removeFile(path)
    return openFile(path)
  }
}

function openFile(path: string): AccountTables {
  const connection = new Connection(path, { create: true, safeIntegers: true })
  try {
    prepare(connection, path)
  } catch (thrown) {
    connection.close()
    throw thrown
  }
  const statements = openStatementCache(connection)
  const ids = new Map<string, number>()
  const longest = new Map<number, number>()

  const tables: AccountTables = {
    connection,
    statements,
    programId(program) {
      const name = program.toHex()
      const known = ids.get(name)
      if (known !== undefined) return known
      tables.run('INSERT OR IGNORE INTO programs (pubkey) VALUES (?)', program)
      const [row] = tables.rows<{ id: bigint }>('SELECT id FROM programs WHERE pubkey = ?', program)
      const id = Number(row?.id)
      ids.set(name, id)
      return id
    },
    forgetProgram(id) {
      for (const [name, known] of ids) if (known === id) ids.delete(name)
      longest.delete(id)
    },
    bodyBytesMax(id) {
      const known = longest.get(id)
      if (known !== undefined) return known
      const text = 'SELECT body_bytes_max AS bytes FROM programs WHERE id = ?'
      const bytes = Number(tables.rows<{ bytes: bigint }>(text, id)[0]?.bytes ?? 0)
      longest.set(id, bytes)
      return bytes
    },
    noteBodyBytes(id, bytes) {
      if (bytes <= tables.bodyBytesMax(id)) return
      tables.run('UPDATE programs SET body_bytes_max = ? WHERE id = ?', bytes, id)
      longest.set(id, bytes)
    },
    run: (text, ...values) => statements.use(text, (prepared) => void prepared.run(...values)),
    rows: <Row>(text: string, ...values: SQLQueryBindings[]) =>
      statements.use(text, (prepared) => prepared.all(...values) as Row[]),
    together(work) {
      connection.run('BEGIN IMMEDIATE')
      try {
        const done = work()
        connection.run('COMMIT')
        return done
      } catch (thrown) {
        if (connection.inTransaction) connection.run('ROLLBACK')
        throw thrown
      }
    },
    close() {
      statements.close()
      connection.close()
      if (path !== ':memory:') removeFile(spoolPath(path))
    },
  }
  return tables
}

function prepare(connection: Connection, path: string): void {
  connection.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  connection.run('PRAGMA journal_mode = WAL')
  // A power failure may cost the last commits, never the file; the next scan has them again.
  connection.run('PRAGMA synchronous = NORMAL')
  connection.run(`PRAGMA cache_size = -${CACHE_KIB}`)
  connection.run(`PRAGMA mmap_size = ${MAPPED_BYTES_MAX}`)
  connection.run(`PRAGMA journal_size_limit = ${LOG_BYTES_MAX}`)
  const version = connection.query('PRAGMA user_version').values()[0]?.[0]
  if (version !== BigInt(FORM_VERSION)) {
    connection.run('DROP TABLE IF EXISTS accounts')
    connection.run('DROP TABLE IF EXISTS programs')
    for (const text of FORM) connection.run(text)
  }
  // What a scan brings is of no use after a restart, so it stands in a file of its own.
  if (path !== ':memory:') removeFile(spoolPath(path))
  connection.run('ATTACH ? AS spool', [path === ':memory:' ? path : spoolPath(path)])
  connection.run('PRAGMA spool.journal_mode = OFF')
  connection.run('PRAGMA spool.synchronous = OFF')
  connection.run(SCANNED)
}

function spoolPath(path: string): string {
  return `${path}-spool`
}

function removeFile(path: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${end}`, { force: true })
}

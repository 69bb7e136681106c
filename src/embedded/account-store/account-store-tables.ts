import { Database as Connection } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import { assert } from '../../core/errors.ts'
import { type AccountFile, fileOver, OPEN_END } from './account-store-file.ts'
import { openRecordTexts } from './account-store-records.ts'

/** The connection that writes. */
export type AccountTables = NonNullable<ReturnType<typeof openFile>>

/** Raised with every change of the tables: what another version wrote is had again by a scan. */
const FORM_VERSION = 5

const BUSY_TIMEOUT_MS = 5_000
/** Walks read many rows: large pages take fewer calls of the system. */
const PAGE_BYTES = 32_768
const CACHE_KIB = 32_768
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
    -- The record in base64, which most pages are made of; null where it is long.
    text BLOB,
    PRIMARY KEY (program, pubkey, slot_from)
  ) WITHOUT ROWID`,
  `CREATE INDEX ended ON accounts (program, slot_to) WHERE slot_to < ${OPEN_END}`,
  `PRAGMA user_version = ${FORM_VERSION}`,
]

const SCANNED =
  'CREATE TABLE spool.scanned (pubkey BLOB PRIMARY KEY, space INTEGER, body BLOB, text BLOB) WITHOUT ROWID'

/** Opens the file, or starts a new one where it is damaged or of another version. */
export function openAccountTables(path: string): AccountTables {
  const opened = openFile(path)
  if (opened) return opened
  // Earlier versions left the last two when they were killed.
  for (const end of ['', '-runs', '-texts']) removeFile(`${path}${end}`)
  const created = openFile(path)
  assert(created !== null, 'a new file can be used')
  return created
}

/** Another connection to a file that is open for writing; what is committed is seen at once. */
export function openAccountFile(path: string): AccountFile {
  const connection = new Connection(path, { readwrite: true, safeIntegers: true })
  connection.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  connection.run(`PRAGMA cache_size = -${CACHE_KIB}`)
  connection.run('PRAGMA query_only = ON')
  return fileOver(connection)
}

/** Null for a file that is of no use. */
function openFile(path: string) {
  const connection = new Connection(path, { create: true, safeIntegers: true })
  try {
    if (!prepare(connection, path)) {
      connection.close()
      return null
    }
  } catch (thrown) {
    connection.close()
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
    if (!UNREADABLE.test(code) || path === ':memory:') throw thrown
    return null
  }
  const file = fileOver(connection)
  const programs = openPrograms(file)
  return {
    ...file,
    ...programs,
    /** All that `work` writes is committed together, or not at all. */
    together<T>(work: () => T): T {
      connection.run('BEGIN IMMEDIATE')
      try {
        const done = work()
        connection.run('COMMIT')
        return done
      } catch (thrown) {
        if (connection.inTransaction) connection.run('ROLLBACK')
        programs.forgetAll()
        throw thrown
      }
    },
    close() {
      file.close()
      if (path !== ':memory:') removeFile(spoolPath(path))
    },
  }
}

/** The facts of each program that are known without looking again. */
function openPrograms({ run, rows }: AccountFile) {
  const ids = new Map<string, number>()
  const longest = new Map<number, number>()
  const texts = new Map<number, ReturnType<typeof openRecordTexts>>()
  return {
    /** The number of the program in every row; assigned at its first use. */
    programId(program: Uint8Array): number {
      const name = program.toHex()
      const known = ids.get(name)
      if (known !== undefined) return known
      run('INSERT OR IGNORE INTO programs (pubkey) VALUES (?)', program)
      const [row] = rows<{ id: bigint }>('SELECT id FROM programs WHERE pubkey = ?', program)
      const id = Number(row?.id)
      ids.set(name, id)
      texts.set(id, openRecordTexts(program))
      return id
    },
    /** The text of a body, in memory that the next one takes. */
    textOf: (id: number, body: Uint8Array) => texts.get(id)?.(body) ?? null,
    /** Another program may get its number from now on. */
    forgetProgram(id: number): void {
      for (const [name, known] of ids) if (known === id) ids.delete(name)
      longest.delete(id)
    },
    /** No body of the program may be longer than what is noted. */
    noteBodyBytes(id: number, bytes: number): void {
      if (bytes <= (longest.get(id) ?? 0)) return
      const text = 'UPDATE programs SET body_bytes_max = max(body_bytes_max, ?) WHERE id = ?'
      run(text, bytes, id)
      longest.set(id, bytes)
    },
    /** Forgets them all: what was written with them is not there any more. */
    forgetAll(): void {
      ids.clear()
      longest.clear()
    },
  }
}

/** False for a file of another version. */
function prepare(connection: Connection, path: string): boolean {
  connection.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  const version = connection.query('PRAGMA user_version').values()[0]?.[0]
  const isNew = connection.query('SELECT 1 FROM sqlite_master').get() === null
  if (!isNew && version !== BigInt(FORM_VERSION)) return false
  connection.run(`PRAGMA page_size = ${PAGE_BYTES}`)
  connection.run('PRAGMA journal_mode = WAL')
  // A power failure may cost the last commits, never the file; the next scan has them again.
  connection.run('PRAGMA synchronous = NORMAL')
  connection.run(`PRAGMA cache_size = -${CACHE_KIB}`)
  connection.run(`PRAGMA journal_size_limit = ${LOG_BYTES_MAX}`)
  if (isNew) for (const text of FORM) connection.run(text)
  // The records of a scan are of no use after a restart, so they stand in a file of their own.
  if (path !== ':memory:') removeFile(spoolPath(path))
  connection.run('ATTACH ? AS spool', [path === ':memory:' ? path : spoolPath(path)])
  connection.run('PRAGMA spool.journal_mode = OFF')
  connection.run('PRAGMA spool.synchronous = OFF')
  connection.run(SCANNED)
  return true
}

function spoolPath(path: string): string {
  return `${path}-spool`
}

function removeFile(path: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${end}`, { force: true })
}

import { Database as Connection } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import { type AccountFile, fileOver, OPEN_END } from './account-store-file.ts'
import {
  openTextCache,
  TEXT_CACHE_RULES,
  type TextCache,
  type TextCacheRules,
} from './text-cache/text-cache.ts'
import { openTextFile } from './text-cache/text-file.ts'

/** The connection that writes. */
export type AccountTables = AccountFile & {
  /** The number that stands for a program in every row; made at its first use. */
  programId(program: Uint8Array): number
  /** Its number may be another's from now on. */
  forgetProgram(id: number): void
  /** No body of the program may be longer than what is noted. */
  noteBodyBytes(id: number, bytes: number): void
  /** Ready text of what is read often. */
  textCache: TextCache
  /** All that `work` writes is committed together, or not at all. */
  together<T>(work: () => T): T
}

/** Raised with every change of the tables: what another version wrote is had again by a scan. */
const FORM_VERSION = 4

const BUSY_TIMEOUT_MS = 5_000
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
    PRIMARY KEY (program, pubkey, slot_from)
  ) WITHOUT ROWID`,
  `CREATE INDEX ended ON accounts (program, slot_to) WHERE slot_to < ${OPEN_END}`,
  `CREATE TABLE texts (
    id INTEGER PRIMARY KEY,
    program INTEGER NOT NULL,
    after_key BLOB NOT NULL,
    upto_key BLOB NOT NULL,
    slot_from INTEGER NOT NULL,
    slot_to INTEGER NOT NULL,
    place INTEGER NOT NULL,
    text_bytes INTEGER NOT NULL,
    records INTEGER NOT NULL
  )`,
  'CREATE INDEX texts_by_key ON texts (program, upto_key)',
  // Where a text was, there may be another one: so whoever reads sees that some are gone.
  'CREATE TABLE texts_gone (times INTEGER NOT NULL)',
  'INSERT INTO texts_gone VALUES (0)',
  `CREATE TRIGGER text_gone AFTER DELETE ON texts BEGIN
    UPDATE texts_gone SET times = times + 1;
  END`,
  `PRAGMA user_version = ${FORM_VERSION}`,
]

/** With those of earlier versions. */
const TABLES = ['accounts', 'programs', 'texts', 'texts_gone', 'runs', 'runs_gone']

const SCANNED =
  'CREATE TABLE spool.scanned (pubkey BLOB PRIMARY KEY, space INTEGER, body BLOB) WITHOUT ROWID'

/** Opens the file, or begins a new one where it cannot be used. */
export function openAccountTables(
  path: string,
  rules: TextCacheRules = TEXT_CACHE_RULES,
): AccountTables {
  try {
    return openFile(path, rules)
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
    if (!UNREADABLE.test(code) || path === ':memory:') throw thrown
    removeFile(path)
    return openFile(path, rules)
  }
}

/** Another connection to a file that is open for writing; what is committed is seen at once. */
export function openAccountFile(path: string): AccountFile {
  const connection = new Connection(path, { readwrite: true, safeIntegers: true })
  connection.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  connection.run(`PRAGMA cache_size = -${CACHE_KIB}`)
  connection.run('PRAGMA query_only = ON')
  return fileOver(connection, openTextFile(textsPath(path), 'read'))
}

function openFile(path: string, rules: TextCacheRules): AccountTables {
  const connection = new Connection(path, { create: true, safeIntegers: true })
  try {
    prepare(connection, path)
  } catch (thrown) {
    connection.close()
    throw thrown
  }
  const file = fileOver(connection, openTextFile(textsPath(path), 'write'))
  const programs = openPrograms(file)
  const textCache = openTextCache(file, rules)
  return {
    ...file,
    ...programs,
    textCache,
    together(work) {
      connection.run('BEGIN IMMEDIATE')
      try {
        const done = work()
        connection.run('COMMIT')
        return done
      } catch (thrown) {
        if (connection.inTransaction) connection.run('ROLLBACK')
        programs.forgetAll()
        textCache.forgetAll()
        throw thrown
      }
    },
    close() {
      file.close()
      if (path === ':memory:') return
      removeFile(spoolPath(path))
      removeFile(textsPath(path))
    },
  }
}

/** The facts of each program that are known without looking again. */
function openPrograms({ run, rows }: AccountFile) {
  const ids = new Map<string, number>()
  const longest = new Map<number, number>()
  return {
    programId(program: Uint8Array): number {
      const name = program.toHex()
      const known = ids.get(name)
      if (known !== undefined) return known
      run('INSERT OR IGNORE INTO programs (pubkey) VALUES (?)', program)
      const [row] = rows<{ id: bigint }>('SELECT id FROM programs WHERE pubkey = ?', program)
      const id = Number(row?.id)
      ids.set(name, id)
      return id
    },
    forgetProgram(id: number): void {
      for (const [name, known] of ids) if (known === id) ids.delete(name)
      longest.delete(id)
    },
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

function prepare(connection: Connection, path: string): void {
  connection.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  connection.run('PRAGMA journal_mode = WAL')
  // A power failure may cost the last commits, never the file; the next scan has them again.
  connection.run('PRAGMA synchronous = NORMAL')
  connection.run(`PRAGMA cache_size = -${CACHE_KIB}`)
  connection.run(`PRAGMA journal_size_limit = ${LOG_BYTES_MAX}`)
  const version = connection.query('PRAGMA user_version').values()[0]?.[0]
  if (version !== BigInt(FORM_VERSION)) {
    for (const table of TABLES) connection.run(`DROP TABLE IF EXISTS ${table}`)
    for (const text of FORM) connection.run(text)
    // Earlier versions had their texts there, and one that was killed left them.
    if (path !== ':memory:') removeFile(`${path}-runs`)
  }
  // Their texts are not kept beyond the process: a power failure could leave half of one.
  connection.run('DELETE FROM texts')
  // The records of a scan are of no use after a restart, so they stand in a file of their own.
  if (path !== ':memory:') removeFile(spoolPath(path))
  connection.run('ATTACH ? AS spool', [path === ':memory:' ? path : spoolPath(path)])
  connection.run('PRAGMA spool.journal_mode = OFF')
  connection.run('PRAGMA spool.synchronous = OFF')
  connection.run(SCANNED)
}

function spoolPath(path: string): string {
  return `${path}-spool`
}

function textsPath(path: string): string {
  return path === ':memory:' ? path : `${path}-texts`
}

function removeFile(path: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${end}`, { force: true })
}

import { Database as Connection } from 'bun:sqlite'
import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The file is no archive that this version can go on with; the message says why. */
export class UnusableArchive extends Error {
  override readonly name = 'UnusableArchive'
}

/** It cannot be opened or written now, which is no fault of the file. */
export class UnavailableArchive extends Error {
  override readonly name = 'UnavailableArchive'
}

const ARCHIVE_FILE = 'chain.sqlite'

/** SQLite's place for the kind of a file: "HGEV". */
const APPLICATION_ID = 0x48474556
const VERSION = 1

/** A chain whose Headgate was killed ends by itself, a moment later. */
const BUSY_MS_MAX = 5_000

/** Another process has it open, or the disk is full or takes nothing. */
const PASSING = /^(?:SQLITE_(?:BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|PERM)|E[A-Z]+$)/

const TABLES = `
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  -- Texts of the chain itself, compressed; receipts are null where there are none.
  CREATE TABLE blocks (
    number INTEGER PRIMARY KEY, hash BLOB NOT NULL, block BLOB NOT NULL, receipts BLOB);
  CREATE INDEX blocks_by_hash ON blocks (hash);
  -- The first bytes of a hash find the block; its text tells the rest.
  CREATE TABLE transactions (
    hash_start BLOB NOT NULL, block INTEGER NOT NULL,
    PRIMARY KEY (hash_start, block)) WITHOUT ROWID;
  CREATE INDEX transactions_by_block ON transactions (block);
  -- Each value of the state with the block from which on it holds.
  CREATE TABLE state_keys (id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE);
  CREATE TABLE state_values (
    key INTEGER NOT NULL, block INTEGER NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (key, block)) WITHOUT ROWID;
  CREATE INDEX state_values_by_block ON state_values (block);
  -- Transactions as they were signed, for as long as they may have to be sent again.
  CREATE TABLE signed (hash BLOB PRIMARY KEY, block INTEGER NOT NULL, bytes BLOB NOT NULL)
    WITHOUT ROWID;
`

export function openArchiveFile(folder: string, busyMsMax = BUSY_MS_MAX): Connection {
  const file = join(folder, ARCHIVE_FILE)
  let connection: Connection | null = null
  try {
    mkdirSync(folder, { recursive: true })
    const isNew = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0
    connection = new Connection(file, { create: true, strict: true })
    connection.run(`PRAGMA busy_timeout = ${busyMsMax}`)
    prepare(connection, isNew)
    return connection
  } catch (thrown) {
    connection?.close()
    throw archiveFault(thrown)
  }
}

export function archiveFault(thrown: unknown): UnusableArchive | UnavailableArchive {
  if (thrown instanceof UnusableArchive || thrown instanceof UnavailableArchive) return thrown
  const { code = '', message } = thrown as { code?: string; message: string }
  return PASSING.test(code) ? new UnavailableArchive(message) : new UnusableArchive(message)
}

/** Puts an unusable archive aside, for whoever wants to look at it; its new path. */
export function setAside(folder: string): string {
  const named = (at: number) => join(folder, `chain.broken-${at}.sqlite`)
  let at = 1
  while (existsSync(named(at))) at++
  for (const part of ['', '-wal', '-shm']) {
    const from = join(folder, ARCHIVE_FILE) + part
    if (existsSync(from)) renameSync(from, named(at) + part)
  }
  return named(at)
}

function prepare(connection: Connection, isNew: boolean): void {
  // Two chains that write one archive would both spoil it.
  connection.run('PRAGMA locking_mode = EXCLUSIVE')
  // A crash of the machine may cost the last blocks, as one of the process may; never the file.
  connection.run('PRAGMA journal_mode = WAL')
  connection.run('PRAGMA synchronous = NORMAL')
  connection.run('BEGIN IMMEDIATE')
  if (isNew) {
    connection.run(TABLES)
    connection.run(`PRAGMA application_id = ${APPLICATION_ID}`)
    connection.run(`PRAGMA user_version = ${VERSION}`)
  }
  const [kind, version] = ['application_id', 'user_version'].map((name) =>
    Number(connection.query<Record<string, number>, []>(`PRAGMA ${name}`).get()?.[name]),
  )
  connection.run('COMMIT')
  if (kind !== APPLICATION_ID) throw new UnusableArchive('it is not a file of this chain')
  if (version !== VERSION) throw new UnusableArchive(`it is of version ${version}, not ${VERSION}`)
}

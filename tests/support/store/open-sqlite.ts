import { openSqliteHere } from '../../../src/embedded/database/sqlite-database.ts'
import { openSqliteEngine } from '../../../src/embedded/database/sqlite-engine.ts'
import type { Database } from '../../../src/ports/database.ts'

/** A store in memory: one connection, in this thread. */
export function openSqlite(path: ':memory:'): Database {
  return openSqliteHere(openSqliteEngine(path))
}

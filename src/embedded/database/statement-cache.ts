import type { Database as Connection, Statement } from 'bun:sqlite'
import { assert } from '../../core/errors.ts'

/** Several times the number of statements that the tables have. */
const CACHED_STATEMENTS_MAX = 256

/** Each multi-row insert has its own text: caching them would push out the useful ones. */
const CACHED_TEXT_CHARS_MAX = 4_096

/** Keeps the prepared statements used last, since preparing costs more than running a look-up. */
export function openStatementCache(connection: Connection) {
  const cached = new Map<string, Statement>()

  function use<T>(text: string, work: (statement: Statement) => T): T {
    if (text.length > CACHED_TEXT_CHARS_MAX) return useOnce(connection, text, work)

    const statement = cached.get(text) ?? prepare(connection, text)
    // A Map remembers the order of insertion, so putting it back makes it the youngest.
    cached.delete(text)
    cached.set(text, statement)
    if (cached.size > CACHED_STATEMENTS_MAX) dropOldest(cached)
    try {
      return work(statement)
    } catch (error) {
      // The runtime leaves a failed statement half run, and it would hold its lock for good.
      cached.delete(text)
      statement.finalize()
      throw error
    }
  }

  function close(): void {
    for (const statement of cached.values()) statement.finalize()
    cached.clear()
  }

  return { use, close }
}

function useOnce<T>(connection: Connection, text: string, work: (statement: Statement) => T): T {
  const statement = prepare(connection, text)
  try {
    return work(statement)
  } finally {
    statement.finalize()
  }
}

function prepare(connection: Connection, text: string): Statement {
  // SQLite prepares the first statement of a text and says nothing about the rest.
  assert(!text.replace(/'[^']*'/g, '').includes(';'), 'a query holds one statement')
  // SQLite looks into a bare parameter there and prepares the statement anew at each run, which
  // takes longer than most of ours do. An expression it takes as it comes.
  return connection.prepare(text.replace(/\bLIMIT \?/g, 'LIMIT ? + 0'))
}

function dropOldest(cached: Map<string, Statement>): void {
  const oldest = cached.entries().next().value
  if (!oldest) return
  cached.delete(oldest[0])
  oldest[1].finalize()
}

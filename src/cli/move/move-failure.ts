import { join } from 'node:path'
import { Failure } from '../../core/errors.ts'
import { postgresHosts } from '../../core/servers/postgres-servers.ts'
import { startFailure } from '../start/start-failure.ts'

type Places = { folder: string; url: string }

/** The codes of SQLite and its thread; all others are PostgreSQL's, or of the way to it. */
const OF_FOLDER = /^(?:SQLITE_|thread_ended$)/

/** The reason why a move ended before its end, for its operator; null for a bug of ours. */
export function moveFailure(thrown: unknown, { folder, url }: Places): string | null {
  const wanted = { listen: { host: '', port: 0 }, data: folder }
  if (!(thrown instanceof Failure)) return startFailure(thrown, wanted)
  const { code, facts } = thrown
  if (code === 'database_unavailable' && OF_FOLDER.test(String(facts.code))) {
    return `The store ${join(folder, 'headgate.sqlite')} cannot be used (${facts.code}). ${AGAIN}`
  }
  if (code === 'database_unavailable') {
    // Nothing but the host: the rest of the address may hold a password.
    return `The PostgreSQL server at ${postgresHosts(url)} cannot be used (${facts.code}). ${AGAIN}`
  }
  if (code !== 'start_failed' && code !== 'move_failed') return null
  return `The move is not done: ${facts.reason}.`
}

const AGAIN = 'Run the same command again to go on.'

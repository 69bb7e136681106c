import { join } from 'node:path'
import { ConfigFaults, readSettings } from '../../config/config.ts'
import { Failure } from '../../core/errors.ts'
import { postgresHosts, postgresServers } from '../../core/servers/postgres-servers.ts'
import { startFailure } from '../start/start-failure.ts'
import { complain } from '../terminal/complain.ts'
import { migratedText, migrationProgress } from './migration-progress.ts'

type Places = { folder: string; url: string }

const ADDRESS = /^postgres(ql)?:/

/** The codes of SQLite and its thread; all others are PostgreSQL's or the network's. */
const OF_FOLDER = /^(?:SQLITE_|thread_ended$)/

const AGAIN = 'Run the same command again to start over.'

export async function migrateStore(
  { from, to }: { from?: string; to?: string },
  configFile: string | undefined,
): Promise<void> {
  const settings = readSettings(configFile)
  if (settings instanceof ConfigFaults) return complain(settings.text, 'badInput')
  const places = readPlaces(from, to ?? settings.database)
  if (typeof places === 'string') return complain(places, 'badInput')
  const isTerminal = process.stderr.isTTY === true
  const report = migrationProgress({ isTerminal, write: (text) => void process.stderr.write(text) })
  const wiring = await import('../../wiring/migrate-store.ts')
  try {
    const migrated = await wiring.migrateStore({ ...places, settings }, report)
    if (typeof migrated === 'string') return complain(migrated, 'badInput')
    console.log(migratedText(migrated))
    process.exit(0)
  } catch (thrown) {
    const failure = migrationFailure(thrown, places)
    if (failure === null) throw thrown
    return complain(failure, 'failed')
  }
}

/** A sentence if the two cannot be used. It repeats no address. */
export function readPlaces(from: string | undefined, to: string | undefined): Places | string {
  if (from === undefined) return 'migrate needs --from, a data folder'
  if (to === undefined) return 'migrate needs --to, or the option database'
  if (ADDRESS.test(from) || !ADDRESS.test(to)) {
    return (
      'migrate copies a data folder (--from) to a postgres:// address (--to). To go back to a ' +
      'folder, restore your backup of it'
    )
  }
  const hasHost = postgresServers(to).every((server) => URL.parse(server)?.hostname)
  return hasHost ? { folder: from, url: to } : '--to must be a postgres:// address with a host'
}

/** The reason why a migration failed, for its operator; null for a bug of ours. */
export function migrationFailure(thrown: unknown, { folder, url }: Places): string | null {
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
  if (code !== 'start_failed' && code !== 'migration_failed') return null
  return `The migration failed: ${facts.reason}.`
}

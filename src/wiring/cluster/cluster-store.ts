import { Failure } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Database, StoreHealth } from '../../ports/database.ts'
import { watchCommits } from '../../ports/driver-parts/commit-watch.ts'
import type { DerivedKeys } from '../../ports/secrets.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { beginDay } from '../../tables/postgres/event-days.ts'
import { migratePostgres } from '../../tables/postgres/migrate-postgres.ts'
import { POSTGRES_PROCEDURES } from '../../tables/postgres/postgres-procedures.ts'
import { TRIAL_COMMIT } from '../../tables/postgres/trial-commit.ts'
import { writeInstanceFactOnce } from '../../tables/sql/instance.ts'

type Needs = { clock: Clock; telemetry: Telemetry }

type Options = {
  url: string
  connectionsMax: number
  transactionPooler: boolean
  secrets: DerivedKeys
  /** How long a server that is away is waited for. */
  waitMs?: number
}

/** Servers start in any order: a database that is not there yet is waited for. */
const WAIT_MS = 60_000
const ASK_EVERY_MS = 1000

/** The server will not let us in however long we wait, or is not the one that is meant. */
const REFUSED = /^(28|3D|42501)|CERT|VERIFY|TLS_NOT_AVAILABLE|BORINGSSL|INVALID_ARG|STARTUP_PARAM/

/** Partitions are made two days ahead, so a day is not missed by hours. */
const LOOK_AT_DAY_EVERY_MS = 10 * 60_000

/** The disk is the server's: its operator watches it. */
const ROOM = { freeBytes: Number.MAX_SAFE_INTEGER, floorBytes: 0, isLow: false }

const SECRET_FACT = 'secret_fingerprint'

export async function openClusterStore(needs: Needs, options: Options) {
  const { clock, telemetry } = needs
  const { openPostgresDatabase } = await import('../../cluster/postgres/postgres-database.ts')
  const { url, connectionsMax, transactionPooler: isPooled, secrets, waitMs = WAIT_MS } = options
  const procedures = POSTGRES_PROCEDURES
  const postgres = openPostgresDatabase({ clock }, { url, connectionsMax, isPooled, procedures })
  const { database, commits } = watchCommits(needs, postgres, TRIAL_COMMIT)
  const begin = () => database.transaction((tx) => beginDay(tx, clock.nowMs()))
  const failed = () => telemetry.count('headgate_store_failures_total', { part: 'days' })
  const stop = clock.every(LOOK_AT_DAY_EVERY_MS, () => void begin().catch(failed))
  const close = () => {
    stop()
    return database.close()
  }
  try {
    await reach(needs, database, waitMs)
  } catch (thrown) {
    await close()
    throw thrown
  }
  const storeHealth: StoreHealth = { commits, room: () => ROOM }
  return {
    database,
    storeHealth,
    async migrate(given: Database) {
      await migratePostgres(given, clock.nowMs())
      await checkSecret(given, secrets)
    },
    close,
  }
}

async function reach(
  { clock, telemetry }: Needs,
  database: Database,
  waitMs: number,
): Promise<void> {
  const sinceMs = clock.monotonicMs()
  for (;;) {
    try {
      await database.query(TRIAL_COMMIT)
      return
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown
      const { code } = thrown.facts
      const isOver = clock.monotonicMs() - sinceMs >= waitMs || REFUSED.test(String(code))
      if (isOver) throw thrown
      telemetry.log('warn', 'database_awaited', { code: String(code) })
    }
    await clock.sleep(ASK_EVERY_MS)
  }
}

/** With another secret nobody could read the keys that are stored, nor sign as before. */
async function checkSecret(database: Database, secrets: DerivedKeys): Promise<void> {
  const mine = secrets.derive('fingerprint of the secret').toHex()
  if ((await writeInstanceFactOnce(database, SECRET_FACT, mine)) === mine) return
  throw new Failure('start_failed', {
    reason:
      'secret is not the one that this database was first used with; it must be the same in ' +
      'every process',
  })
}

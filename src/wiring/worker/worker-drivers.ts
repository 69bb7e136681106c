import { join } from 'node:path'
import type { Settings } from '../../config/config.ts'
import { openSqliteReader } from '../../embedded/database/sqlite-database.ts'
import { openInProcessSignals } from '../../embedded/in-process-signals.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import { openSystem } from '../../system/open-system.ts'
import { requestOverSocket } from '../../system/outbound/outbound.ts'

export type WorkerDrivers = Awaited<ReturnType<typeof openWorkerDrivers>>

/**
 * The drivers of a gateway worker: those of the machine, and a store that it only reads. Signals
 * are what the main process passes on.
 */
export async function openWorkerDrivers(settings: Settings, component: string) {
  await using opened = new AsyncDisposableStack()
  const system = openSystem(undefined, component)
  opened.defer(() => system.telemetry.flush())
  const database = await openStore(settings, system)
  opened.defer(() => database.close())
  const signals = opened.adopt(openInProcessSignals(), (one) => one.close())
  const kept = opened.move()
  const close = () => kept.disposeAsync()
  return { ...system, database, signals, secrets: NO_SECRETS, requestOverSocket, close }
}

/** A worker is given no secret, and does nothing that needs one. */
const NO_SECRETS = { seal: noSecret, open: noSecret, bind: noSecret, derive: noSecret }

function noSecret(): never {
  throw new Error('a worker has no secret')
}

/** A worker looks keys up, and does so rarely. */
const CONNECTIONS_MAX = 2

async function openStore(settings: Settings, { clock }: { clock: Clock }): Promise<Database> {
  const { database: url, data, postgres } = settings
  if (url === undefined) return openSqliteReader(join(data, 'headgate.sqlite'))
  const { openPostgresDatabase } = await import('../../cluster/postgres/postgres-database.ts')
  const isPooled = postgres.transactionPooler
  const options = { url, connectionsMax: CONNECTIONS_MAX, isPooled, procedures: [] }
  return openPostgresDatabase({ clock }, options)
}

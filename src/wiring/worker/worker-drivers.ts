import { join } from 'node:path'
import type { Settings } from '../../config/config.ts'
import { within } from '../../core/async/within.ts'
import { assert } from '../../core/errors.ts'
import { openSqliteReader } from '../../embedded/database/sqlite-database.ts'
import {
  openLimitExchange,
  PACE_BETWEEN_MACHINES,
  paceBetweenWorkers,
} from '../../metering/limit-exchange.ts'
import type { Database } from '../../ports/database.ts'
import { openMachineSignals } from '../../ports/driver-parts/machine-signals.ts'
import { openSystem } from '../../system/open-system.ts'
import { type ForwardedRequest, requestOverSocket } from '../../system/outbound/outbound.ts'
import type { ProcessCalls } from '../workers/process-calls.ts'
import type { MainFunctions, WorkerOpening } from '../workers/worker-settings.ts'

export type WorkerDrivers = Awaited<ReturnType<typeof openWorkerDrivers>>

export type { ForwardedRequest }

/** Asks the main process over its socket. */
export type RequestMain = (path: string, request: ForwardedRequest) => Promise<Response>

type Main = ProcessCalls<MainFunctions>

/** A worker looks keys up and writes usage, and both are rare. */
const CONNECTIONS_MAX = 2

/** A main process that hangs must not hold up answers any longer. */
const PUBLISH_MS_MAX = 2000

/**
 * The drivers of a gateway worker: those of a gateway on one machine, with the store and the
 * signals of the main process.
 */
export async function openWorkerDrivers(settings: Settings, opening: WorkerOpening, main: Main) {
  await using opened = new AsyncDisposableStack()
  const system = openSystem(undefined, `worker-${process.pid}`)
  const { clock, entropy } = system
  opened.defer(() => system.telemetry.flush())
  const database = await openStore(settings, system, main)
  opened.defer(() => database.close())
  const signals = openMachineSignals(async (topic, text, reach) => {
    const published = main.call('publish', topic, text, reach).catch(() => {})
    await within(clock, PUBLISH_MS_MAX, published, () => {})
  })
  opened.defer(signals.close)
  const { workers } = settings.gateway
  const isAlone = settings.database === undefined
  const exchange = openLimitExchange(
    { ...system, signals },
    {
      sender: `worker_${entropy.alphanumeric(16)}`,
      pace: isAlone ? paceBetweenWorkers(workers) : PACE_BETWEEN_MACHINES,
      debts: opening.debts,
    },
  )
  opened.defer(exchange.stop)
  const secrets = { seal: noSecret, open: noSecret, derive }
  const requestMain: RequestMain = (path, request) =>
    requestOverSocket(opening.socket, path, request)
  const kept = opened.move()
  const close = () => kept.disposeAsync()
  return { ...system, database, signals, exchange, secrets, requestMain, close }

  function derive(purpose: string): Uint8Array {
    assert(purpose === 'ids of filters', 'a worker has no other secret')
    return Uint8Array.fromHex(opening.filterSecretHex)
  }
}

function noSecret(): never {
  throw new Error('a worker has no secret')
}

async function openStore(
  { database: url, data, postgres }: Settings,
  { clock }: ReturnType<typeof openSystem>,
  main: Main,
): Promise<Database> {
  if (url === undefined) {
    return openSqliteReader(
      join(data, 'headgate.sqlite'),
      async ({ name }, args) => (await main.call('perform', name, [...args])) as never,
    )
  }
  const { openPostgresDatabase } = await import('../../cluster/postgres/postgres-database.ts')
  const { POSTGRES_PROCEDURES: procedures } = await import(
    '../../tables/postgres/postgres-procedures.ts'
  )
  const isPooled = postgres.transactionPooler
  const options = { url, connectionsMax: CONNECTIONS_MAX, isPooled, procedures }
  return openPostgresDatabase({ clock }, options)
}

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Settings } from '../../config/config.ts'
import { assert, Failure } from '../../core/errors.ts'
import { openAccountStores } from '../../embedded/account-store/account-store.ts'
import { keepPrivate, ownFolder } from '../../embedded/database/own-folder.ts'
import { openLimitExchange, PACE_BETWEEN_MACHINES } from '../../metering/limit-exchange.ts'
import type { Clock } from '../../ports/clock.ts'
import { openMachineSignals } from '../../ports/driver-parts/machine-signals.ts'
import type { Entropy } from '../../ports/entropy.ts'
import type { DerivedKeys } from '../../ports/secrets.ts'
import type { MachineSignals } from '../../ports/signals.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { openEgress } from '../../system/egress/egress.ts'
import { openSecrets } from '../../system/machine/secrets.ts'
import { openSpillFiles } from '../../system/machine/spill-files.ts'
import { openSystem, type WriteLog } from '../../system/open-system.ts'
import type { ProcessDrivers } from '../process-drivers.ts'
import { openClusterStore } from './cluster-store.ts'

type Scratch = {
  folder: string
  /** The name of the process that has the folder, the same after a restart. */
  name: string
  release(): void
}

/** The parts of the world that are there before its signals are. */
type Machine = { clock: Clock; entropy: Entropy; telemetry: Telemetry; secrets: DerivedKeys }

/** Processes of one machine may have the same `data`: each uses a folder of its own in it. */
const FOLDERS_MAX = 256

const NAME_LENGTH = 16

/** Enough that no two clusters on one NATS server have it in common. */
const CLUSTER_NAME_BYTES = 12

/** The drivers of many machines: PostgreSQL for the store, and files for nothing but scratch. */
export async function openClusterDrivers(
  settings: Settings,
  write?: WriteLog,
): Promise<ProcessDrivers> {
  await using opened = new AsyncDisposableStack()
  const system = openSystem(write)
  const { clock, entropy, telemetry, reportBug } = system
  opened.defer(() => telemetry.flush())
  opened.defer(system.prover.close)
  const { database: url, secret } = settings
  assert(url !== undefined && secret !== undefined, 'a cluster has a database and a secret')
  const scratch = ownScratch(settings.data, entropy)
  opened.defer(scratch.release)
  const { folder, name } = scratch
  const secrets = openSecrets(Uint8Array.fromHex(secret), entropy)
  const store = await openClusterStore(system, { url, ...settings.postgres, secrets })
  opened.defer(store.close)
  const signals = opened.adopt(
    await openClusterSignals({ ...system, secrets }, settings),
    (signals) => signals.close(),
  )
  const shared = { clock, telemetry, signals }
  const exchange = openLimitExchange(shared, { sender: name, pace: PACE_BETWEEN_MACHINES })
  opened.defer(exchange.stop)
  const { allowPrivateDestinations: allowPrivate } = settings.webhooks
  const egress = opened.adopt(openEgress({ clock, allowPrivate, reportBug }), (egress) =>
    egress.close(),
  )
  const drivers = {
    ...system,
    name,
    exchange,
    migrate: store.migrate,
    accountStores: openAccountStores(folder),
    database: store.database,
    egress,
    secrets,
    signals,
    storeHealth: store.storeHealth,
    spill: openSpillFiles(join(folder, 'spill')),
  }
  const kept = opened.move()
  return { ...drivers, close: () => kept.disposeAsync() }
}

function ownScratch(data: string, entropy: Entropy): Scratch {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  for (let number = 0; number < FOLDERS_MAX; number++) {
    const folder = join(data, `scratch-${number}`)
    try {
      const release = ownFolder(folder)
      const name = nameIn(folder, entropy)
      keepPrivate(data)
      return { folder, name, release }
    } catch (thrown) {
      // Only a folder that another process has leads on to the next.
      if (!(thrown instanceof Failure) || thrown.facts.usedBy === undefined) throw thrown
    }
  }
  throw new Failure('start_failed', { reason: `${data} is used by too many processes` })
}

/**
 * A process that comes back has its leases at once. A folder that was copied to another machine
 * gets another name there: two of one name would take the leases from each other.
 */
function nameIn(folder: string, entropy: Entropy): string {
  const file = join(folder, 'process-name')
  const host = hostname()
  const [known, where] = read(file).split('\n')
  if (known && where === host) return known
  const name = `process_${entropy.alphanumeric(NAME_LENGTH)}`
  writeFileSync(file, `${name}\n${host}\n`)
  return name
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Hints between processes; without a way for them the sweeps of each find every change. */
async function openClusterSignals(machine: Machine, settings: Settings): Promise<MachineSignals> {
  const { telemetry, secrets } = machine
  const { nats, database, postgres } = settings
  const { openRelayedSignals } = await import('../../cluster/signals/relayed-signals.ts')
  if (nats) {
    const { openNatsWire } = await import('../../cluster/signals/nats-wire.ts')
    const name = secrets.derive('name of the cluster').slice(0, CLUSTER_NAME_BYTES).toHex()
    const options = { ...nats, cluster: name }
    return openRelayedSignals(machine, (hear, notice) =>
      openNatsWire(machine, options, hear, notice),
    )
  }
  const url = postgres.transactionPooler ? postgres.directUrl : database
  if (url === undefined) {
    const reason = 'a transaction pooler carries none: configure postgres.directUrl or nats'
    telemetry.log('warn', 'signals_absent', { reason })
    return openMachineSignals()
  }
  const { openPostgresWire } = await import('../../cluster/signals/postgres-wire.ts')
  return openRelayedSignals(machine, (hear, notice) => openPostgresWire(machine, url, hear, notice))
}

import { join } from 'node:path'
import type { Settings } from '../../config/config.ts'
import { assert } from '../../core/errors.ts'
import { openAccountStores } from '../../embedded/account-store/account-store.ts'
import { openEgress } from '../../system/egress/egress.ts'
import { openSecrets } from '../../system/machine/secrets.ts'
import { openSpillFiles } from '../../system/machine/spill-files.ts'
import { openSystem, type WriteLog } from '../../system/open-system.ts'
import type { ProcessDrivers } from '../process-drivers.ts'
import { openClusterExchange, openClusterSignals } from './cluster-signals.ts'
import { openClusterStore } from './cluster-store.ts'
import { ownScratch } from './own-scratch.ts'

/** The drivers of many machines: PostgreSQL for the store, and files for nothing but scratch. */
export async function openClusterDrivers(
  settings: Settings,
  write?: WriteLog,
): Promise<ProcessDrivers> {
  await using opened = new AsyncDisposableStack()
  const system = openSystem(write)
  const { clock, entropy, telemetry } = system
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
  const exchange = openClusterExchange(clock, telemetry, signals, name)
  opened.defer(exchange.stop)
  const { allowPrivateDestinations: allowPrivate } = settings.webhooks
  const egress = opened.adopt(openEgress({ clock, allowPrivate }), (egress) => egress.close())
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

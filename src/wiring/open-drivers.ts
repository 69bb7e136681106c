import type { Settings } from '../config/config.ts'
import { openEmbeddedDrivers, type WriteLog } from './embedded-drivers.ts'
import type { ProcessDrivers } from './process-drivers.ts'

/** The drivers of the world that is configured; those of many machines are loaded only there. */
export async function openDrivers(settings: Settings, write?: WriteLog): Promise<ProcessDrivers> {
  if (settings.database === undefined) return openEmbeddedDrivers(settings, write)
  const { openClusterDrivers } = await import('./cluster/cluster-drivers.ts')
  return openClusterDrivers(settings, write)
}

import { ConfigFaults, readSettings, type Settings } from '../../config/config.ts'
import { openProbeDrivers } from '../../wiring/embedded-drivers.ts'
import { type NetworkSet, openNetworkSet } from '../../wiring/networks/network-set.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { complain } from '../terminal/complain.ts'

/** Checks the configuration file and asks each upstream which chain it is on. */
export async function checkConfiguration(configFile: string | undefined): Promise<void> {
  const settings = readSettings(configFile)
  if (settings instanceof ConfigFaults) return complain(settings.text, EXIT_CODES.badInput)
  const { faults, warnings } = await checkUpstreams(settings)
  if (faults.length > 0) return complain(faults.join('\n'), EXIT_CODES.badInput)
  for (const line of warnings) console.error(line)
  console.log('The configuration is good.')
  process.exit(0)
}

/**
 * Asks each upstream which chain it is on. One may be down just now, which is no fault of the
 * file; or its address is wrong: that is a warning.
 */
export async function checkUpstreams(
  settings: Settings,
): Promise<{ faults: string[]; warnings: string[] }> {
  const networks = await openNetworkSet(openProbeDrivers(), settings)
  if (Array.isArray(networks)) return { faults: networks, warnings: [] }
  const warnings = unreached(networks, settings)
  networks.stop()
  return { faults: [], warnings }
}

/** Upstreams that did not say which chain they are on, with their last fault. */
function unreached(networks: NetworkSet, settings: Settings): string[] {
  return networks.list().flatMap(({ network, pool }) =>
    pool.selection.upstreams
      .filter(({ chain }) => chain === 'unknown')
      .map(({ spec, lastFault }) => {
        const where = settings.locate(network.id, spec.name)
        const why = lastFault === '' ? 'no answer in time' : lastFault
        return `${where}: upstream ${spec.name} of ${network.id} could not be reached (${why})`
      }),
  )
}

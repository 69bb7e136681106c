import { ConfigFaults, readSettings, type Settings } from '../../config/config.ts'
import { openProbeDrivers } from '../../wiring/embedded-drivers.ts'
import { type NetworkSet, openNetworkSet } from '../../wiring/networks/network-set.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { complain } from '../terminal/complain.ts'

/** Checks the configuration file and asks each upstream which chain it is on. */
export async function checkConfiguration(configFile: string | undefined): Promise<void> {
  const settings = readSettings(configFile)
  if (settings instanceof ConfigFaults) return complain(settings.text, EXIT_CODES.badInput)
  const networks = await openNetworkSet(openProbeDrivers(), settings)
  if (Array.isArray(networks)) return complain(networks.join('\n'), EXIT_CODES.badInput)
  // Upstreams may be down just now, which is no fault of the file; or it has a wrong address.
  for (const line of unreached(networks, settings)) console.error(line)
  networks.stop()
  console.log('The configuration is good.')
  process.exit(0)
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

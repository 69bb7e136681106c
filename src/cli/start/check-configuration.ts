import { ConfigFaults, readSettings, type Settings } from '../../config/config.ts'
import { openProbeDrivers } from '../../wiring/embedded-drivers.ts'
import { openNetworkSet } from '../../wiring/networks/network-set.ts'
import { EXIT_CODES } from '../exit-codes.ts'

type Unreached = { where: string; network: string; upstream: string; reason: string }

export async function checkConfiguration(
  configFile: string | undefined,
  { json }: { json: boolean },
): Promise<void> {
  const settings = readSettings(configFile)
  if (settings instanceof ConfigFaults) return refuse(settings.text.split('\n'), json)
  const { faults, unreached } = await checkUpstreams(settings)
  if (faults.length > 0) return refuse(faults, json)
  if (json) {
    console.log(JSON.stringify({ good: true, faults: [], unreached }))
    process.exit(0)
  }
  for (const one of unreached) console.error(unreachedWords(one))
  console.log('The configuration is good.')
  process.exit(0)
}

/**
 * Asks each upstream which chain it is on. One may be down just now, which is no fault of the
 * file; or it has a wrong address.
 */
export async function checkUpstreams(
  settings: Settings,
): Promise<{ faults: string[]; unreached: Unreached[] }> {
  const networks = await openNetworkSet(openProbeDrivers(), settings)
  if (Array.isArray(networks)) return { faults: networks, unreached: [] }
  const unreached = networks.list().flatMap(({ network, pool }) =>
    pool.selection.upstreams
      .filter(({ chain }) => chain === 'unknown')
      .map(({ spec, lastFault }) => ({
        where: settings.locate(network.id, spec.name),
        network: network.id,
        upstream: spec.name,
        reason: lastFault === '' ? 'no answer in time' : lastFault,
      })),
  )
  networks.stop()
  return { faults: [], unreached }
}

export function unreachedWords({ where, network, upstream, reason }: Unreached): string {
  return `${where}: upstream ${upstream} of ${network} could not be reached (${reason})`
}

/** Each line of a fault begins with its place: `headgate.yaml:5: `. */
function refuse(lines: readonly string[], json: boolean): never {
  if (json) {
    const faults = lines.map((line) => {
      const [where = '', ...message] = line.split(': ')
      return { where, message: message.join(': ') }
    })
    console.log(JSON.stringify({ good: false, faults, unreached: [] }))
  } else console.error(lines.join('\n'))
  process.exit(EXIT_CODES.badInput)
}

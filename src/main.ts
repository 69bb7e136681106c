import { openProbeWorld } from './app.ts'
import { HELP_TEXT, readCommandLine } from './cli/command-line.ts'
import { welcome } from './cli/welcome.ts'
import { ConfigFaults, readSettings, type Settings } from './config.ts'
import { openNetworkSet } from './network-set.ts'
import { type Running, start } from './start.ts'

/** The configuration is wrong, and a restart will not mend it. */
const EXIT_BAD_CONFIG = 2

await main()

async function main(): Promise<void> {
  const line = readCommandLine(process.argv.slice(2))
  if (typeof line === 'string') return complain(line)
  if (line.help) return console.log(HELP_TEXT)

  const settings = readSettings(line.configFile)
  if (settings instanceof ConfigFaults) return complain(settings.text)
  if (line.check) return check(settings)

  const running = await start(settings)
  if (Array.isArray(running)) return complain(running.join('\n'))
  console.log(welcome(running))

  process.on('SIGTERM', () => stop(running))
  process.on('SIGINT', () => stop(running))
  process.on('SIGHUP', () => reload(running, line.configFile))
}

async function check(settings: Settings): Promise<void> {
  const networks = await openNetworkSet(openProbeWorld(), settings)
  if (Array.isArray(networks)) return complain(networks.join('\n'))
  networks.stop()
  console.log('The configuration is good.')
  process.exit(0)
}

let stopping = false

async function stop(running: Running): Promise<void> {
  if (stopping) return
  stopping = true
  await running.stop()
  process.exit(0)
}

/** Upstreams and prices change between two requests; a bad file leaves the old one in force. */
async function reload(running: Running, file: string | undefined): Promise<void> {
  const { telemetry } = running.world
  const settings = readSettings(file)
  if (settings instanceof ConfigFaults) {
    return telemetry.log('error', 'reload_refused', { why: settings.text })
  }
  const local = settings.local ? { networks: running.settings.networks } : {}
  const faults = await running.networks.reload({ ...settings, ...local })
  if (faults.length > 0) telemetry.log('error', 'reload_refused', { why: faults.join('\n') })
  else telemetry.log('info', 'reloaded', {})
}

function complain(text: string): void {
  console.error(text)
  process.exit(EXIT_BAD_CONFIG)
}

import { type CommandLine, HELP_TEXT, readCommandLine } from './cli/command-line.ts'
import { moveFailure } from './cli/move-failure.ts'
import { movedText, moveProgress } from './cli/move-progress.ts'
import { planMove } from './cli/plan-move.ts'
import { startFailure } from './cli/start-failure.ts'
import { terminalLog } from './cli/terminal-log.ts'
import { welcome } from './cli/welcome.ts'
import { ConfigFaults, mayColour, readSettings, type Settings } from './config/config.ts'
import { openProbeDrivers, type WriteLog, writeLogAs } from './wiring/embedded-drivers.ts'
import { type NetworkSet, openNetworkSet } from './wiring/networks/network-set.ts'
import { reload } from './wiring/reload.ts'
import { type Running, start } from './wiring/start.ts'

/** The configuration is wrong, and a restart will not mend it. */
const EXIT_BAD_CONFIG = 2

/** The machine is at fault: a port in use, a folder that cannot be written. */
const EXIT_CANNOT_START = 1

await main()

async function main(): Promise<void> {
  const line = readCommandLine(process.argv.slice(2))
  if (typeof line === 'string') return complain(line, EXIT_BAD_CONFIG)
  if (line.help) return console.log(HELP_TEXT)

  const settings = readSettings(line.configFile)
  if (settings instanceof ConfigFaults) return complain(settings.text, EXIT_BAD_CONFIG)
  if (line.check) return check(settings)
  if (line.migrate) return migrate(line.migrate, settings)

  const started = startOrExplain(settings)
  // From the first moment on: by default a signal would end a process that is still opening.
  process.on('SIGTERM', () => void started.then(stop))
  process.on('SIGINT', () => void started.then(stop))
  process.on('SIGHUP', () => void started.then((running) => hangUp(running, line.configFile)))
  console.log(welcome(await started))
}

async function startOrExplain(settings: Settings): Promise<Running> {
  try {
    const running = await start(settings, logFor(settings))
    if (Array.isArray(running)) return complain(running.join('\n'), EXIT_BAD_CONFIG)
    return running
  } catch (thrown) {
    const failure = startFailure(thrown, settings)
    if (failure === null) throw thrown
    return complain(failure, EXIT_CANNOT_START)
  }
}

/** JSON lines, unless people read along; undefined leaves them as they are. */
function logFor({ local, log: { format } }: Settings): WriteLog | undefined {
  const isTerminal = process.stdout.isTTY === true
  const isText = format === 'text' || (format === 'auto' && local && isTerminal)
  return isText ? writeLogAs(terminalLog({ colour: isTerminal && mayColour() })) : undefined
}

async function check(settings: Settings): Promise<void> {
  const networks = await openNetworkSet(openProbeDrivers(), settings)
  if (Array.isArray(networks)) return complain(networks.join('\n'), EXIT_BAD_CONFIG)
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

/** Moves a store to the other world; the target can be started on only when all is there. */
async function migrate(
  said: NonNullable<CommandLine['migrate']>,
  settings: Settings,
): Promise<void> {
  const places = planMove(said, settings.database)
  if (typeof places === 'string') return complain(places, EXIT_BAD_CONFIG)
  const isTerminal = process.stderr.isTTY === true
  const report = moveProgress({ isTerminal, write: (text) => void process.stderr.write(text) })
  const { moveStore } = await import('./wiring/move/move-store.ts')
  try {
    const moved = await moveStore({ ...places, settings }, report)
    if (typeof moved === 'string') return complain(moved, EXIT_BAD_CONFIG)
    console.log(moved ? movedText(moved) : 'This move was finished before: both are the same.')
    process.exit(0)
  } catch (thrown) {
    const failure = moveFailure(thrown, places)
    if (failure === null) throw thrown
    return complain(failure, EXIT_CANNOT_START)
  }
}

let stopping = false

async function stop(running: Running): Promise<void> {
  if (stopping) return
  stopping = true
  await running.stop()
  process.exit(0)
}

/** A bad file leaves the old one in force. */
async function hangUp(running: Running, file: string | undefined): Promise<void> {
  const { telemetry } = running.drivers
  const settings = readSettings(file)
  if (settings instanceof ConfigFaults) {
    return telemetry.log('error', 'reload_refused', { why: settings.text })
  }
  const { faults, needsRestart } = await reload(running, settings)
  if (faults.length > 0) telemetry.log('error', 'reload_refused', { why: faults.join('\n') })
  else if (needsRestart.length === 0) telemetry.log('info', 'reloaded', {})
  else telemetry.log('warn', 'reloaded', { needs_restart: needsRestart.join(', ') })
}

function complain(text: string, exitCode: number): never {
  console.error(text)
  process.exit(exitCode)
}

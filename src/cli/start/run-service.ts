import { ConfigFaults, mayColour, readSettings, type Settings } from '../../config/config.ts'
import { type WriteLog, writeLogAs } from '../../wiring/embedded-drivers.ts'
import { reload } from '../../wiring/reload.ts'
import { type Running, start } from '../../wiring/start.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { complain } from '../terminal/complain.ts'
import { startFailure } from './start-failure.ts'
import { terminalLog } from './terminal-log.ts'
import { welcome } from './welcome.ts'

/** Runs the service until a signal ends it. */
export async function runService(
  configFile: string | undefined,
  { fresh: _ }: { fresh: boolean },
): Promise<void> {
  const settings = readSettings(configFile)
  if (settings instanceof ConfigFaults) return complain(settings.text, EXIT_CODES.badInput)

  const started = startOrExplain(settings)
  // From the first moment on: by default a signal would end a process that is still opening.
  process.on('SIGTERM', () => void started.then(stop))
  process.on('SIGINT', () => void started.then(stop))
  process.on('SIGHUP', () => void started.then((running) => hangUp(running, configFile)))
  console.log(welcome(await started))
}

async function startOrExplain(settings: Settings): Promise<Running> {
  try {
    const running = await start(settings, logFor(settings))
    if (Array.isArray(running)) return complain(running.join('\n'), EXIT_CODES.badInput)
    return running
  } catch (thrown) {
    const failure = startFailure(thrown, settings)
    if (failure === null) throw thrown
    return complain(failure, EXIT_CODES.failed)
  }
}

/** JSON lines, unless people read along; undefined leaves them as they are. */
function logFor({ local, log: { format } }: Settings): WriteLog | undefined {
  const isTerminal = process.stdout.isTTY === true
  const isText = format === 'text' || (format === 'auto' && local && isTerminal)
  return isText ? writeLogAs(terminalLog({ colour: isTerminal && mayColour() })) : undefined
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

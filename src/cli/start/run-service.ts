import { ConfigFaults, readSettings, type Settings } from '../../config/config.ts'
import { mayColour, mayRewriteLines } from '../../config/process-environment.ts'
import { openProbeDrivers, startAnew, writeLogAs } from '../../wiring/embedded-drivers.ts'
import { reload } from '../../wiring/reload.ts'
import { type Running, start } from '../../wiring/start.ts'
import { firstRunIn } from '../connect/connection.ts'
import { complain } from '../terminal/complain.ts'
import { portHolder } from './port-holder.ts'
import { startFailure } from './start-failure.ts'
import { startProgress } from './start-progress.ts'
import { terminalLog } from './terminal-log.ts'
import { welcome } from './welcome.ts'

export async function runService(
  configFile: string | undefined,
  { fresh }: { fresh: boolean },
): Promise<void> {
  const settings = readSettings(configFile)
  if (settings instanceof ConfigFaults) return complain(settings.text, 'badInput')

  const started = startOrExplain(settings, fresh)
  // From the first moment on: by default a signal would end a process that is still opening.
  process.on('SIGTERM', () => void started.then(stop))
  process.on('SIGINT', () => void started.then(stop))
  process.on('SIGHUP', () => void started.then((running) => hangUp(running, configFile)))
  // How the same program is run again from a terminal; the executable is its own runtime.
  const program = Bun.isStandaloneExecutable ? process.execPath : 'npx headgate'
  console.log(welcome(await started, program))
}

async function startOrExplain(settings: Settings, fresh: boolean): Promise<Running> {
  try {
    if (fresh) forget(settings)
    const { write, watch } = screenFor(settings)
    const running = await start(settings, write, watch)
    if (Array.isArray(running)) return complain(running.join('\n'), 'badInput')
    return running
  } catch (thrown) {
    const urlIn = (folder: string) => firstRunIn(folder).url ?? null
    const failure = startFailure(thrown, settings, { holderOf: portHolder, urlIn })
    if (failure === null) throw thrown
    return complain(failure, 'failed')
  }
}

/** `--fresh`: only what local development has made is ever removed. */
function forget({ local, data, database }: Settings): void {
  if (!local) {
    complain('--fresh is for local development, and this start is configured.', 'badInput')
  }
  if (database !== undefined) {
    const said = '--fresh empties a data folder, and the store is in PostgreSQL: empty it there.'
    complain(said, 'badInput')
  }
  const refused = startAnew(data)
  if (refused === null) return
  complain(`--fresh does not empty ${data}: ${refused}. Nothing was removed.`, 'failed')
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

/** JSON lines alone, unless people read along; undefined leaves all as it is. */
function screenFor({ local, log: { format } }: Settings) {
  const isTerminal = process.stdout.isTTY === true
  const isText = format === 'text' || (format === 'auto' && local && isTerminal)
  if (!isText) return {}
  const colour = isTerminal && mayColour()
  const log = terminalLog({ colour })
  if (!isTerminal) return { write: writeLogAs(log) }
  const { clock } = openProbeDrivers()
  const write = (text: string) => void process.stdout.write(text)
  const { watch, aside } = startProgress({
    colour,
    rewrites: mayRewriteLines(),
    write,
    nowMs: clock.nowMs,
  })
  return { watch, write: writeLogAs((lines) => aside(log(lines))) }
}

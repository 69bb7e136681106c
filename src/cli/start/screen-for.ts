import type { Settings } from '../../config/config.ts'
import { mayColour, mayRewriteLines } from '../../config/read-client-environment.ts'
import { openProbeDrivers, writeLogAs } from '../../wiring/embedded-drivers.ts'
import { startProgress } from './start-progress.ts'
import { terminalLog } from './terminal-log.ts'

/** JSON lines alone, unless people read along; undefined leaves all as it is. */
export function screenFor({ local, log: { format } }: Settings) {
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

import { noteBug } from '../ports/telemetry.ts'
import { openDescriptors } from './machine/descriptors.ts'
import { systemClock } from './machine/system-clock.ts'
import { systemEntropy } from './machine/system-entropy.ts'
import { openWebSockets } from './machine/web-sockets.ts'
import { openOutbound } from './outbound/outbound.ts'
import { openBlockProver } from './prover/block-prover.ts'
import { jsonTelemetry } from './telemetry/json-telemetry.ts'
import { stdoutWriter } from './telemetry/stdout-writer.ts'

/** Where whole log lines go, as text or in UTF-8. */
export type WriteLog = (lines: string | Uint8Array) => void | Promise<void>

export function openSystem(write: WriteLog = stdoutWriter(), component?: string) {
  const clock = systemClock()
  const telemetry = jsonTelemetry({ clock, write, ...(component !== undefined && { component }) })
  const reportBug = (bug: unknown) => noteBug(telemetry, bug)
  return {
    clock,
    descriptors: openDescriptors(),
    entropy: systemEntropy(),
    outbound: openOutbound(reportBug),
    prover: openBlockProver(),
    sockets: openWebSockets(),
    telemetry,
    reportBug,
    /** For the lines of processes that write through this one. */
    writeLog: write,
  }
}

/** The standard output, for lines that are given another form first. */
export function writeLogAs(format: (jsonLines: string) => string): WriteLog {
  const write = stdoutWriter()
  const decoder = new TextDecoder()
  return (lines) => write(format(typeof lines === 'string' ? lines : decoder.decode(lines)))
}

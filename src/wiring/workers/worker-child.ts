import { workerEnvironment } from '../../config/process-environment.ts'
import type { WriteLog } from '../embedded-drivers.ts'

export type WorkerChild = {
  pid: number
  send(messages: unknown): void
  kill(): void
  /** How it ended: its exit code, or the name of a signal. */
  exited: Promise<string>
}

const PROCESS_FILE = new URL('../worker/worker-process.ts', import.meta.url).pathname

const NEWLINE = 10
const NO_BYTES: Uint8Array = new Uint8Array()

/** A line longer than this is cut off from its end: no reader of the log would take it. */
const LINE_BYTES_MAX = 1024 * 1024

/** Starts a worker. Its log goes through this process, so that no line is torn by another. */
export function startWorkerChild(write: WriteLog, receive: (sent: unknown) => void): WorkerChild {
  const child = Bun.spawn([process.execPath, PROCESS_FILE], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
    env: workerEnvironment(),
    serialization: 'json',
    ipc: (sent) => receive(sent),
  })
  const logged = passLines(child.stdout, write)
  return {
    pid: child.pid,
    send(messages) {
      try {
        child.send(messages)
      } catch {
        // It has ended, which `exited` tells.
      }
    },
    kill: () => child.kill('SIGKILL'),
    exited: child.exited.then(async (code) => {
      await logged
      return String(child.signalCode ?? code)
    }),
  }
}

/**
 * Whole lines, as fast as the log takes them: a log that stands still holds up the worker's. Hot
 * path with a line for each call: bytes are neither decoded nor, as a rule, copied.
 */
async function passLines(stream: ReadableStream<Uint8Array>, write: WriteLog): Promise<void> {
  let rest = NO_BYTES
  for await (const bytes of stream) {
    const lines = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    const end = lines.lastIndexOf(NEWLINE) + 1
    rest = lines.length - end > LINE_BYTES_MAX ? NO_BYTES : lines.subarray(end)
    if (end > 0) await write(lines.subarray(0, end))
  }
}

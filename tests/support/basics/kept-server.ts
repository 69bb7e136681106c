import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../nodes/free-port.ts'

/** A program that serves for as long as this process wants it, and never longer. */
export type KeptServer = {
  /** `SIGINT` ends it in order, `SIGQUIT` at once, `SIGKILL` without its knowing. */
  stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>
  start(): Promise<void>
  /** Every process of the server stands still, and its folder is gone. */
  close(): Promise<void>
}

type Program = {
  /** The folder that it works in. */
  folder: string
  /** The words of its standard error by which it says that it serves. */
  ready: string
  command: string
  options: readonly string[]
}

/** An account that every Linux has and that owns nothing: such servers refuse to run as root. */
export const NOBODY = 65_534

export const isRoot = process.getuid?.() === 0

const STARTS_MAX = 5

/** Starts a program that has to be told its port on one that is free. */
export async function startOnFreePort(
  programOn: (port: number) => Program,
): Promise<KeptServer & { port: number }> {
  for (let tries = 1; ; tries++) {
    const port = freePort()
    const keeper = startKeeper(programOn(port))
    const said = await keeper.ask('start')
    if (said === 'ready') return { port, ...serverOf(keeper) }
    if (tries === STARTS_MAX || !/in use/.test(said)) throw new Error(said)
  }
}

type Keeper = { ask(line: string): Promise<string>; end(): Promise<void> }

function startKeeper({ folder, ready, command, options }: Program): Keeper {
  const script = join(import.meta.dir, 'server-keeper.ts')
  const args = [folder, isRoot ? String(NOBODY) : '', ready, command, ...options]
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  child.unref()
  return {
    async ask(line) {
      child.stdin.write(`${line}\n`)
      return String((await lines.next()).value)
    },
    async end() {
      child.stdin.end()
      await ended
    },
  }
}

function serverOf(keeper: Keeper): KeptServer {
  return {
    stop: async (signal) => void (await keeper.ask(signal)),
    async start() {
      const said = await keeper.ask('start')
      if (said !== 'ready') throw new Error(said)
    },
    close: keeper.end,
  }
}

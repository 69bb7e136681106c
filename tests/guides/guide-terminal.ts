import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../support/basics/until.ts'

/** A shell that a reader types into. */
export type GuideTerminal = {
  /** Runs commands one after the other; fails with the output when one of them does. */
  run(commands: string): Promise<string>
  /** The folder that it is in now. */
  folder(): string
  /** Everything that has been shown so far. */
  said(): string
  isOver(): boolean
  /** Sends what Ctrl-C sends, and waits for the end. */
  interrupt(): Promise<void>
  close(): Promise<void>
}

type Place = { folder: string; env: Record<string, string | undefined>; notes: string }

/** A service ends within ten seconds. */
const END_MS_MAX = 20_000

/** Reads names of scripts and runs each in itself, until one fails. */
const SHELL = `
exec >>"$0" 2>&1
set -eo pipefail
while read -r script; do
  . "$script.sh" </dev/null
  pwd >"$0.folder"
  echo done >"$script.done"
done
`

let opened = 0

/** Opens a shell in a folder. Files of its own are kept in `notes`. */
export function openTerminal({ folder, env, notes }: Place): GuideTerminal {
  const heard = join(notes, `terminal-${opened++}`)
  writeFileSync(heard, '')
  writeFileSync(`${heard}.folder`, folder)
  // A group of its own, so that a signal reaches all that it has started.
  const child = spawn('bash', ['--norc', '-c', SHELL, heard], {
    cwd: folder,
    env: env as NodeJS.ProcessEnv,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const said = () => readFileSync(heard, 'utf8')
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  let scripts = 0
  return {
    async run(commands) {
      const script = `${heard}-${scripts++}`
      const begin = said().length
      writeFileSync(`${script}.sh`, commands)
      child.stdin?.write(`${script}\n`)
      const isDone = () => existsSync(`${script}.done`)
      await until(() => isDone() || isOver(), `this ends:\n${commands}`)
      const output = said().slice(begin)
      if (!isDone()) throw new Error(`these commands failed:\n${commands}\n${output}`)
      return output
    },
    folder: () => readFileSync(`${heard}.folder`, 'utf8').trim(),
    said,
    isOver,
    interrupt: () => end(child, 'SIGINT', isOver),
    close: () => end(child, 'SIGTERM', isOver),
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals, isOver: () => boolean) {
  child.stdin?.end()
  if (!isOver()) signalGroup(child, signal)
  try {
    await until(isOver, 'the terminal is closed', END_MS_MAX)
  } finally {
    // The shell may be gone while something that it has started is not.
    signalGroup(child, 'SIGKILL')
  }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // Nobody is left in the group.
  }
}

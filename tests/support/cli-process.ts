import { fileURLToPath } from 'node:url'
import type { Ended } from './headgate-process.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const MAIN = `${ROOT}src/main.ts`

type Options = {
  stdin?: string
  env?: Record<string, string>
  /** Its working folder; where nothing is said, one without a data folder. */
  cwd?: string
}

export type Cli = {
  /** Runs a command as a process of its own, through pipes. */
  run(words: readonly string[], options?: Options): Promise<Ended>
  /** The same in a terminal of so many columns; both outputs come as one text. */
  inTerminal(command: string, columns: number, options?: Options): Promise<Ended>
}

/** The command line for a Headgate that runs there. */
export function commandLine(target: { url: string; token: string } | null): Cli {
  const environment = (more: Record<string, string> = {}) => ({
    ...Object.fromEntries(
      Object.entries(process.env).filter(
        ([name]) => !/^(HEADGATE_|NO_COLOR$|FORCE_COLOR$)/.test(name),
      ),
    ),
    ...(target && { HEADGATE_URL: target.url, HEADGATE_TOKEN: target.token }),
    TERM: 'xterm-256color',
    ...more,
  })
  const run = async (command: readonly string[], { stdin, env, cwd = '/' }: Options = {}) => {
    const child = Bun.spawn([...command], {
      cwd,
      env: environment(env),
      stdin: stdin === undefined ? 'ignore' : new Blob([stdin]),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr, exitCode] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    return { exitCode, stdout, stderr }
  }
  return {
    run: (words, options) => run([process.execPath, MAIN, ...words], options),
    inTerminal(command, columns, options) {
      const line = `stty cols ${columns}; exec ${process.execPath} ${MAIN} ${command}`
      return run(['script', '-qec', line, '/dev/null'], { stdin: '', ...options })
    },
  }
}

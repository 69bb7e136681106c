import { expect } from 'bun:test'
import { fileURLToPath } from 'node:url'
import type { Ended } from './headgate-process.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
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
  /** The output of one that has to succeed. */
  done(...words: string[]): Promise<string>
  /** The same with `--json`, read. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  json(...words: string[]): Promise<any>
  /** Runs one that does not end by itself; gives its lines until enough of them have come. */
  follow(words: readonly string[], isEnough: (lines: string[]) => boolean): Promise<string[]>
  /** Runs one into another command; the exit code is that of the one that fails. */
  pipe(command: string, reader: string): Promise<Ended>
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
  const runWords = (words: readonly string[], options?: Options) =>
    run([process.execPath, MAIN, ...words], options)
  const done = async (...words: string[]) => {
    const { exitCode, stdout, stderr } = await runWords(words)
    expect([words, exitCode, stderr]).toEqual([words, 0, expect.any(String)])
    return stdout
  }
  return {
    run: runWords,
    done,
    json: async (...words) => JSON.parse(await done(...words, '--json')),
    async follow(words, isEnough) {
      const child = Bun.spawn([process.execPath, MAIN, ...words], {
        cwd: '/',
        env: environment(),
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'ignore',
      })
      let text = ''
      const decoder = new TextDecoder()
      for await (const chunk of child.stdout) {
        text += decoder.decode(chunk, { stream: true })
        if (isEnough(text.split('\n').slice(0, -1))) break
      }
      child.kill()
      await child.exited
      return text.split('\n').slice(0, -1)
    },
    pipe(command, reader) {
      const line = `${process.execPath} ${MAIN} ${command} | ${reader}`
      return run(['bash', '-o', 'pipefail', '-c', line])
    },
    inTerminal(command, columns, options) {
      const line = `stty cols ${columns}; exec ${process.execPath} ${MAIN} ${command}`
      return run(['script', '-qec', line, '/dev/null'], { stdin: '', ...options })
    },
  }
}

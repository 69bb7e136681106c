import { fileURLToPath } from 'node:url'
import type { Ended } from './headgate-process.ts'

/** `headgate migrate` as a process. */
export type MoveProcess = {
  /** Everything it has said so far about how it goes. */
  said(): string
  kill(): void
  ended: Promise<Ended>
}

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

/** Starts a migration; variables of the person who runs the tests do not reach it. */
export function startMove(
  args: readonly string[],
  { folder, env = {} }: { folder: string; env?: Record<string, string> },
): MoveProcess {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('HEADGATE_'))
  const child = Bun.spawn([process.execPath, MAIN, 'migrate', ...args], {
    cwd: folder,
    env: { ...Object.fromEntries(kept), ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let stderr = ''
  const read = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stderr) stderr += decoder.decode(chunk, { stream: true })
  })()
  const ended = Promise.all([new Response(child.stdout).text(), read, child.exited]).then(
    ([stdout, , exitCode]) => ({ exitCode, stdout, stderr }),
  )
  return { said: () => stderr, kill: () => child.kill('SIGKILL'), ended }
}

/** Runs a migration to its end. */
export function runMove(...given: Parameters<typeof startMove>): Promise<Ended> {
  return startMove(...given).ended
}

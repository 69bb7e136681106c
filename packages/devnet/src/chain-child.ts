import type { Clock } from './clock.ts'

/** A chain in a process of its own, which ends with us whatever happens to us. */
export type ChainChild = Awaited<ReturnType<typeof startChainChild>>

/** A start takes well below a second; a machine under heavy load may need more. */
const START_MS_MAX = 15_000

/** A chain that is kept has blocks to write, most often none and after `hardhat_mine` many. */
const STOP_MS_MAX = 5_000

/** A chain's first line. */
const PORT_LINE = /^\{"port":(\d{1,5})\}\n/

/** The first line is short; a child that says more than this is not our chain. */
const FIRST_LINE_BYTES_MAX = 4_096

/** Starts a process that tells its port in one line and lives as long as we hold its input. */
export async function startChainChild(
  clock: Clock,
  file: string,
  args: readonly (number | string)[],
) {
  const command = [process.execPath, file, ...args.map(String)]
  const child = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  // The chain is no reason to stay alive; our end closes its input, which ends it.
  child.unref()

  const cancel = clock.after(START_MS_MAX, () => child.kill('SIGKILL'))
  const line = await firstLine(child.stdout)
  cancel()

  const port = PORT_LINE.exec(line)?.[1]
  if (port === undefined) {
    child.kill('SIGKILL')
    const exitCode = await child.exited
    throw Object.assign(new Error('a development chain did not start'), { exitCode })
  }

  const address = `127.0.0.1:${port}`
  return {
    url: `http://${address}`,
    wsUrl: `ws://${address}`,
    pid: child.pid,
    /** The exit code of the chain's process, however it ended. */
    exited: child.exited,
    async stop() {
      child.ref()
      const cancelKill = clock.after(STOP_MS_MAX, () => child.kill('SIGKILL'))
      await child.stdin.end()
      await child.exited
      cancelKill()
    },
  }
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (!text.includes('\n') && text.length < FIRST_LINE_BYTES_MAX) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  await reader.cancel()
  return text
}

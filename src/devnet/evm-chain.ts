import { fileURLToPath } from 'node:url'
import { assert, Failure } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'

type Options = {
  clock: Clock
  /** 0: blocks only on command (`evm_mine`). */
  blockTimeMs: number
  chainId?: number
}

export type EvmChain = {
  url: string
  wsUrl: string
  chainId: number
  pid: number
  stop(): Promise<void>
  /** The exit code of the chain's process, however it ended. */
  exited: Promise<number>
}

/** The id that development chains use, so that wallets know it for one. */
const DEVELOPMENT_CHAIN_ID = 31_337

/** A start takes well below a second; a machine under heavy load may need more. */
const START_MS_MAX = 15_000

/** The chain holds nothing worth saving, so it is asked to end only for politeness. */
const STOP_MS_MAX = 2_000

/** The first line is short; a child that says more than this is not our chain. */
const FIRST_LINE_BYTES_MAX = 4_096

const PROCESS_FILE = fileURLToPath(new URL('./evm-chain-process.ts', import.meta.url))

/** Starts a real EVM chain in a child process, which ends with us whatever happens to us. */
export async function startEvmChain({
  clock,
  blockTimeMs,
  chainId = DEVELOPMENT_CHAIN_ID,
}: Options): Promise<EvmChain> {
  assert(Number.isSafeInteger(blockTimeMs) && blockTimeMs >= 0, 'a block time in whole ms')
  assert(Number.isSafeInteger(chainId) && chainId > 0, 'a chain id above zero')

  const command = [process.execPath, PROCESS_FILE, String(blockTimeMs), String(chainId)]
  const child = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  // The chain is no reason to stay alive; our end closes its input, which ends it.
  child.unref()

  const cancel = clock.after(START_MS_MAX, () => child.kill('SIGKILL'))
  const line = await firstLine(child.stdout)
  cancel()

  const port = portIn(line)
  if (port === null) {
    child.kill('SIGKILL')
    throw new Failure('start_failed', { part: 'development chain', exitCode: await child.exited })
  }

  const address = `127.0.0.1:${port}`
  return {
    url: `http://${address}`,
    wsUrl: `ws://${address}`,
    chainId,
    pid: child.pid,
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

function portIn(line: string): number | null {
  const found = line.match(/^\{"port":(\d{1,5})\}\n/)
  return found === null ? null : Number(found[1])
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FirstRun } from '../src/wiring/first-run.ts'
import { freePort } from '../tests/support/nodes/free-port.ts'

export type HeadgateOrder = {
  /** The data folder; it stays when the process has ended. */
  folder: string
  networks: readonly { id: string; [member: string]: unknown }[]
  env?: Record<string, string>
  /** Another version than this one. */
  checkout?: string
}

/** The product as its users start it. It may still be starting. */
export type HeadgateProcess = {
  /** Without a path. */
  url: string
  pid: number
  /** Waits until it serves, with a look after each of so many milliseconds. */
  ready(everyMs?: number): Promise<void>
  /** The tokens and the key that it made at its first start. */
  firstRun(): FirstRun
  stop(): Promise<void>
}

const LOOK_EVERY_MS = 25
const READY_MS_MAX = 20_000

export async function spawnHeadgate(order: HeadgateOrder): Promise<HeadgateProcess> {
  const { folder, networks, env = {}, checkout = join(import.meta.dir, '..') } = order
  const port = freePort()
  const child = Bun.spawn([process.execPath, join(checkout, 'src/main.ts')], {
    env: {
      ...process.env,
      BUN_CONFIG_MAX_HTTP_REQUESTS: '16384',
      HEADGATE_LISTEN: `127.0.0.1:${port}`,
      HEADGATE_DATA: folder,
      HEADGATE_NETWORKS: JSON.stringify(networks),
      ...env,
    },
    stdout: Bun.file('/dev/null'),
    stderr: 'inherit',
  })
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    pid: child.pid,
    ready: (everyMs) => answers(`${url}/readyz`, everyMs),
    firstRun: () => JSON.parse(readFileSync(join(folder, 'first-run.json'), 'utf8')),
    async stop() {
      child.kill()
      await child.exited
    },
  }
}

/** Waits for an answer other than that the server is still starting. */
export async function answers(url: string, everyMs = LOOK_EVERY_MS): Promise<void> {
  const endsAtMs = performance.now() + READY_MS_MAX
  while (performance.now() < endsAtMs) {
    const response = await fetch(url, { method: 'GET' }).catch(() => null)
    if (response && response.status !== 503) return
    await Bun.sleep(everyMs)
  }
  throw new Error(`${url} never came up`)
}

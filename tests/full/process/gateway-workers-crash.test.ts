import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { ledgerOf, startLoad } from '../../support/basics/load.ts'
import { freePort } from '../../support/nodes/free-port.ts'
import { configuredProcess, stopProcess } from '../../support/product/configured-process.ts'
import { until } from '../../support/product/headgate.ts'
import type { HeadgateProcess } from '../../support/product/headgate-process.ts'
import {
  callEveryWorker,
  hasEnded,
  killHard,
  metricOf,
  workerPids,
} from '../../support/product/workers.ts'

const WORKERS = 3
const SEVERAL = { HEADGATE_GATEWAY_WORKERS: String(WORKERS) }

const stage = configuredProcess()

describe.skipIf(process.platform !== 'linux')('a crash', () => {
  test('of a worker takes no other with it, and it is replaced', async () => {
    const headgate = await start()
    await callEveryWorker(app(headgate), WORKERS, 'eth_chainId')
    const before = await metricOf(headgate.url, 'headgate_rpc_calls_total')
    const load = startLoad(headgate)
    const [victim = 0, ...others] = workerPids(headgate.pid)
    await until(() => load.answered.length > 100, 'calls are answered')
    await killHard(victim)

    await until(() => isReplaced(headgate.pid, victim), 'another worker has its place')
    await callEveryWorker(app(headgate), WORKERS, 'eth_chainId')
    expect(workerPids(headgate.pid)).toEqual(expect.arrayContaining(others))
    await load.stop()
    expect(load.wrong).toEqual([])
    // Only calls that the dead one had can be lost, one for each client at most.
    expect(load.lost).toBeLessThan(8)
    expect(headgate.said()).toContain('"event":"gateway_worker_exited"')
    expect(await metricOf(headgate.url, 'headgate_gateway_worker_exits_total')).toBe(1)
    expect(await metricOf(headgate.url, 'headgate_rpc_calls_total')).toBeGreaterThanOrEqual(before)

    await until(async () => {
      const { calls } = await ledgerOf(headgate)
      return calls > load.answered.length / 2
    }, 'what the others metered is in the ledger')
    await stopProcess(headgate)
  })

  test('of all workers at once is mended too', async () => {
    const headgate = await start()
    const victims = workerPids(headgate.pid)
    for (const pid of victims) await killHard(pid)
    await until(() => workerPids(headgate.pid).length === WORKERS, 'there are workers again')
    await until(() => isServed(headgate), 'calls are served again')
    await callEveryWorker(app(headgate), WORKERS, 'eth_chainId')
    expect(workerPids(headgate.pid).filter((pid) => victims.includes(pid))).toEqual([])
    await stopProcess(headgate)
  })

  test('of the main process ends its workers, frees the port and leaves nothing behind', async () => {
    const listen = { HEADGATE_LISTEN: `127.0.0.1:${freePort()}` }
    const headgate = await stage.start({ ...SEVERAL, ...listen, TMPDIR: stage.folder })
    const pids = workerPids(headgate.pid)
    expect(socketFolders()).toHaveLength(1)
    const gate = Promise.withResolvers<null>()
    stage.nodeA.misbehave = (method) => (method === 'eth_call' ? gate.promise : null)
    const inFlight = fetch(`${headgate.url}/eth-mainnet/v2/${headgate.keys.app_key}`, {
      method: 'POST',
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{},"latest"]}',
    })
    await until(() => stage.nodeA.callsOf('eth_call') === 1, 'the node has the call')
    headgate.signal('SIGKILL')
    await until(() => refuses(headgate.url), 'nobody listens any more')
    gate.resolve(null)
    expect((await inFlight).status).toBe(200)
    await until(() => pids.every(hasEnded), 'the workers have ended')
    await until(() => socketFolders().length === 0, 'the socket is gone')

    const again = await stage.start({ ...SEVERAL, ...listen })
    await callEveryWorker(app(again), WORKERS, 'eth_chainId')
    await stopProcess(again)
  })
})

describe.skipIf(process.platform !== 'linux')('a main process that hangs', () => {
  test('leaves the watch over upstreams to its workers', async () => {
    const headgate = await start()
    await callEveryWorker(app(headgate), WORKERS, 'eth_chainId')
    const polls = () => stage.nodeA.callsOf('eth_getBlockByNumber')
    process.kill(headgate.pid, 'SIGSTOP')
    try {
      const polled = polls()
      await until(() => polls() > polled + 10, 'workers poll the node')
      stage.nodeA.mine()
      await until(async () => {
        const answers = await callEveryWorker(app(headgate), WORKERS, 'eth_blockNumber')
        return answers.every(({ json }) => json.result === '0x3e9')
      }, 'all workers know the new head')
    } finally {
      process.kill(headgate.pid, 'SIGCONT')
    }
    stage.nodeA.mine()
    await until(async () => {
      const answers = await callEveryWorker(app(headgate), WORKERS, 'eth_blockNumber')
      return answers.every(({ json }) => json.result === '0x3ea')
    }, 'all workers know the next one')
    await stopProcess(headgate)
  })
})

function start(): Promise<HeadgateProcess> {
  return stage.start(SEVERAL)
}

function app({ url, keys }: HeadgateProcess) {
  return { url, key: keys.app_key }
}

function isReplaced(mainPid: number, victim: number): boolean {
  const pids = workerPids(mainPid)
  return pids.length === WORKERS && !pids.includes(victim)
}

async function isServed(headgate: HeadgateProcess): Promise<boolean> {
  try {
    return (await fetch(`${headgate.url}/readyz`)).ok
  } catch {
    return false
  }
}

async function refuses(url: string): Promise<boolean> {
  try {
    await fetch(`${url}/healthz`, { keepalive: false })
    return false
  } catch {
    return true
  }
}

function socketFolders(): string[] {
  return readdirSync(stage.folder).filter((name) => name.startsWith('headgate-workers-'))
}

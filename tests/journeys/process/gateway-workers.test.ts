import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { ledgerOf, startLoad } from '../../support/basics/load.ts'
import { sized } from '../../support/basics/sized.ts'
import { configuredProcess, stopProcess } from '../../support/product/configured-process.ts'
import { rpc, until } from '../../support/product/headgate.ts'
import {
  configText,
  type HeadgateProcess,
  writeConfig,
} from '../../support/product/headgate-process.ts'
import {
  callAnywhere,
  callEveryWorker,
  metricOf,
  workerPids,
} from '../../support/product/workers.ts'

const WORKERS = 2

/** So long the machine has no time for a worker: shorter than the others wait for it. */
const STALL_MS = 300
const STALLS = sized(3, 8)
const READS = 12

const stage = configuredProcess()

describe.skipIf(process.platform !== 'linux')('several gateway workers', () => {
  test('all serve calls, and metrics are their sum', async () => {
    const headgate = await start()
    expect(workerPids(headgate.pid)).toHaveLength(WORKERS)
    await callEveryWorker(app(headgate), WORKERS, 'eth_chainId')
    const before = await metricOf(headgate.url, 'headgate_rpc_calls_total')
    for (let call = 0; call < 20; call++) await callAnywhere(app(headgate), 'eth_chainId')
    expect(await metricOf(headgate.url, 'headgate_rpc_calls_total')).toBe(before + 20)
    expect(await metricOf(headgate.url, 'headgate_gateway_workers')).toBe(WORKERS)
    expect(await metricOf(headgate.url, 'headgate_accepting_connections')).toBe(1)
  })

  test('have neither the secret nor the operator token in their environment', async () => {
    const env = {
      HEADGATE_SECRET: '5e'.repeat(32),
      HEADGATE_OPERATOR_TOKEN: 'operator-token-of-this-very-test-run',
      KEPT_FOR_WORKERS: 'yes',
    }
    const headgate = await start(env)
    const environmentOf = (pid: number) => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    expect(environmentOf(headgate.pid)).toContain(`HEADGATE_SECRET=${env.HEADGATE_SECRET}`)
    for (const pid of workerPids(headgate.pid)) {
      expect(environmentOf(pid)).toContain('KEPT_FOR_WORKERS=yes')
      expect(environmentOf(pid).filter((one) => one.startsWith('HEADGATE_'))).toEqual([])
    }
  })

  test('leave the watch over upstreams to one process', async () => {
    const headgate = await start()
    const polls = () => stage.nodeA.callsOf('eth_getBlockByNumber')
    await callEveryWorker(app(headgate), WORKERS, 'eth_chainId')
    const [before, fromMs] = [polls(), Date.now()]
    await until(() => polls() - before >= 20, 'the node is polled')
    // Ten polls a second by one process; two more processes would make thirty.
    const perSecond = (polls() - before) / ((Date.now() - fromMs) / 1000)
    expect(perSecond).toBeLessThan(20)
    stage.nodeA.mine()
    await until(async () => {
      const answers = await callEveryWorker(app(headgate), WORKERS, 'eth_blockNumber')
      return answers.every(({ json }) => json.result === '0x3e9')
    }, 'all workers know the new head')
  })

  test('hide no write behind the cache of one that stood still meanwhile', async () => {
    const headgate = await start()
    let nonce = 0
    stage.nodeA.answers.eth_getTransactionCount = () => `0x${nonce.toString(16)}`
    stage.nodeA.answers.eth_sendRawTransaction = () => {
      nonce++
      return `0x${'ab'.repeat(32)}`
    }
    const count = () => callAnywhere(app(headgate), 'eth_getTransactionCount', ['0x1', 'latest'])
    const pids = workerPids(headgate.pid)
    for (let sent = 1; sent <= STALLS; sent++) {
      await callEveryWorker(app(headgate), WORKERS, 'eth_getTransactionCount', ['0x1', 'latest'])
      const stalled = pids[sent % pids.length] ?? 0
      process.kill(stalled, 'SIGSTOP')
      const sending = callAnywhere(app(headgate), 'eth_sendRawTransaction', [
        `0x${'02'.repeat(sent)}`,
      ])
      const reading = sending.then(() => Promise.all(Array.from({ length: READS }, count)))
      await Bun.sleep(STALL_MS)
      process.kill(stalled, 'SIGCONT')
      const seen = (await reading).map(({ json }) => Number(json.result))
      expect(seen).toEqual(Array(READS).fill(sent))
    }
  })

  test('record usage exactly, whenever they are stopped', async () => {
    let headgate = await start()
    const load = startLoad(headgate)
    await until(() => load.answered.length > 500, 'calls are answered')
    await load.stop()
    // What was metered last is still in the memory of the workers.
    await stopProcess(headgate)
    expect({ wrong: load.wrong, lost: load.lost }).toEqual({ wrong: [], lost: 0 })
    headgate = await start()
    const cu = load.answered.length * 20
    const calls = load.answered.length
    expect(await ledgerOf(headgate)).toMatchObject({ calls, cu, monthCu: cu })
  })

  test('finish calls in flight when they are stopped, and then free the port', async () => {
    const headgate = await start()
    const gate = Promise.withResolvers<null>()
    stage.nodeA.misbehave = (method) => (method === 'eth_call' ? gate.promise : null)
    const calls = Array.from({ length: 12 }, (_, at) =>
      callAnywhere(app(headgate), 'eth_call', [{ to: `0x${at}` }, 'latest']),
    )
    await until(() => stage.nodeA.callsOf('eth_call') === 12, 'the node has the calls')
    headgate.signal('SIGTERM')
    await until(() => refusesConnections(headgate.url), 'nobody listens any more')
    gate.resolve(null)
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses).toEqual(Array(12).fill(200))
    expect(await headgate.exited).toBe(0)
  })

  test('all know a key that was created through one of them, and none after its deletion', async () => {
    const headgate = await start()
    await callEveryWorker(app(headgate), WORKERS, 'eth_chainId')
    const made = await api(headgate, 'POST', '/api/apps', {
      name: 'New',
      networks: ['ETH_MAINNET'],
    })
    const key = made.data.key as string
    const answered = async (status: number) => {
      const asked = { url: headgate.url, key }
      const answers = await callEveryWorker(asked, WORKERS, 'eth_chainId')
      return answers.every((answer) => answer.status === status)
    }
    await until(() => answered(200), 'all workers know the key')
    await api(headgate, 'DELETE', `/api/apps/${made.data.id}`)
    await until(() => answered(401), 'no worker knows the key')
  })

  test('pass on management calls and pages, with what is wrong about them', async () => {
    const headgate = await start()
    const { url, keys } = headgate
    const status = async (path: string, init: RequestInit = {}) =>
      (await fetch(url + path, init)).status
    const token = { 'x-service-token': keys.team_token, 'content-type': 'application/json' }
    const post = (body: string) => status('/api/apps', { method: 'POST', headers: token, body })
    expect(
      await Promise.all(['/', '/docs', '/healthz', '/readyz'].map((at) => status(at))),
    ).toEqual([200, 200, 200, 200])
    expect(await status('/nowhere')).toBe(404)
    expect(await status('/nowhere', { method: 'POST' })).toBe(404)
    expect(await status('/docs', { method: 'POST' })).toBe(405)
    expect(await status('/api/team')).toBe(401)
    expect(await status('/api/nothing', { headers: token })).toBe(404)
    expect(await post('{')).toBe(400)
    expect(await post(`"${'x'.repeat(3 * 2 ** 20)}"`)).toBe(413)
    const page = await fetch(`${url}/docs`, { headers: { 'accept-encoding': 'gzip' } })
    expect(page.headers.get('content-encoding')).toBe('gzip')
    expect(await page.text()).toContain('<html')
    const head = await fetch(`${url}/docs`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const tag = page.headers.get('etag') ?? ''
    expect(await status('/docs', { headers: { 'if-none-match': tag } })).toBe(304)
  })

  test('take a reload over without being restarted', async () => {
    const tiny = (rate: string) => `tiers: { tiny: { monthlyCu: null, cuPerSecond: ${rate} } }\n`
    stage.configure([stage.nodeA], tiny('1'))
    const headgate = await start()
    const pids = workerPids(headgate.pid)
    const key = await newTeamKey(headgate, 'tiny')
    const team = { url: headgate.url, key }
    const statuses = async () => {
      const calls = Array.from({ length: 5 }, (_, at) =>
        callAnywhere(team, 'eth_getBalance', [`0x${at}`, 'latest']),
      )
      return (await Promise.all(calls)).map(({ status }) => status)
    }
    expect(await statuses()).toContain(429)

    const second = `  - { id: ETH_SECOND, kind: evm, chainId: 1, verify: off, blockTimeMs: 1000, headPollMs: 100,
      upstreams: [{ name: node-b, url: "${stage.nodeB.url}" }] }\n`
    const text = configText([stage.nodeA], second + tiny('null'))
    writeConfig(headgate.folder, text)
    headgate.signal('SIGHUP')
    await until(() => headgate.said().includes('"event":"reloaded"}'), 'it has reloaded')
    expect(await statuses()).toEqual([200, 200, 200, 200, 200])
    const other = { ...app(headgate), slug: 'eth-second' }
    const answers = await callEveryWorker(other, WORKERS, 'eth_blockNumber')
    // The app of the first start has the networks of that time.
    expect(answers.map(({ status }) => status)).toEqual(Array(WORKERS).fill(403))
    expect(workerPids(headgate.pid)).toEqual(pids)

    stage.nodeA.answers.eth_gasPrice = '0x1'
    stage.nodeB.answers.eth_gasPrice = '0x2'
    writeConfig(headgate.folder, configText([stage.nodeB], tiny('null')))
    headgate.signal('SIGHUP')
    await until(() => headgate.said().split('"event":"reloaded"}').length > 2, 'it has again')
    const prices = await callEveryWorker(app(headgate), WORKERS, 'eth_gasPrice')
    expect(prices.map(({ json }) => json.result)).toEqual(Array(WORKERS).fill('0x2'))
    const gone = await callEveryWorker(other, WORKERS, 'eth_blockNumber')
    expect(gone.map(({ status }) => status)).toEqual(Array(WORKERS).fill(404))
  })

  test('notice that the port is in use, by another such service too', async () => {
    const headgate = await start()
    const { port } = new URL(headgate.url)
    const env = {
      HEADGATE_GATEWAY_WORKERS: '2',
      HEADGATE_LISTEN: `127.0.0.1:${port}`,
      HEADGATE_DATA: 'other-data',
    }
    const second = await stage.run({ env })
    expect(second).toMatchObject({ exitCode: 1 })
    const holder = existsSync('/proc/net/tcp') ? / by bun \(process \d+\)/ : / is in use/
    expect(second.stderr).toStartWith(`127.0.0.1:${port} is in use`)
    expect(second.stderr).toMatch(holder)
    await stopProcess(headgate)
  })
})

function start(env: Record<string, string> = {}): Promise<HeadgateProcess> {
  return stage.start({ HEADGATE_GATEWAY_WORKERS: String(WORKERS), ...env })
}

function app({ url, keys }: HeadgateProcess) {
  return { url, key: keys.app_key }
}

async function refusesConnections(url: string): Promise<boolean> {
  try {
    await fetch(url, { method: 'POST', keepalive: false, body: JSON.stringify(rpc('eth_chainId')) })
    return false
  } catch {
    return true
  }
}

async function api(
  { url, keys }: HeadgateProcess,
  method: string,
  path: string,
  body?: object,
  token = keys.team_token,
) {
  const response = await fetch(url + path, {
    method,
    headers: { 'x-service-token': token, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  return (await response.json()) as any
}

async function newTeamKey(headgate: HeadgateProcess, tier: string): Promise<string> {
  const { operator_token: operator } = headgate.keys
  const team = await api(headgate, 'POST', '/api/teams', { name: 'T', tier }, operator)
  const networks = ['ETH_MAINNET']
  const made = await api(headgate, 'POST', '/api/apps', { name: 'A', networks }, team.data.token)
  return made.data.key
}

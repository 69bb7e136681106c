// Runs on both stores.
import { describe, expect, test } from 'bun:test'
import { type Load, ledgerOf, startLoad } from '../../support/basics/load.ts'
import { callProcess, configuredProcess } from '../../support/product/configured-process.ts'
import { until } from '../../support/product/headgate.ts'
import { type HeadgateProcess, UPSTREAM_SECRETS } from '../../support/product/headgate-process.ts'

/** A process that does not wait for its streams would be gone by then. */
const FORGETFUL_MS = 150

const stage = configuredProcess()

describe('SIGHUP', () => {
  test('exchanges the upstreams and prices under load without a failed request', async () => {
    const headgate = await stage.start()
    const load = startLoad(headgate)
    await until(() => load.answered.length > 100, 'the first node serves')
    expect(last(load)).toMatchObject({ upstream: 'node-a', cu: '20' })

    stage.configure([stage.nodeB], 'prices: { eth_getBalance: { cu: 7.25 } }\n')
    headgate.signal('SIGHUP')
    await until(() => last(load)?.upstream === 'node-b', 'the second node serves')
    const exchangedAt = load.answered.length
    await until(() => load.answered.length > exchangedAt + 100, 'it goes on serving')
    await load.stop()

    expect(last(load)).toMatchObject({ upstream: 'node-b', cu: '7.25' })
    expect({ wrong: load.wrong, lost: load.lost }).toEqual({ wrong: [], lost: 0 })
    await until(() => headgate.said().includes('"event":"reloaded"'), 'the log says so')
  })

  test('a bad file leaves the old one in force', async () => {
    const headgate = await stage.start()
    const load = startLoad(headgate)
    stage.configure([stage.nodeB], 'prices: { eth_getBalance: { cu: dear } }\n')
    headgate.signal('SIGHUP')
    const why = 'headgate.yaml:11: prices.eth_getBalance.cu must be a number'
    await expectRefused(headgate, load, why)
  })

  test('a file with an upstream on another chain leaves the old one in force', async () => {
    stage.nodeB.chainId = 5
    const headgate = await stage.start()
    const load = startLoad(headgate)
    stage.configure([stage.nodeB])
    headgate.signal('SIGHUP')
    const why = 'headgate.yaml:9: upstream node-b of ETH_MAINNET is on chain 5, not 1'
    await expectRefused(headgate, load, why)
  })

  test('while the process is still starting is kept for later', async () => {
    const open = gate()
    stage.nodeA.misbehave = async () => {
      await open.opened
      return null
    }
    const headgate = await stage.start({}, async (pid) => {
      await until(() => stage.nodeA.calls.length > 0, 'the node is asked')
      stage.configure([stage.nodeB])
      process.kill(pid, 'SIGHUP')
      open.open()
    })
    await until(() => headgate.said().includes('"event":"reloaded"'), 'the new file is in force')
    const load = startLoad(headgate)
    await until(() => last(load)?.upstream === 'node-b', 'the new node serves')
    await load.stop()
  })
})

describe('SIGTERM', () => {
  test('what is in flight is answered, streams to their last byte, and then it exits', async () => {
    const calls = gate()
    const stream = gate()
    const big = 'x'.repeat(600_000)
    stage.nodeA.misbehave = async (method, body) => {
      if (method === 'eth_getBalance') await calls.opened
      return method === 'eth_getLogs' ? inTwoParts(body, big, stream.opened) : null
    }
    const headgate = await stage.start()
    const held = Array.from({ length: 5 }, (_, at) => callProcess(headgate, 'eth_getBalance', [at]))
    const streamed = await callProcess(headgate, 'eth_getLogs', [{}])
    await until(() => stage.nodeA.callsOf('eth_getBalance') === 5, 'all calls are at the node')

    headgate.signal('SIGTERM')
    await until(() => isRefused(headgate), 'no connection is accepted any more')
    calls.open()
    for (const response of await Promise.all(held)) {
      expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: '0x1' })
    }
    await Promise.race([headgate.exited, Bun.sleep(FORGETFUL_MS)])
    stream.open()
    expect(await streamed.json()).toEqual({ jsonrpc: '2.0', id: 1, result: [big, big] })
    expect(await headgate.exited).toBe(0)

    const again = await stage.start()
    expect(await ledgerOf(again)).toEqual({ calls: 6, cu: 160, monthCu: 160 })
  })

  test('under load, the ledger equals the calls that were answered', async () => {
    const headgate = await stage.start()
    const load = startLoad(headgate)
    await until(() => load.answered.length > 500, 'the load runs')
    headgate.signal('SIGTERM')
    expect(await headgate.exited).toBe(0)
    await load.stop()
    expect(load.wrong).toEqual([])

    const again = await stage.start()
    const calls = load.answered.length
    expect(await ledgerOf(again)).toEqual({ calls, cu: calls * 20, monthCu: calls * 20 })
  })
})

async function expectRefused(headgate: HeadgateProcess, load: Load, why: string): Promise<void> {
  await until(() => headgate.said().includes('"event":"reload_refused"'), 'the log says so')
  const line = headgate.said().match(/^.*"reload_refused".*$/m)?.[0] ?? ''
  expect(JSON.parse(line)).toMatchObject({ level: 'error', why })
  for (const secret of UPSTREAM_SECRETS) expect(headgate.said()).not.toContain(secret)

  const refusedAt = load.answered.length
  await until(() => load.answered.length > refusedAt + 50, 'the old file goes on')
  await load.stop()
  expect(load.answered.every(({ upstream, cu }) => upstream === 'node-a' && cu === '20')).toBe(true)
  expect({ wrong: load.wrong, lost: load.lost }).toEqual({ wrong: [], lost: 0 })
}

function last(load: Load) {
  return load.answered.at(-1)
}

async function isRefused({ url }: HeadgateProcess): Promise<boolean> {
  try {
    await fetch(`${url}/healthz`, { headers: { connection: 'close' } })
    return false
  } catch {
    return true
  }
}

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}

/** The second part comes when it may; until then the answer is under way. */
function inTwoParts(body: string, big: string, opened: Promise<void>): Response {
  const { id } = JSON.parse(body) as { id: number }
  async function* parts() {
    yield `{"jsonrpc":"2.0","id":${id},"result":["${big}",`
    await opened
    yield `"${big}"]}`
  }
  return new Response(parts())
}

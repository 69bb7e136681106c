import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fill, keysOf, PROGRAM, startAccountNode } from '../../support/nodes/account-node.ts'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { evmNetwork, networksEnv, solanaNetwork } from '../../support/nodes/networks.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { newApp, newTeam } from '../../support/product/teams.ts'
import { callAnywhere, callEveryWorker } from '../../support/product/workers.ts'

const WORKERS = 4

/** The price of eth_getBalance, on the bill and against the rate. */
const PRICE_CU = 20

const CU_PER_SECOND = 500
const BURST_CU = CU_PER_SECOND * 10

const CLIENTS = 32

/** With so slow a node the clients need five seconds for the month, on every machine. */
const SLOW_NODE_MS = 50
const MONTH_CU = 60_000

/** So few that what they ask before workers hear of each other is little of the burst. */
const DEMO_CLIENTS = 4
const DEMO_CU_PER_SECOND = 50
const DEMO_BURST_CU = DEMO_CU_PER_SECOND * 10

/** Enough for every worker to have refused some. */
const DEMO_REFUSALS = 100

const node = startFakeNode('node-a')
const solana = startAccountNode('node-s')
let headgate: TestHeadgate

describe.skipIf(process.platform !== 'linux')('over all gateway workers', () => {
  beforeAll(async () => {
    fill(solana, 500, 1500)
    headgate = await startHeadgate({
      env: {
        ...networksEnv(
          evmNetwork('ETH_MAINNET', [node]),
          solanaNetwork('SOLANA_MAINNET', [solana]),
        ),
        HEADGATE_GATEWAY_WORKERS: String(WORKERS),
        HEADGATE_DEMO_KEY: 'true',
        HEADGATE_LOG_REQUESTS: 'false',
        HEADGATE_TIERS: JSON.stringify({
          rate: { monthlyCu: null, cuPerSecond: CU_PER_SECOND },
          slow: { monthlyCu: null, cuPerSecond: CU_PER_SECOND / 10 },
          month: { monthlyCu: MONTH_CU, cuPerSecond: null },
        }),
      },
    })
  })

  afterAll(async () => {
    await headgate.stop()
    node.stop()
    solana.stop()
  })

  test('a flooding team has the throughput of one bucket', async () => {
    const { key } = await newTeam(headgate, 'rate')
    const endsAtMs = performance.now() + 3000
    // A busy machine may take longer until the burst is used up.
    const isEnough = (refused: number) => refused > 200 && performance.now() > endsAtMs
    const { served, tookS } = await flood(key, isEnough, 60_000)
    const allowed = BURST_CU + CU_PER_SECOND * tookS
    expect(served * PRICE_CU).toBeLessThan(allowed * 1.15)
    expect(served * PRICE_CU).toBeGreaterThan(BURST_CU)
  })

  test('a team that was held to its rate by one worker is so by all others', async () => {
    const { key } = await newTeam(headgate, 'slow')
    const one = await fetch(`${headgate.url}/eth-mainnet/v2/${key}`, {
      method: 'POST',
      body: JSON.stringify(Array.from({ length: 300 }, (_, at) => balance(at))),
    })
    expect(await one.text()).toContain('compute units per second')
    const answers = await callEveryWorker(app(key), WORKERS, 'eth_getBlockReceipts', ['latest'])
    const refused = answers.filter(({ status }) => status === 429)
    // In the ten seconds that a call costs, enough for one comes in.
    expect(refused.length).toBeGreaterThanOrEqual(WORKERS - 1)
  })

  test('a month is used up once', async () => {
    const { key, token } = await newTeam(headgate, 'month')
    node.misbehave = (method) =>
      method === 'eth_getBalance' ? Bun.sleep(SLOW_NODE_MS).then(() => null) : null
    const { served, servedInLastSecond } = await flood(key, (refused) => refused > 500, 60_000)
    expect(servedInLastSecond).toBeLessThan(served / 2)
    // At most one second's use is promised; by telling each other, workers stay well below that.
    const allowedCu = Math.min(MONTH_CU + servedInLastSecond * PRICE_CU, MONTH_CU * 1.15)
    expect(served * PRICE_CU).toBeLessThanOrEqual(allowedCu)
    await until(async () => {
      await flood(key, (refused) => refused > 20, 1000)
      const { json } = await headgate.api('GET', '/api/usage/summary', undefined, token)
      return json.data.month_cu >= MONTH_CU
    }, 'all of it can be used')
    node.misbehave = null
    const { json } = await headgate.api('GET', '/api/usage/summary', undefined, token)
    expect(json.data.month_cu).toBeLessThanOrEqual(allowedCu)
    const answers = await callEveryWorker(app(key), WORKERS, 'eth_gasPrice')
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 429, 429])
  })

  test('an address that uses the demo key has one limit', async () => {
    const startedAtMs = performance.now()
    let [served, refused, asked] = [0, 0, 0]
    const client = async () => {
      while (refused < DEMO_REFUSALS) {
        const { params } = balance(++asked)
        const { status } = await callAnywhere(app('demo'), 'eth_getBalance', params)
        if (status === 200) served++
        else refused++
      }
    }
    await Promise.all(Array.from({ length: DEMO_CLIENTS }, client))
    const tookS = (performance.now() - startedAtMs) / 1000
    // Workers that did not tell each other would have let the burst of each through.
    expect(served * PRICE_CU).toBeLessThan(2 * DEMO_BURST_CU + DEMO_CU_PER_SECOND * tookS)
    expect(served * PRICE_CU).toBeGreaterThanOrEqual(DEMO_BURST_CU)
  })

  test('no block number is lower than one that was shown on another connection', async () => {
    const { appKey } = headgate
    const mining = setInterval(() => node.mine(), 7)
    let highest = 0
    for (let call = 0; call < 400; call++) {
      const { json } = await callAnywhere(app(appKey), 'eth_blockNumber')
      const height = Number(json.result)
      expect(height).toBeGreaterThanOrEqual(highest)
      highest = height
    }
    clearInterval(mining)
    expect(highest).toBeGreaterThan(1000)
  })

  test('what was written through one is not hidden by what another has cached', async () => {
    const { appKey } = headgate
    let nonce = 0
    node.answers.eth_getTransactionCount = () => `0x${nonce.toString(16)}`
    node.answers.eth_sendRawTransaction = () => {
      nonce++
      return `0x${'ab'.repeat(32)}`
    }
    for (let sent = 1; sent <= 30; sent++) {
      await callEveryWorker(app(appKey), WORKERS, 'eth_getTransactionCount', ['0x1', 'latest'])
      await callAnywhere(app(appKey), 'eth_sendRawTransaction', [`0x${'02'.repeat(sent)}`])
      const seen = await callAnywhere(app(appKey), 'eth_getTransactionCount', ['0x1', 'latest'])
      expect(Number(seen.json.result)).toBe(sent)
    }
  })

  test('the access rules of an app act in all of them, without a restart', async () => {
    const { id, key } = await newApp(headgate, headgate.teamToken)
    const statuses = async () => {
      const answers = await callEveryWorker(app(key), WORKERS, 'eth_gasPrice')
      return answers.map(({ status }) => status)
    }
    expect(await statuses()).toEqual([200, 200, 200, 200])
    await headgate.api('PATCH', `/api/apps/${id}`, { allow: { methods: ['eth_call'] } })
    await until(async () => (await statuses()).every((status) => status === 403), 'the rule acts')
    await headgate.api('PATCH', `/api/apps/${id}`, { allow: { methods: [] } })
    await until(async () => (await statuses()).every((status) => status === 200), 'it is gone')
  })

  test('pages of accounts lead from one worker to the next', async () => {
    const key = headgate.appKey
    const asked = { ...app(key), slug: 'solana-mainnet' }
    const found: string[] = []
    const workers = new Set<string>()
    let pageKey: string | undefined
    for (let page = 0; page < 10; page++) {
      const config = { encoding: 'base64', limit: 50, order: 'desc', ...(pageKey && { pageKey }) }
      const answer = await callAnywhere(asked, 'getProgramAccounts', [PROGRAM, config])
      expect(answer.status).toBe(200)
      workers.add(answer.worker)
      for (const { pubkey } of answer.json.result) found.push(pubkey)
      pageKey = answer.json.pageKey
      if (pageKey === undefined) break
    }
    expect(found.sort()).toEqual(keysOf(solana).sort())
    expect(workers.size).toBeGreaterThan(1)
    const large = { encoding: 'base64', limit: 500, order: 'desc' }
    const whole = await callAnywhere(asked, 'getProgramAccounts', [PROGRAM, large])
    expect(whole.json.result.map(({ pubkey }: { pubkey: string }) => pubkey).sort()).toEqual(found)
    const wrong = await callAnywhere(asked, 'getProgramAccounts', [5])
    expect(wrong.json.error.code).toBe(-32602)
  })
})

function app(key: string) {
  return { url: headgate.url, key }
}

function balance(at: number) {
  return rpc('eth_getBalance', [`0x${at.toString(16).padStart(40, '0')}`, 'latest'], at)
}

/** Clients that ask as fast as they can, until `enough` of their calls were refused. */
async function flood(key: string, enough: (refused: number) => boolean, ms: number) {
  const startedAtMs = performance.now()
  const endsAtMs = startedAtMs + ms
  const servedAtMs: number[] = []
  let [refused, asked] = [0, 0]
  const client = async () => {
    while (performance.now() < endsAtMs && !enough(refused)) {
      const { status } = await headgate.post(balance(++asked), { key, slug: 'eth-mainnet' })
      if (status === 200) servedAtMs.push(performance.now())
      else refused++
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  const lastSecondMs = (servedAtMs.at(-1) ?? 0) - 1000
  return {
    served: servedAtMs.length,
    servedInLastSecond: servedAtMs.filter((atMs) => atMs > lastSecondMs).length,
    tookS: (performance.now() - startedAtMs) / 1000,
  }
}

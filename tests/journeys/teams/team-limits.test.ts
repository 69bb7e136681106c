// Runs on both stores.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { NodeError, startFakeNode } from '../../support/nodes/fake-node.ts'
import { evmNetwork, networksEnv, solanaNetwork } from '../../support/nodes/networks.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { expectRpcAnswer } from '../../support/product/rpc-answer.ts'
import { changeTeam, newApp, newTeam } from '../../support/product/teams.ts'

const node = startFakeNode('node-a')
const solanaNode = startFakeNode('node-s')

/** Costs 20 CU, on the bill and against the rate. */
const ASK = rpc('eth_gasPrice')
const PRICE_CU = 20

/** Costs 500 CU against the rate. */
const RECEIPTS = rpc('eth_getBlockReceipts', ['latest'])

/** So much may a busy machine need for a dozen calls. */
const SLOW_MACHINE_S = 10

/** The free tier of this instance: a burst of ten calls, and a month of 400 calls. */
const FREE_CU_PER_SECOND = 20
const BURST_CU = FREE_CU_PER_SECOND * 10
const BURST_CALLS = BURST_CU / PRICE_CU

/** A month of five calls and no limit on their speed. */
const MONTH_CALLS = 5
let headgate: TestHeadgate

beforeAll(async () => {
  headgate = await startHeadgate({
    env: {
      ...networksEnv(
        evmNetwork('ETH_MAINNET', [node]),
        solanaNetwork('SOLANA_MAINNET', [solanaNode]),
      ),
      HEADGATE_TIERS: JSON.stringify({
        month: { monthlyCu: MONTH_CALLS * PRICE_CU, cuPerSecond: null },
      }),
      HEADGATE_TIERS_FREE_CU_PER_SECOND: String(FREE_CU_PER_SECOND),
      HEADGATE_TIERS_FREE_MONTHLY_CU: '8000',
    },
  })
})

beforeEach(() => {
  node.misbehave = null
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
  solanaNode.stop()
})

async function post(key: string, body: unknown = ASK, slug = 'eth-mainnet') {
  const answer = await headgate.post(body, { key, slug })
  expectRpcAnswer(answer)
  return answer
}

/** Calls until the first refusal, which it returns with the number of those served. */
async function drain(...keys: readonly string[]) {
  for (let served = 0; ; served++) {
    const answer = await post(keys[served % keys.length] ?? '')
    if (answer.status === 429) return { served, refusal: answer }
    expect(answer.status).toBe(200)
  }
}

describe('throughput', () => {
  test('ten seconds’ worth may come at once, and then at the rate', async () => {
    const { key } = await newTeam(headgate, 'free')
    const startedAtMs = Date.now()
    const { served } = await drain(key)
    const elapsedS = (Date.now() - startedAtMs) / 1000
    expect(served).toBeGreaterThanOrEqual(BURST_CALLS)
    // The last one may cost more than was left.
    const mostCu = BURST_CU + FREE_CU_PER_SECOND * elapsedS + PRICE_CU
    expect(served * PRICE_CU).toBeLessThanOrEqual(mostCu)
  })

  test('beyond it the refusal says what, how much and until when', async () => {
    const { key } = await newTeam(headgate, 'free')
    const { refusal } = await drain(key)
    const { json, headers } = refusal
    expect(json).toMatchObject({ id: 1, error: { code: 429 } })
    expect(json.error.message).toContain('compute units per second')
    const retryAfterS = Number(headers.get('retry-after'))
    expect(Number.isInteger(retryAfterS) && retryAfterS >= 1).toBe(true)
    expect(headers.get('ratelimit-limit')).toBe(String(BURST_CU))
    expect(headers.get('ratelimit-remaining')).toBe('0')
    expect(headers.get('ratelimit-reset')).toBe(String(retryAfterS))
    expect(headers.get('x-headgate-cu')).toBe('0')
    const again = async () => (await post(key)).status === 200
    await until(again, 'the team may call again')
  })

  test('all apps of a team share it, and no other team does', async () => {
    const team = await newTeam(headgate, 'free')
    const other = await newTeam(headgate, 'free')
    const { key } = await newApp(headgate, team.token)
    const { served } = await drain(team.key, key)
    expect(served).toBeLessThan(2 * BURST_CALLS)
    expect((await post(other.key)).status).toBe(200)
  })

  test('inside a batch each member is admitted or refused by itself, with HTTP 200', async () => {
    const { key } = await newTeam(headgate, 'free')
    const batch = Array.from({ length: BURST_CALLS + 5 }, (_, id) => ({ ...ASK, id }))
    const { status, json, headers } = await post(key, batch)
    expect(status).toBe(200)
    expect(json.slice(0, BURST_CALLS).every((one: object) => 'result' in one)).toBe(true)
    expect(json.map((one: { id: number }) => one.id)).toEqual(batch.map(({ id }) => id))
    const refused = json.filter((one: object) => !('result' in one))
    // When a millisecond passed meanwhile, one more left a debt.
    expect([4, 5]).toContain(refused.length)
    for (const { error } of refused) expect(error.code).toBe(429)
    expect(headers.get('x-headgate-cu')).toBe(String((batch.length - refused.length) * PRICE_CU))
  })

  test('a call dearer than what is left is served, and the next ones wait for its debt', async () => {
    const { key } = await newTeam(headgate, 'free')
    node.answers.eth_getBlockReceipts = []
    for (let call = 1; call < BURST_CALLS; call++) expect((await post(key)).status).toBe(200)
    expect((await post(key, RECEIPTS)).status).toBe(200)
    const { status, headers } = await post(key)
    // 500 CU, of which at least 20 and what came in meanwhile were there, at 20 CU a second.
    expect(status).toBe(429)
    const retryAfterS = Number(headers.get('retry-after'))
    expect(retryAfterS).toBeLessThanOrEqual(24)
    expect(retryAfterS).toBeGreaterThan(24 - SLOW_MACHINE_S)
    expect(headers.get('ratelimit-remaining')).toBe('0')
    expect((await post(key, rpc('eth_chainId'))).status).toBe(200)
  })

  test('failures of ours are given back, up to as much again', async () => {
    const { key } = await newTeam(headgate, 'free')
    node.misbehave = (method) =>
      method === 'eth_getCode' ? new Response('', { status: 500 }) : null
    const fail = async () => (await post(key, rpc('eth_getCode', ['0x00', 'latest']))).status
    for (let call = 0; call < 2 * BURST_CALLS; call++) expect(await fail()).toBe(503)
    // Else a flood of calls that fail would have no limit.
    const statuses = await Promise.all(Array.from({ length: 100 }, fail))
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(50)
  })

  test('failures of ours leave a team the whole of its own', async () => {
    const { key } = await newTeam(headgate, 'free')
    node.misbehave = (method) =>
      method === 'eth_getCode' ? new Response('', { status: 500 }) : null
    for (let call = 0; call < BURST_CALLS; call++) {
      const { status } = await post(key, rpc('eth_getCode', ['0x00', 'latest']))
      expect(status).toBe(503)
    }
    const { served } = await drain(key)
    expect(served).toBeGreaterThanOrEqual(BURST_CALLS)
  })
})

describe('the month', () => {
  test('stops the team when it is used up', async () => {
    const { key } = await newTeam(headgate, 'month')
    const { served, refusal } = await drain(key)
    expect(served).toBe(MONTH_CALLS)
    expect(refusal.json).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: 429,
        message: `Monthly capacity limit exceeded. Visit ${headgate.url}/settings/billing to upgrade your scaling policy for continued service.`,
      },
    })
    // Clients would wait for that time instead of showing the message.
    expect(refusal.headers.get('retry-after')).toBeNull()
    expect(refusal.headers.get('ratelimit-limit')).toBeNull()
  })

  test('serves and bills the call that crosses it, and refuses all after it', async () => {
    const { key, token } = await newTeam(headgate, 'month')
    node.answers.eth_getLogs = []
    for (let call = 1; call < MONTH_CALLS; call++) expect((await post(key)).status).toBe(200)
    const crossing = await post(key, rpc('eth_getLogs', [{}]))
    expect([crossing.status, crossing.headers.get('x-headgate-cu')]).toEqual([200, '60'])
    for (const method of ['eth_gasPrice', 'eth_chainId', 'eth_getLogs']) {
      const { status, json } = await post(key, rpc(method, []))
      expect([status, json.error.code]).toEqual([429, 429])
      expect(json.error.message).toStartWith('Monthly capacity limit exceeded.')
    }
    const spent = async () =>
      (await headgate.api('GET', '/api/usage/summary', undefined, token)).json.data?.month_cu
    const usedCu = (MONTH_CALLS - 1) * PRICE_CU + 60
    await until(async () => (await spent()) === usedCu, 'the ledger has it')
  })

  test('is not overdrawn by calls that come at the same time', async () => {
    const { key } = await newTeam(headgate, 'month')
    const answers = await Promise.all(Array.from({ length: 40 }, () => post(key)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(MONTH_CALLS)
    expect((await post(key, [ASK, ASK])).json[1].error.code).toBe(429)
  })

  test('goes on with autoscaling, and stops again without', async () => {
    const { key, token } = await newTeam(headgate, 'month')
    await drain(key)
    await headgate.api('PATCH', '/api/team', { autoscaling: true }, token)
    await until(async () => (await post(key)).status === 200, 'autoscaling acts')
    for (let call = 0; call < 2 * MONTH_CALLS; call++) expect((await post(key)).status).toBe(200)
    await headgate.api('PATCH', '/api/team', { autoscaling: false }, token)
    await until(async () => (await post(key)).status === 429, 'the end of autoscaling acts')
  })

  test('goes on with a larger tier', async () => {
    const { id, key } = await newTeam(headgate, 'month')
    await drain(key)
    await changeTeam(headgate, id, { tier: 'enterprise' })
    await until(async () => (await post(key)).status === 200, 'the new tier acts')
  })

  test('is not touched by what costs nothing', async () => {
    const { key, token } = await newTeam(headgate, 'month')
    node.answers.eth_getCode = () => {
      throw new NodeError(-32601, 'the method does not exist')
    }
    for (let call = 0; call < 3 * MONTH_CALLS; call++) {
      const { json } = await post(key, rpc('eth_getCode', ['0x00', 'latest']))
      expect(json.error.code).toBe(-32601)
    }
    const { served } = await drain(key)
    expect(served).toBe(MONTH_CALLS)
    const spent = async () =>
      (await headgate.api('GET', '/api/usage/summary', undefined, token)).json.data?.month_cu
    await until(async () => (await spent()) === MONTH_CALLS * PRICE_CU, 'the ledger agrees')
  })
})

describe('paid-only methods', () => {
  test.each([['getProgramAccounts'], ['getProgramAccountsV2']])('%s', async (method) => {
    const ask = rpc(method, ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'])
    const free = await newTeam(headgate, 'free')
    const { status, json, headers } = await post(free.key, ask, 'solana-mainnet')
    expect(status).toBe(403)
    expect(json.error).toEqual({
      code: -32600,
      message: `${method} is not available on the Free tier - upgrade to a paid tier for access. ${headgate.url}/settings/billing`,
    })
    expect(headers.get('x-headgate-cu')).toBe('0')
    expect(solanaNode.callsOf(method)).toBe(0)

    solanaNode.answers.getProgramAccounts = []
    const paid = await newTeam(headgate, 'growth')
    const { result } = (await post(paid.key, ask, 'solana-mainnet')).json
    expect(result.accounts ?? result).toEqual([])
  })

  test('in a batch only that member is refused', async () => {
    const { key } = await newTeam(headgate, 'free')
    const batch = [rpc('getProgramAccounts', ['x'], 1), rpc('getSlot', [], 2)]
    const { status, json } = await post(key, batch, 'solana-mainnet')
    expect([status, json[0].error.code, json[1].result]).toEqual([200, -32600, 1000])
  })
})

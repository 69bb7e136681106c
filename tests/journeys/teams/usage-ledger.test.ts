// Runs on both stores.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NodeError, startFakeNode } from '../../support/nodes/fake-node.ts'
import { evmNetwork, networksEnv, solanaNetwork } from '../../support/nodes/networks.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { newApp, newTeam, type TestTeam } from '../../support/product/teams.ts'

const node = startFakeNode('node-a')
const solanaNode = startFakeNode('node-s')
const folder = mkdtempSync(join(tmpdir(), 'headgate-ledger-'))
const env = {
  ...networksEnv(evmNetwork('ETH_MAINNET', [node]), solanaNetwork('SOLANA_MAINNET', [solanaNode])),
  HEADGATE_PRICES: '{"eth_getCode":{"cu":0.01},"eth_accounts":{"cu":0.07}}',
}
let headgate: TestHeadgate

beforeAll(async () => {
  node.answers.eth_accounts = []
  node.answers.eth_getCode = '0x60'
  node.answers.eth_call = () => {
    throw new NodeError(3, 'execution reverted', '0x')
  }
  headgate = await startHeadgate({ env, dataFolder: folder })
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
  solanaNode.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function summaryOf({ token }: Pick<TestTeam, 'token'>) {
  return (await headgate.api('GET', '/api/usage/summary', undefined, token)).json.data
}

type Point = { start: number; group: string | null; calls: number; cu: number }

/** Calls and CU by group, over all the hours of the answer. */
async function series(team: TestTeam, groupBy: string, bucket = 'hour') {
  const path = `/api/usage/time-series?bucket=${bucket}&group_by=${groupBy}`
  const { json } = await headgate.api('GET', path, undefined, team.token)
  const groups = new Map<string, { calls: number; centiCu: number }>()
  for (const { group, calls, cu, start } of json.data as Point[]) {
    expect(start % 3_600_000).toBe(0)
    const sum = groups.get(group ?? '') ?? { calls: 0, centiCu: 0 }
    const centiCu = sum.centiCu + Math.round(cu * 100)
    groups.set(group ?? '', { calls: sum.calls + calls, centiCu })
  }
  return Object.fromEntries([...groups].sort())
}

/** Awaits that so many calls are written. */
function written(team: TestTeam, calls: number): Promise<void> {
  const all = async () => (await summaryOf(team))?.this_month.calls === calls
  return until(all, `${calls} calls are in the ledger`)
}

test('the ledger holds what was called, to the hundredth, by method, network and app', async () => {
  const team = await newTeam(headgate, 'growth')
  const second = await newApp(headgate, team.token)
  const first = { key: team.key }
  const balance = rpc('eth_getBalance', ['0x00', 'latest'])
  for (let call = 0; call < 7; call++) await headgate.post(balance, first)
  for (let call = 0; call < 13; call++) await headgate.post(rpc('eth_getCode', ['0x00']), first)
  await headgate.post([balance, rpc('eth_accounts'), rpc('eth_accounts')], { key: second.key })
  await headgate.post(rpc('getSlot'), { key: second.key, slug: 'solana-mainnet' })
  await headgate.post(rpc('eth_call', [{}, 'latest']), first)
  await written(team, 25)

  const cu = 8 * 20 + 13 * 0.01 + 2 * 0.07 + 20 + 26
  expect(cu).toBeCloseTo(206.27, 6)
  const summary = await summaryOf(team)
  expect(summary.month_cu).toBe(206.27)
  expect(summary.remaining_cu).toBe(300_000_000 - 206.27)
  expect(summary.this_month).toEqual({ calls: 25, cu: 206.27, bytes: 0 })
  expect(summary.last_24_hours).toEqual({ calls: 25, cu: 206.27, bytes: 0 })

  expect(await series(team, 'none')).toEqual({ '': { calls: 25, centiCu: 20_627 } })
  expect(await series(team, 'none', 'day')).toEqual({ '': { calls: 25, centiCu: 20_627 } })
  expect(await series(team, 'method')).toEqual({
    eth_accounts: { calls: 2, centiCu: 14 },
    eth_call: { calls: 1, centiCu: 2600 },
    eth_getBalance: { calls: 8, centiCu: 16_000 },
    eth_getCode: { calls: 13, centiCu: 13 },
    getSlot: { calls: 1, centiCu: 2000 },
  })
  expect(await series(team, 'network')).toEqual({
    ETH_MAINNET: { calls: 24, centiCu: 18_627 },
    SOLANA_MAINNET: { calls: 1, centiCu: 2000 },
  })
  const byApp = {
    [team.appId]: { calls: 21, centiCu: 16_613 },
    [second.id]: { calls: 4, centiCu: 4014 },
  }
  expect(await series(team, 'app')).toEqual(byApp)
})

test('every answer’s x-headgate-cu adds up to the bill, cache hits included', async () => {
  const team = await newTeam(headgate, 'growth')
  const calls = Array.from({ length: 60 }, (_, at) => {
    if (at % 3 === 0) return rpc('eth_getCode', ['0x00'])
    return at % 3 === 1 ? rpc('eth_gasPrice') : [rpc('eth_accounts'), rpc('eth_nothingSuch')]
  })
  const answers = await Promise.all(calls.map((call) => headgate.post(call, { key: team.key })))
  const centiCu = answers
    .map(({ headers }) => Math.round(Number(headers.get('x-headgate-cu')) * 100))
    .reduce((sum, one) => sum + one, 0)
  expect(answers.some(({ headers }) => headers.get('x-headgate-cache') !== 'miss')).toBe(true)
  await until(async () => (await summaryOf(team))?.month_cu === centiCu / 100, 'the bill agrees')
  expect(centiCu).toBe(20 * 1 + 20 * 2000 + 20 * 7)
})

test('what was refused or failed is not on the bill', async () => {
  const team = await newTeam(headgate, 'free')
  const options = { key: team.key }
  node.misbehave = (method) => (method === 'test_getIt' ? new Response('', { status: 500 }) : null)
  const ethOnly = await newApp(headgate, team.token, ['ETH_MAINNET'])
  const statuses = [
    (await headgate.post(rpc('test_getIt'), options)).status,
    (await headgate.post('{', options)).status,
    (await headgate.post(rpc('getProgramAccounts'), { ...options, slug: 'solana-mainnet' })).status,
    (await headgate.post(rpc('getSlot'), { key: ethOnly.key, slug: 'solana-mainnet' })).status,
    (await headgate.post(rpc('eth_gasPrice'), options)).status,
  ]
  node.misbehave = null
  expect(statuses).toEqual([503, 400, 403, 403, 200])
  await written(team, 1)
  expect((await summaryOf(team)).month_cu).toBe(20)
})

test('one team never sees another’s usage', async () => {
  const [busy, quiet] = [await newTeam(headgate, 'growth'), await newTeam(headgate, 'growth')]
  await headgate.post(rpc('eth_gasPrice'), { key: busy.key })
  await written(busy, 1)
  expect((await summaryOf(quiet)).month_cu).toBe(0)
  expect(await series(quiet, 'method')).toEqual({})
})

test('a stop writes what is still in memory, and a start goes on from it', async () => {
  const team = await newTeam(headgate, 'growth')
  for (let call = 0; call < 5; call++) await headgate.post(rpc('eth_getCode'), { key: team.key })
  await headgate.stop()
  headgate = await startHeadgate({ env, dataFolder: folder })
  expect((await summaryOf(team)).this_month).toEqual({ calls: 5, cu: 0.05, bytes: 0 })
  await headgate.post(rpc('eth_getCode'), { key: team.key })
  await written(team, 6)
  expect((await summaryOf(team)).month_cu).toBe(0.06)
})

import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import {
  callApi,
  callRpc,
  clusterEnv,
  type Member,
  openCluster,
  untilAnswered,
} from '../support/cluster/cluster.ts'
import { startFakeNode } from '../support/nodes/fake-node.ts'
import { testDatabase } from '../support/postgres/test-postgres.ts'
import { cleanUp } from '../support/product/headgate-process.ts'
import { lacksPostgres } from '../support/product/world.ts'

setDefaultTimeout(120_000)

const GATEWAYS = 10
const CLIENTS_EACH = 3

/** The flood ends when each gateway has refused so much, however fast the machine is. */
const REFUSED_EACH = 150

/** The price of eth_getBalance, on the bill and against the rate. */
const PRICE_CU = 20
const CU_PER_SECOND = 2000
const BURST_CU = CU_PER_SECOND * 10

afterEach(cleanUp)

test.skipIf(lacksPostgres())('ten gateways hold a team within its limit', async () => {
  const node = startFakeNode('node-a')
  const database = await testDatabase()
  const cluster = openCluster({
    ...clusterEnv(database.url, [{ id: 'ETH_MAINNET', chainId: 1, upstreams: [node] }]),
    HEADGATE_LOG_REQUESTS: 'false',
    HEADGATE_POSTGRES_CONNECTIONS_MAX: '3',
    HEADGATE_TIERS: JSON.stringify({ rate: { monthlyCu: null, cuPerSecond: CU_PER_SECOND } }),
  })
  const first = await cluster.start(['api', 'gateway'])
  const others = await Promise.all(
    Array.from({ length: GATEWAYS - 1 }, () => cluster.start(['gateway'])),
  )
  const gateways = [first, ...others]
  const key = await keyOfTeam(first, cluster.keys().operator_token)
  for (const one of gateways) await untilAnswered(() => callRpc(one, key, 'eth_chainId'), 200)

  const startedMs = performance.now()
  const served = await Promise.all(gateways.map((gateway) => flood(gateway, key)))
  const tookS = (performance.now() - startedMs) / 1000
  const usedCu = served.reduce((sum, count) => sum + count, 0) * PRICE_CU
  const allowedCu = BURST_CU + CU_PER_SECOND * tookS
  expect(usedCu).toBeLessThan(allowedCu * 1.15)
  // Each of them alone would have let as much through.
  expect(usedCu).toBeGreaterThan(BURST_CU)
  node.stop()
  await database.drop()
})

async function keyOfTeam(api: Member, operatorToken: string | null): Promise<string> {
  const made = await callApi(api, operatorToken ?? '', 'POST', '/api/teams', {
    name: 'Flooding',
    tier: 'rate',
  })
  const { token } = made.json.data
  const app = { name: 'An app', networks: ['ETH_MAINNET'] }
  const { json } = await callApi(api, token, 'POST', '/api/apps', app)
  return json.data.key
}

/** Asks as fast as it can; how many calls were let through. */
async function flood(gateway: Member, key: string): Promise<number> {
  let served = 0
  let refused = 0
  const client = async (which: number) => {
    for (let at = 0; refused < REFUSED_EACH; at++) {
      const address = `0x${which}${at.toString(16).padStart(39, '0')}`
      const params = [address, 'latest']
      const { status } = await callRpc(gateway, key, 'eth_getBalance', { params })
      if (status === 200) served++
      else if (status === 429) refused++
      else throw new Error(`it was answered with ${status}`)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS_EACH }, (_, which) => client(which)))
  return served
}

// Runs on both stores.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { JsonRpcProvider } from 'ethers'
import { createPublicClient, http } from 'viem'
import { Web3 } from 'web3'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { rpc, startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'
import { newTeam } from '../../support/product/teams.ts'

const node = startFakeNode('node-a')
let headgate: TestHeadgate
let url: string
let key: string

beforeAll(async () => {
  const tiers = { tiny: { monthlyCu: 1, cuPerSecond: null } }
  headgate = await startHeadgate({ nodes: [node], env: { HEADGATE_TIERS: JSON.stringify(tiers) } })
  key = (await newTeam(headgate, 'tiny')).key
  url = `${headgate.url}/eth-mainnet/v2/${key}`
  expect((await headgate.post(rpc('eth_gasPrice'), { key })).status).toBe(200)
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
})

/** Well above what each needs, and well below the minutes that some would wait. */
const AT_ONCE_MS = 10_000

const CLIENTS: [name: string, ask: () => Promise<unknown>][] = [
  ['ethers', () => new JsonRpcProvider(url, 1, { staticNetwork: true }).getBlockNumber()],
  ['ethers, which asks for the chain first,', asksForTheChainFirst],
  ['viem', () => createPublicClient({ transport: http(url) }).getBlockNumber()],
  [
    'viem, in batches',
    () => createPublicClient({ transport: http(url, { batch: true }) }).getGasPrice(),
  ],
  ['web3.js', () => new Web3(url).eth.getBlockNumber()],
]

for (const [name, ask] of CLIENTS) {
  test(
    `${name} fails at once, with the message, when the month is used up`,
    async () => {
      await expect(ask()).rejects.toThrow('Monthly capacity limit exceeded. Visit')
    },
    AT_ONCE_MS,
  )
}

test('ethers in a browser is told so too, and whoever says who they are is told no time', async () => {
  const ask = (headers: Record<string, string>) =>
    headgate.post(rpc('eth_gasPrice'), { key, headers })
  const { headers: toBrowser } = await ask({ origin: 'http://app.test' })
  expect(toBrowser.get('retry-after')).toBe('1')
  expect(toBrowser.get('access-control-expose-headers')).toContain('retry-after')
  const { headers: toOthers } = await ask({ 'user-agent': 'curl/8' })
  expect(toOthers.get('retry-after')).toBeNull()
})

/** As most are opened; it goes on looking for its network until it is destroyed. */
async function asksForTheChainFirst(): Promise<number> {
  const provider = new JsonRpcProvider(url)
  try {
    return await provider.getBlockNumber()
  } finally {
    provider.destroy()
  }
}

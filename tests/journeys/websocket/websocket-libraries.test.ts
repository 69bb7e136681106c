import { afterAll, beforeAll, expect, test } from 'bun:test'
import { WebSocketProvider } from 'ethers'
import { createPublicClient, webSocket } from 'viem'
import { mainnet } from 'viem/chains'
import { Web3 } from 'web3'
import { seededChance } from '../../support/basics/seeded-chance.ts'
import { type ChainView, openChainView } from '../../support/blocks/chain-view.ts'
import type { NodeJson } from '../../support/blocks/node-json.ts'
import { type SharedChain, startSharedChain } from '../../support/blocks/shared-chain.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

const SEEDS = (process.env.HEADGATE_TEST_SEEDS ?? '1').split(',').map(Number)
const STEPS = 5

/** A library's client: the logs it was told, the height it is at, and how it is ended. */
type Reader = {
  height(): number
  /** False for a library that keeps removals of logs to itself. */
  tellsRemovals: boolean
  end(): Promise<void> | void
}

let chain: SharedChain
let headgate: TestHeadgate
let address: string

beforeAll(async () => {
  chain = startSharedChain(SEEDS[0] ?? 1, ['a', 'b', 'c'])
  headgate = await startHeadgate({
    nodes: chain.nodes,
    // Upstreams that were broken are waited for.
    pace: 4,
    network: { blockTimeMs: 400, headPollMs: 400 },
  })
  address = `${headgate.url.replace('http', 'ws')}/eth-mainnet/v2/${headgate.appKey}`
})

afterAll(async () => {
  await headgate.stop()
  chain.stop()
})

const LIBRARIES: [name: string, open: (view: ChainView) => Promise<Reader>][] = [
  ['viem', openViem],
  ['ethers', openEthers],
  ['web3.js', openWeb3],
]

async function openViem(view: ChainView): Promise<Reader> {
  const client = createPublicClient({ chain: mainnet, transport: webSocket(address) })
  const { transport } = client
  await transport.subscribe({
    params: ['newHeads'],
    onData: ({ result }) => view.takeHead(result as NodeJson),
  })
  await transport.subscribe({
    params: ['logs', {}],
    onData: ({ result }) => view.takeLog(result as NodeJson),
  })
  const height = () => Number(view.heads.at(-1)?.number)
  return { height, tellsRemovals: true, end: async () => (await transport.getRpcClient()).close() }
}

async function openEthers(view: ChainView): Promise<Reader> {
  const provider = new WebSocketProvider(address)
  let last = 0
  await provider.on('block', (number: number) => {
    last = number
  })
  await provider.on({ topics: [] }, ({ blockHash, index, removed }) =>
    view.takeLog({ blockHash, logIndex: index, removed }),
  )
  await provider.getBlockNumber()
  return { height: () => last, tellsRemovals: false, end: () => provider.destroy() }
}

async function openWeb3(view: ChainView): Promise<Reader> {
  const web3 = new Web3(address)
  const heads = await web3.eth.subscribe('newBlockHeaders')
  heads.on('data', (head) => view.takeHead(head as unknown as NodeJson))
  const logs = await web3.eth.subscribe('logs', {})
  const take = (log: unknown) => view.takeLog(log as NodeJson)
  logs.on('data', take)
  const end = async () => {
    await web3.eth.clearSubscriptions()
    web3.provider?.disconnect()
  }
  return { height: () => Number(view.heads.at(-1)?.number), tellsRemovals: true, end }
}

const places = (logs: Iterable<NodeJson>) =>
  [...logs].map(({ blockHash, logIndex }) => `${blockHash} ${Number(logIndex)}`).toSorted()

test.each(SEEDS.flatMap((seed) => LIBRARIES.map(([name, open]) => ({ name, open, seed }))))(
  '$name has the logs of the canonical chain, whatever upstreams and the chain do (seed $seed)',
  async ({ open, seed }) => {
    const chance = seededChance(seed)
    const view = openChainView(new Set(chain.blocks.map(({ hash }) => hash)))
    const reader = await open(view)
    const subscribed = () => headgate.running.drivers.telemetry.exposition()
    await until(() => /^headgate_subscriptions 2$/m.test(subscribed()), 'both are subscribed')
    const first = Number(chain.tip().number) + 1
    chain.mine(4)
    const isAtTip = () => reader.height() === Number(chain.tip().number)
    await until(isAtTip, 'the first blocks are there')
    for (let step = 0; step < STEPS; step++) {
      const broken = chance.between(0, 2)
      chain.break(broken, chance.pick(['hang', 'down', 'behind', null]))
      if (chance.fraction() < 0.4) chain.reorganise(chance.between(1, 3))
      else chain.mine(chance.between(1, 3))
      await until(isAtTip, `step ${step} is followed`)
      chain.break(broken, null)
    }
    const wanted = places(chain.logsFrom(first))
    const canonical = new Set(chain.blocks.map(({ hash }) => hash))
    const isKept = ({ blockHash }: NodeJson) => reader.tellsRemovals || canonical.has(blockHash)
    const got = () => places([...view.logs.values()].filter(isKept))
    await until(() => got().join() === wanted.join(), 'exactly its logs are there')
    expect(view.faults).toEqual([])
    await reader.end()
    await until(() => /^headgate_subscriptions 0$/m.test(subscribed()), 'its socket is closed')
  },
)

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { seededChance } from '../../support/basics/seeded-chance.ts'
import { type ChainView, openChainView } from '../../support/blocks/chain-view.ts'
import type { NodeJson } from '../../support/blocks/node-json.ts'
import { type SharedChain, startSharedChain } from '../../support/blocks/shared-chain.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { openWsClient } from '../../support/product/ws-client.ts'

/** One run of them is a minute of a chain's life; CI and a search may set others. */
const SEEDS = (process.env.HEADGATE_TEST_SEEDS ?? '1,2').split(',').map(Number)
const STEPS = 10

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`
const ZERO_WORD = `0x${'0'.repeat(64)}`

const FILTERS: [name: string, filter: unknown, matches: (log: NodeJson) => boolean][] = [
  ['all', {}, () => true],
  ['an address', { address: ZERO_ADDRESS }, ({ address }) => same(address, ZERO_ADDRESS)],
  ['a topic', { topics: [ZERO_WORD] }, ({ topics }) => same(topics[0], ZERO_WORD)],
  [
    'a second topic',
    { topics: [null, [ZERO_WORD, `0x${'1'.repeat(64)}`]] },
    ({ topics }) => same(topics[1], ZERO_WORD),
  ],
]

const same = (one: string | undefined, other: string) => one?.toLowerCase() === other

let chain: SharedChain
let headgate: TestHeadgate

beforeAll(async () => {
  chain = startSharedChain(SEEDS[0] ?? 1, ['a', 'b', 'c'])
  const network = { blockTimeMs: 400, headPollMs: 100 }
  headgate = await startHeadgate({ nodes: chain.nodes, network })
})

afterAll(async () => {
  await headgate.stop()
  chain.stop()
})

/** A client that puts the chain together, with one subscription of logs for each filter. */
async function openFollower() {
  const client = await openWsClient(`${headgate.url}/eth-mainnet/v2/${headgate.appKey}`)
  const before = new Set(chain.blocks.map(({ hash }) => hash))
  const view = openChainView()
  const heads = (await client.call('eth_subscribe', ['newHeads'])).result
  const logs: { view: ChainView; id: string; matches(log: NodeJson): boolean }[] = []
  for (const [, filter, matches] of FILTERS) {
    const { result: id } = await client.call('eth_subscribe', ['logs', filter])
    logs.push({ view: openChainView(before), id, matches })
  }
  let read = 0
  const readAll = () => {
    for (const { method, params } of client.messages.slice(read)) {
      if (method !== 'eth_subscription') continue
      if (params.subscription === heads) view.takeHead(params.result)
      else logs.find(({ id }) => id === params.subscription)?.view.takeLog(params.result)
    }
    read = client.messages.length
  }
  const isAtTip = () => {
    readAll()
    return view.heads.at(-1)?.hash === chain.tip().hash
  }
  return { client, view, logs, isAtTip }
}

test.each(SEEDS)(
  'whatever upstreams and the chain do, a client has the canonical chain and its logs (seed %d)',
  async (seed) => {
    const chance = seededChance(seed)
    const { client, view, logs, isAtTip } = await openFollower()
    for (let step = 0; step < STEPS; step++) {
      const broken = chance.between(0, 2)
      chain.break(broken, chance.pick(['hang', 'down', 'behind', null]))
      if (chance.fraction() < 0.4)
        chain.reorganise(chance.between(1, Math.min(4, view.heads.length)))
      else chain.mine(chance.between(1, 3))
      if (chance.fraction() < 0.7) await until(isAtTip, `step ${step} is followed`)
      chain.break(broken, null)
    }
    chain.mine()
    await until(isAtTip, 'the client has the tip')

    expect(view.faults).toEqual([])
    const first = Number(view.heads[0]?.number)
    const expected = chain.blocks.filter(({ number }) => Number(number) >= first)
    expect(view.heads.map(({ hash }) => hash)).toEqual(expected.map(({ hash }) => hash))
    for (const { view: got, matches } of logs) {
      expect(got.faults).toEqual([])
      const wanted = chain.logsFrom(first).filter(matches)
      expect([...got.logs.values()].toSorted(byPlace)).toEqual(
        wanted.map(({ removed: _, ...log }) => log).toSorted(byPlace),
      )
    }
    await client.close()
  },
)

function byPlace(one: NodeJson, other: NodeJson): number {
  return (
    Number(one.blockNumber) - Number(other.blockNumber) ||
    Number(one.logIndex) - Number(other.logIndex)
  )
}

test('a reorganisation below what is final closes with 1012, and who comes back goes on', async () => {
  const own = startSharedChain(11, ['a'])
  const network = { blockTimeMs: 400, headPollMs: 100, finalityDepth: 2 }
  const gate = await startHeadgate({ nodes: own.nodes, network })
  const client = await openWsClient(`${gate.url}/eth-mainnet/v2/${gate.appKey}`)
  await client.call('eth_subscribe', ['newHeads'])
  for (let blocks = 1; blocks <= 6; blocks++) {
    own.mine()
    await until(() => client.notifications().length === blocks, `block ${blocks} is told`)
  }
  own.reorganise(5)
  await until(() => client.closed !== null, 'the client is closed')
  expect(client.closed).toEqual({
    code: 1012,
    reason: 'The chain was reorganised deeper than is remembered; please connect again.',
  })
  const again = await openWsClient(`${gate.url}/eth-mainnet/v2/${gate.appKey}`)
  await again.call('eth_subscribe', ['newHeads'])
  own.mine()
  await until(() => again.notifications().at(-1)?.hash === own.tip().hash, 'the next one is told')
  await gate.stop()
  own.stop()
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Chance, seededChance } from '../../support/basics/seeded-chance.ts'
import {
  type LogChain,
  type LogNode,
  makeLogChain,
  startLogNode,
} from '../../support/blocks/log-chain.ts'
import type { NodeJson } from '../../support/blocks/node-json.ts'
import { evmNetwork, networksEnv } from '../../support/nodes/networks.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

const LENGTH = 900
const ALL = { fromBlock: '0x0', toBlock: 'latest' }
const SEEDS = [1, 2, 3, 4, 5, 6]

const nodes = new Map<string, LogNode[]>()
let headgate: TestHeadgate

beforeAll(async () => {
  const chainOf = (seed: number, logsMax = 2) => makeLogChain(seed, LENGTH, logsMax)
  begin('REORGANISED', chainOf(21), { blocks: 12 })
  begin('EMPTIED', chainOf(21), { blocks: 12 })
  begin('FORKED', chainOf(26), { blocks: 12 })
  const sibling = chainOf(26)
  sibling.reorganise(30)
  of('FORKED').push(startLogNode('node-1', sibling, { blocks: 12 }))
  begin('DYING', chainOf(22), { blocks: 50 }, { blocks: 50 })
  begin('BEHIND', chainOf(23), { blocks: 2000 }, { blocks: 2000, omits: isNew })
  // The other one is asked first.
  for (const node of of('BEHIND').slice(0, 1)) node.misbehave = () => Bun.sleep(4).then(() => null)
  begin('NEWEST', chainOf(27), {}, {})
  begin('LARGE', makeLogChain(24, LENGTH, 6), { blocks: 50 })
  begin('BROKEN', makeLogChain(25, LENGTH, 6), { blocks: 50 })
  for (const seed of SEEDS) begin(`RANDOM_${seed}`, chainOf(seed), ...randomLimits(seed))
  const networks = [...nodes].map(([id, own]) => evmNetwork(id, own))
  headgate = await startHeadgate({ env: networksEnv(...networks) })
})

afterAll(async () => {
  await headgate.stop()
  for (const own of nodes.values()) for (const node of own) node.stop()
})

/** Answers early with nothing about the last blocks. */
function isNew(log: NodeJson): boolean {
  return Number(log.blockNumber) > LENGTH - 8
}

function begin(id: string, chain: LogChain, ...limits: LogNode['limits'][]): void {
  nodes.set(
    id,
    limits.map((own, at) => startLogNode(`node-${at}`, chain, own)),
  )
}

function randomLimits(seed: number): LogNode['limits'][] {
  const chance = seededChance(seed * 1000)
  const one = () => ({
    ...(chance.fraction() < 0.7 ? { blocks: chance.between(3, 400) } : {}),
    ...(chance.fraction() < 0.5 ? { count: chance.between(20, 200) } : {}),
    ...(chance.fraction() < 0.3 ? { bytes: chance.between(20_000, 80_000) } : {}),
  })
  // A whole answer of one node with some logs is believed; in pieces it is compared.
  const blocks = chance.between(3, 90)
  const short = { ...one(), blocks, omits: (_log: NodeJson, at: number) => at % 2 === 0 }
  return [one(), chance.fraction() < 0.5 ? short : one()]
}

function of(id: string): LogNode[] {
  return nodes.get(id) ?? []
}

function getLogs(id: string, filter: NodeJson) {
  const slug = id.toLowerCase().replaceAll('_', '-')
  return headgate.post(rpc('eth_getLogs', [filter]), { slug })
}

describe('eth_getLogs in pieces', () => {
  test.each([
    ['others', 'REORGANISED', 2],
    ['empty ones', 'EMPTIED', 0],
  ])('never mixes two chains when blocks are replaced by %s meanwhile', async (_by, id, most) => {
    const [node] = of(id)
    if (!node) throw new Error('a node was started')
    let replaced = 0
    node.misbehave = (method, body) => {
      const [filter] = JSON.parse(body).params ?? []
      const isLate = method === 'eth_getLogs' && Number(filter.fromBlock) > LENGTH - 20
      if (isLate && replaced < 2) {
        replaced++
        node.chain.reorganise(35, most)
      }
      return null
    }
    const { json } = await getLogs(id, ALL)
    expect(replaced).toBe(2)
    expect(json.result).toEqual(node.chain.logsOf(ALL))
  })

  test('never mixes the chains of two nodes', async () => {
    const [one, other] = of('FORKED').map(({ chain }) => JSON.stringify(chain.logsOf(ALL)))
    expect(one).not.toBe(other)
    const { json } = await getLogs('FORKED', ALL)
    expect([one, other]).toContain(JSON.stringify(json.result))
  })

  test('goes on with the other node when one dies, and asks again only for what failed', async () => {
    const [dying, staying] = of('DYING')
    if (!dying || !staying) throw new Error('two nodes were started')
    dying.misbehave = (method) => {
      if (method === 'eth_getLogs' && dying.callsOf(method) > 3) dying.stop()
      return null
    }
    const { json } = await getLogs('DYING', ALL)
    expect(json.result).toEqual(staying.chain.logsOf(ALL))
    const ranges = staying.calls
      .filter(({ method }) => method === 'eth_getLogs')
      .map(({ params }) => JSON.stringify(params))
    expect(new Set(ranges).size).toBe(ranges.length)
  })

  test('a node that has no logs of the newest blocks yet is not believed', async () => {
    const [honest] = of('BEHIND')
    const filters = [2, 3, 4, 5, 6, 7, 8].flatMap((back) => {
      const fromBlock = `0x${(LENGTH - back).toString(16)}`
      return [{ fromBlock }, { fromBlock, toBlock: fromBlock }]
    })
    // All at once, so that both nodes are asked.
    const answers = await Promise.all(filters.map((filter) => getLogs('BEHIND', filter)))
    expect(answers.map(({ json }) => json.result)).toEqual(
      filters.map((filter) => honest?.chain.logsOf(filter)),
    )
    const line = '"logs_left_out","network":"BEHIND","upstream":"node-1"'
    await until(() => headgate.logText().includes(line), 'the log names the node')
  })
})

test('a batch may have more large answers than are made at once', async () => {
  const [node] = of('DYING')
  const filters = ['0x1', '0x2', '0x3', '0x4', '0x5', '0x6'].map((fromBlock) => ({ fromBlock }))
  const calls = filters.map((filter, id) => rpc('eth_getLogs', [filter], id))
  const { json } = await headgate.post(calls, { slug: 'dying' })
  expect(json.map((answer: NodeJson) => answer.result)).toEqual(
    filters.map((filter) => node?.chain.logsOf(filter)),
  )
})

describe('a large answer', () => {
  test('stops being read from nodes when its client has left', async () => {
    const [node] = of('LARGE')
    if (!node) throw new Error('a node was started')
    const gate = Promise.withResolvers<void>()
    let held = 0
    node.misbehave = async (method) => {
      if (method !== 'eth_getLogs' || node.callsOf(method) < 14) return null
      held++
      await gate.promise
      return null
    }
    const leaving = new AbortController()
    const url = `${headgate.url}/large/v2/${headgate.appKey}`
    const body = JSON.stringify(rpc('eth_getLogs', [ALL]))
    const headers = { 'accept-encoding': 'identity' }
    const response = await fetch(url, { method: 'POST', headers, body, signal: leaving.signal })
    const read = response.arrayBuffer().catch(() => null)
    await until(() => held >= 4, 'four pieces are under way')
    leaving.abort()
    // Requests that are answered after it show that the service has heard of it.
    for (let later = 0; later < 3; later++) await inFlight()
    const asked = node.callsOf('eth_getLogs')
    gate.resolve()
    await until(async () => (await inFlight()) === 0, 'none is under way')
    expect(await read).toBeNull()
    expect(node.callsOf('eth_getLogs')).toBe(asked)
  })

  test('breaks off when a piece fails for good, and never looks whole', async () => {
    const [node] = of('BROKEN')
    if (!node) throw new Error('a node was started')
    node.misbehave = (method, body) => {
      const [filter] = JSON.parse(body).params ?? []
      const isLast = method === 'eth_getLogs' && Number(filter.fromBlock) > 800
      return isLast ? new Response('gone', { status: 502 }) : null
    }
    await expect(getLogs('BROKEN', ALL)).rejects.toThrow()
  })
})

async function inFlight(): Promise<number> {
  const text = await (await fetch(`${headgate.url}/metrics`)).text()
  return Number(/headgate_upstream_in_flight\{network="LARGE"[^}]*\} (\d+)/.exec(text)?.[1] ?? 1)
}

describe('over nodes with random limits the answer is the truth', () => {
  test.each(SEEDS)('seed %d', async (seed) => {
    const chance = seededChance(seed)
    const [node] = of(`RANDOM_${seed}`)
    if (!node) throw new Error('a node was started')
    for (let round = 0; round < 4; round++) {
      const filter = randomFilter(chance, node.chain)
      const { json } = await getLogs(`RANDOM_${seed}`, filter)
      expect(json.error).toBeUndefined()
      expect(json.result).toEqual(node.chain.logsOf(filter))
    }
  })
})

function randomFilter(chance: Chance, { addresses, topics }: LogChain): NodeJson {
  const some = (keys: readonly string[]) => keys.filter(() => chance.fraction() < 0.5)
  const from = chance.between(0, LENGTH - 100)
  const address = chance.pick([undefined, chance.pick(addresses), some(addresses)])
  const position = () => chance.pick<unknown>([null, chance.pick(topics), some(topics)])
  const positions = Array.from({ length: chance.between(0, 2) }, position)
  return {
    fromBlock: `0x${from.toString(16)}`,
    toBlock: chance.pick(['latest', 'finalized', `0x${(from + 99).toString(16)}`]),
    ...(address === undefined || address.length === 0 ? {} : { address }),
    topics: positions.map((keys) => (Array.isArray(keys) && keys.length === 0 ? null : keys)),
  }
}

test('many calls about the newest blocks read each header once', async () => {
  const [node, other] = of('NEWEST')
  if (!node || !other) throw new Error('two nodes were started')
  const { addresses } = node.chain
  const fromBlock = `0x${(LENGTH - 10).toString(16)}`
  const filters = addresses.map((address) => ({ fromBlock, address }))
  const answers = await Promise.all(filters.map((filter) => getLogs('NEWEST', filter)))
  expect(answers.map(({ json }) => json.result)).toEqual(filters.map(node.chain.logsOf))
  const heights = [...node.calls, ...other.calls]
    .filter(({ method, params }) => method === 'eth_getBlockByNumber' && params[0] !== 'latest')
    .map(({ params }) => String(params[0]))
    .filter((height) => height.startsWith('0x'))
  expect(heights.length).toBeGreaterThan(0)
  expect(new Set(heights).size).toBe(heights.length)
})

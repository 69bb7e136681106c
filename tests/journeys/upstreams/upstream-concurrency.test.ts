import { expect, test } from 'bun:test'
import { hang, startFakeNode } from '../../support/nodes/fake-node.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

const PLACES = 8
const CALLS = 1000

/** Compressed, answers that repeat themselves would be read before anybody reads them. */
const PLAIN = { 'accept-encoding': 'identity' }

test('a batch of a thousand heavy calls is answered whole by a node that takes eight at once', async () => {
  const node = startFakeNode()
  const headgate = await startHeadgate({ nodes: [node], upstreams: [{ concurrencyMax: PLACES }] })
  let running = 0
  let most = 0
  node.misbehave = async (method) => {
    if (method !== 'eth_getLogs') return null
    running++
    most = Math.max(most, running)
    await Bun.sleep(1)
    running--
    return null
  }
  node.answers.eth_getLogs = ([filter]: unknown[]) => [filter]
  const filters = Array.from({ length: CALLS }, (_, at) => ({ fromBlock: `0x${at.toString(16)}` }))

  const { json } = await headgate.post(
    filters.map((filter, at) => rpc('eth_getLogs', [filter], at)),
  )
  expect(json).toEqual(filters.map((filter, id) => ({ jsonrpc: '2.0', id, result: [filter] })))
  expect(most).toBeLessThanOrEqual(PLACES)

  await headgate.stop()
  node.stop()
})

test('when a full node dies, the other one answers all its calls, however busy it is', async () => {
  const nodes = [startFakeNode('dying'), startFakeNode('staying')]
  const [dying, staying] = nodes
  if (!dying || !staying) throw new Error('two nodes were started')
  const places = { concurrencyMax: PLACES }
  const headgate = await startHeadgate({ nodes, upstreams: [places, places] })
  const release = Promise.withResolvers<void>()
  for (const node of nodes) {
    node.answers.eth_getLogs = ([filter]: unknown[]) => [filter]
    node.misbehave = async (method) => {
      if (method !== 'eth_getLogs') return null
      if (node === dying) return hang()
      await release.promise
      return null
    }
  }
  const filters = Array.from({ length: PLACES * 2 }, (_, at) => ({ fromBlock: `0x${at}` }))
  const asked = filters.map((filter, id) => headgate.post(rpc('eth_getLogs', [filter], id)))
  const full = () => nodes.every((node) => node.callsOf('eth_getLogs') === PLACES)
  await until(full, 'both nodes have their hands full')
  dying.stop()
  await until(() => dead(headgate), 'the first node is found dead')
  release.resolve()

  const answers = await Promise.all(asked)
  expect(answers.map(({ json }) => json.result)).toEqual(filters.map((filter) => [filter]))

  await headgate.stop()
  staying.stop()
})

test('clients who do not read their big answers shut nobody out from small ones', async () => {
  const node = startFakeNode()
  const headgate = await startHeadgate({ nodes: [node], upstreams: [{ concurrencyMax: 2 }] })
  node.answers.eth_getLogs = () => ['ab'.repeat(8_000_000)]
  const url = `${headgate.url}/eth-mainnet/v2/${headgate.appKey}`
  const slow = await Promise.all(
    ['0x1', '0x2'].map((fromBlock) =>
      fetch(url, {
        method: 'POST',
        headers: PLAIN,
        body: JSON.stringify(rpc('eth_getLogs', [{ fromBlock }])),
      }),
    ),
  )
  const inFlight = async () =>
    (await headgate.api('GET', '/api/networks')).json.data[0].upstreams[0].in_flight
  // A look at the node's health may be in flight beside them.
  expect(await inFlight()).toBeGreaterThanOrEqual(2)

  const { json } = await headgate.post(rpc('eth_getBalance', ['0x00', 'latest']))
  expect(json.result).toBe('0x1')

  await Promise.all(slow.map((response) => response.body?.cancel()))
  await headgate.stop()
  node.stop()
})

test('an app that does not read its big answers leaves places to others, for big ones too', async () => {
  const node = startFakeNode()
  const headgate = await startHeadgate({ nodes: [node], upstreams: [{ concurrencyMax: 4 }] })
  node.answers.eth_getLogs = () => ['ab'.repeat(8_000_000)]
  const made = await headgate.api('POST', '/api/apps', { name: 'two', networks: ['ETH_MAINNET'] })
  let block = 0
  const ask = (key: string) => {
    const body = JSON.stringify(rpc('eth_getLogs', [{ fromBlock: `0x${(++block).toString(16)}` }]))
    return fetch(`${headgate.url}/eth-mainnet/v2/${key}`, { method: 'POST', body, headers: PLAIN })
  }
  // More than it may have: the rest waits, and stands in nobody's way.
  const slow = Array.from({ length: 12 }, () => ask(headgate.appKey))
  await until(() => node.callsOf('eth_getLogs') === 4, 'it has all that it may have')

  const other = await ask(made.json.data.key)
  expect(((await other.json()) as { result: string[] }).result[0]).toHaveLength(16_000_000)
  expect((await headgate.post(rpc('eth_getBalance', ['0x00', 'latest']))).json.result).toBe('0x1')
  expect(node.callsOf('eth_getLogs')).toBe(5)

  // As soon as it reads, what waited gets its turn.
  const read = async (asked: Promise<Response>) => (await (await asked).text()).length
  const lengths = await Promise.all(slow.map(read))
  expect(lengths.every((length) => length > 16_000_000)).toBe(true)
  await headgate.stop()
  node.stop()
}, 180_000)

async function dead(headgate: TestHeadgate): Promise<boolean> {
  const { json } = await headgate.api('GET', '/api/networks')
  const { in_flight, last_fault } = json.data[0].upstreams[0]
  return in_flight === 0 && last_fault !== null
}

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { hashOf, NodeError, startFakeNode } from '../../support/nodes/fake-node.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

const node = startFakeNode('node-a')
let gate: TestHeadgate
let asked = 0

const hex = (height: number) => `0x${height.toString(16)}`
/** Each test asks for an address of its own, so that none finds what another left. */
const freshAddress = () => `0x${(++asked).toString(16).padStart(40, '0')}`
const freshHash = () => `0x${(++asked).toString(16).padStart(64, '0')}`

beforeAll(async () => {
  Object.assign(node.answers, {
    eth_getBalance: () => `0x1${node.head.hash.slice(2, 8)}`,
    eth_getBlockByHash: ([hash]: [string]) => ({ hash, number: hex(5) }),
    eth_getLogs: () => [{ blockNumber: hex(1) }],
    eth_getTransactionReceipt: () => ({ blockNumber: hex(800), status: '0x1' }),
    eth_sendRawTransaction: hashOf(1),
    eth_call: '0x',
  })
  gate = await startHeadgate({
    nodes: [node],
    // Long, so that only heads decide and no test depends on how fast it runs.
    env: { HEADGATE_CACHE_LATEST_MAX_AGE_MS: '60000' },
  })
})

beforeEach(() => headKnown())

afterAll(async () => {
  await gate.stop()
  node.stop()
})

describe('an answer that is kept', () => {
  test('is a miss, then a hit with the same bytes, price and source', async () => {
    const balance = rpc('eth_getBalance', [freshAddress(), 'latest'])
    const first = await gate.post(balance)
    const second = await gate.post(balance)
    expect(words([first, second])).toEqual(['miss', 'hit'])
    expect(second.text).toBe(first.text)
    for (const name of ['x-headgate-cu', 'x-headgate-upstream']) {
      expect(second.headers.get(name)).toBe(first.headers.get(name))
    }
  })

  test('is given under the id of whoever asks', async () => {
    const params = [freshAddress(), 'latest']
    await gate.post(rpc('eth_getBalance', params, 1))
    const { json } = await gate.post(rpc('eth_getBalance', params, 'mine'))
    expect(json.id).toBe('mine')
  })

  test('is not given to a call with other parameters', async () => {
    const address = freshAddress()
    await gate.post(rpc('eth_getBalance', [address, 'latest']))
    expect(await word('eth_getBalance', [address, hex(1000)])).toBe('miss')
    expect(await word('eth_getBalance', [address])).toBe('miss')
  })

  test('makes its batch a hit when all members are', async () => {
    const batch = [rpc('eth_getBalance', [freshAddress(), 'latest']), rpc('eth_chainId')]
    expect((await gate.post(batch)).headers.get('x-headgate-cache')).toBe('miss')
    expect((await gate.post(batch)).headers.get('x-headgate-cache')).toBe('hit')
  })
})

describe('what is read at the head', () => {
  test('misses after a new head', async () => {
    const params = [freshAddress(), 'latest']
    const before = await twice('eth_getBalance', params)
    node.mine()
    await headKnown()
    const after = await twice('eth_getBalance', params)
    expect([...before, ...after]).toEqual(['miss', 'hit', 'miss', 'hit'])
  })

  test('misses after a reorganisation, at the same height', async () => {
    const params = [freshAddress(), 'latest']
    const first = await gate.post(rpc('eth_getBalance', params))
    const { number } = node.head
    node.head = { number, hash: hashOf(number, 'cc'), timestampMs: Date.now() }
    await headKnown()
    const second = await gate.post(rpc('eth_getBalance', params))
    expect(words([second])).toEqual(['miss'])
    expect(second.json.result).not.toBe(first.json.result)
  })

  test('misses after a chain went back', async () => {
    const params = [freshAddress(), 'latest']
    await twice('eth_getBalance', params)
    const number = node.head.number - 1
    node.head = { number, hash: hashOf(number, 'dd'), timestampMs: Date.now() }
    await headKnown()
    expect(await word('eth_getBalance', params)).toBe('miss')
  })

  test('misses after a write of our own, though the head stands still', async () => {
    const params = [freshAddress(), 'latest']
    expect(await twice('eth_getBalance', params)).toEqual(['miss', 'hit'])
    await gate.post(rpc('eth_sendRawTransaction', ['0x01']))
    expect(await word('eth_getBalance', params)).toBe('miss')
  })

  test.each([
    ['a receipt', 'eth_getTransactionReceipt', () => ({ blockNumber: hex(node.head.number + 1) })],
    ['a block', 'eth_getBlockByHash', () => ({ number: hex(node.head.number + 1) })],
    ['a number', 'eth_blockNumber', () => hex(node.head.number + 1)],
  ])('is not shown to whoever saw %s of a newer block', async (_what, method, answer) => {
    const usual = node.answers[method]
    const params = [freshAddress(), 'latest']
    await until(async () => (await word('eth_getBalance', params)) === 'hit', 'it is kept')
    node.answers[method] = answer
    await gate.post(rpc(method, method === 'eth_blockNumber' ? [] : [freshHash()]))
    expect(await twice('eth_getBalance', params)).toEqual(['miss', 'miss'])
    if (usual === undefined) delete node.answers[method]
    else node.answers[method] = usual
    node.mine()
    await headKnown()
    expect(await twice('eth_getBalance', params)).toEqual(['miss', 'hit'])
  })

  test.each([
    ['eth_getBalance', ['pending']],
    ['eth_getTransactionCount', ['pending']],
    ['eth_syncing', []],
    ['eth_accounts', []],
  ])('is never kept where it may change at any time: %s', async (method, block) => {
    node.answers[method] ??= '0x0'
    const params = block.length === 0 ? [] : [freshAddress(), ...block]
    expect(await twice(method, params)).toEqual(['miss', 'miss'])
  })
})

describe('what never changes', () => {
  test.each([
    ['the chain id', 'eth_chainId', () => []],
    ['a block by its hash', 'eth_getBlockByHash', () => [freshHash(), true]],
    ['a balance at a final height', 'eth_getBalance', () => [freshAddress(), hex(900)]],
    ['a balance at a block by hash', 'eth_getBalance', () => [freshAddress(), freshHash()]],
    ['a call at a final height', 'eth_call', () => [{ to: freshAddress() }, hex(1)]],
    ['a receipt of a final block', 'eth_getTransactionReceipt', () => [freshHash()]],
    ['logs of final blocks', 'eth_getLogs', () => [logRange(1, 900)]],
  ])('is kept across heads: %s', async (_what, method, paramsOf) => {
    const params = paramsOf()
    await word(method, params)
    node.mine()
    await headKnown()
    expect(await word(method, params)).toBe('hit')
  })

  test.each([
    ['a balance at a height that is not final', 'eth_getBalance', () => [freshAddress(), hex(901)]],
    ['logs that reach beyond what is final', 'eth_getLogs', () => [logRange(1, 901)]],
    ['the newest block', 'eth_getBlockByNumber', () => ['latest', asked++ % 2 === 0]],
  ])('is not mistaken for what may: %s', async (_what, method, paramsOf) => {
    const params = paramsOf()
    expect((await twice(method, params))[1]).toBe('hit')
    node.mine()
    await headKnown()
    expect(await word(method, params)).toBe('miss')
  })
})

describe('what a node that is still indexing would say too', () => {
  test.each([
    ['no block', 'eth_getBlockByHash', null, () => [freshHash(), false]],
    ['no logs', 'eth_getLogs', [], () => [logRange(1, 900)]],
    ['no logs of a block', 'eth_getLogs', [], () => [{ blockHash: freshHash() }]],
    ['no receipt', 'eth_getTransactionReceipt', null, () => [freshHash()]],
    [
      'a transaction that waits',
      'eth_getTransactionByHash',
      { blockNumber: null },
      () => [freshHash()],
    ],
  ])('is not kept: %s', async (_what, method, answer, paramsOf) => {
    const usual = node.answers[method]
    const params = paramsOf()
    node.answers[method] = answer
    expect(await twice(method, params)).toEqual(['miss', 'miss'])
    node.answers[method] = usual
  })

  test('nor is an error', async () => {
    const usual = node.answers.eth_getBalance
    node.answers.eth_getBalance = () => {
      throw new NodeError(-32000, 'filter not found')
    }
    const params = [freshAddress(), 'latest']
    expect(await twice('eth_getBalance', params)).toEqual(['miss', 'miss'])
    node.answers.eth_getBalance = usual
    expect(await word('eth_getBalance', params)).toBe('miss')
  })
})

async function word(method: string, params: unknown[]): Promise<string | null> {
  const { status, headers } = await gate.post(rpc(method, params))
  expect(status).toBe(200)
  return headers.get('x-headgate-cache')
}

async function twice(method: string, params: unknown[]) {
  return [await word(method, params), await word(method, params)]
}

function words(answers: readonly { headers: Headers }[]) {
  return answers.map(({ headers }) => headers.get('x-headgate-cache'))
}

/** Logs of an address that nobody asked for yet. */
function logRange(from: number, to: number) {
  return { address: freshAddress(), fromBlock: hex(from), toBlock: hex(to) }
}

/** The gateway has heard of the head the node has now. */
async function headKnown(): Promise<void> {
  const known = () => gate.running.networks.list()[0]?.pool.selection.head?.hash === node.head.hash
  await until(known, 'the head is known')
}

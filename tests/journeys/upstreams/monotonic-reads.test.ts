import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

/** So long between polls that nearly always only what clients are shown tells of a new block. */
const HEAD_POLL_MS = 1000

const node = startFakeNode('node-a')
let headgate: TestHeadgate

const quantity = (height: number) => `0x${height.toString(16)}`
const here = () => ({ blockNumber: quantity(node.head.number), blockHash: node.head.hash })

beforeAll(async () => {
  Object.assign(node.answers, {
    // The balance tells the height it was read at.
    eth_getBalance: () => quantity(node.head.number),
    eth_getTransactionReceipt: here,
    eth_getTransactionByHash: here,
    eth_getLogs: () => [here()],
    eth_newFilter: '0x1',
    eth_getFilterChanges: () => [here()],
    eth_getFilterLogs: () => [here()],
    eth_newBlockFilter: '0x2',
  })
  headgate = await startHeadgate({ nodes: [node], network: { headPollMs: HEAD_POLL_MS } })
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
})

async function ask(method: string, params: unknown[] = []) {
  return (await headgate.post(rpc(method, params))).json.result
}

/** Awaits that the balance is answered from memory. */
async function balanceIsKept(): Promise<void> {
  const kept = async () => {
    const { headers } = await headgate.post(rpc('eth_getBalance', ['0x00', 'latest']))
    return headers.get('x-headgate-cache') === 'hit'
  }
  await until(kept, 'the balance is kept')
}

const HASH = `0x${'ab'.repeat(32)}`

const SHOWN: [what: string, method: string, params: unknown[]][] = [
  ['the number of the newest block', 'eth_blockNumber', []],
  ['the newest block', 'eth_getBlockByNumber', ['latest', false]],
  ['a receipt', 'eth_getTransactionReceipt', [HASH]],
  ['a transaction', 'eth_getTransactionByHash', [HASH]],
  ['a log', 'eth_getLogs', [{ fromBlock: 'latest' }]],
]

test.each(SHOWN)('whoever was shown %s reads no older state', async (_what, method, params) => {
  await balanceIsKept()
  node.mine()
  await ask(method, params)
  expect(await ask('eth_getBalance', ['0x00', 'latest'])).toBe(quantity(node.head.number))
})

test.each(['eth_getFilterChanges', 'eth_getFilterLogs'])(
  'whoever was shown a log by %s reads no older state',
  async (method) => {
    const filter = await ask('eth_newFilter', [{}])
    await balanceIsKept()
    node.mine()
    await ask(method, [filter])
    expect(await ask('eth_getBalance', ['0x00', 'latest'])).toBe(quantity(node.head.number))
  },
)

test('whoever was shown a new block by a filter reads no older state', async () => {
  node.answers.eth_getFilterChanges = () => [node.head.hash]
  const filter = await ask('eth_newBlockFilter', [])
  await balanceIsKept()
  node.mine()
  await ask('eth_getFilterChanges', [filter])
  expect(await ask('eth_getBalance', ['0x00', 'latest'])).toBe(quantity(node.head.number))
})

test('a transaction sent through us ends what was kept before it', async () => {
  let balance = '0x1'
  node.answers.eth_getBalance = () => balance
  node.answers.eth_sendRawTransaction = () => {
    balance = '0x2'
    return HASH
  }
  node.mine()
  await ask('eth_getBalance', ['0x00', 'pending'])
  await balanceIsKept()
  await ask('eth_sendRawTransaction', ['0x02'])
  expect(await ask('eth_getBalance', ['0x00', 'latest'])).toBe('0x2')
  expect(await ask('eth_getBalance', ['0x00', 'pending'])).toBe('0x2')
})

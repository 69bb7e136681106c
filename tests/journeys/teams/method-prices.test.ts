// Runs on both stores.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { NodeError, startFakeNode } from '../../support/nodes/fake-node.ts'
import { evmNetwork, networksEnv, solanaNetwork } from '../../support/nodes/networks.ts'
import { rpc, startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'
import { expectRpcAnswer } from '../../support/product/rpc-answer.ts'
import { newTeam } from '../../support/product/teams.ts'

/** Section 3 of the contract: what a call costs on the bill. */
const EVM_PRICES: [method: string, cu: string][] = [
  ['eth_chainId', '0'],
  ['net_version', '0'],
  ['eth_syncing', '0'],
  ['net_listening', '0'],
  ['eth_blockNumber', '10'],
  ['eth_feeHistory', '10'],
  ['eth_maxPriorityFeePerGas', '10'],
  ['eth_blobBaseFee', '10'],
  ['eth_accounts', '10'],
  ['eth_gasPrice', '20'],
  ['eth_getBalance', '20'],
  ['eth_getCode', '20'],
  ['eth_getStorageAt', '20'],
  ['eth_getTransactionCount', '20'],
  ['eth_getTransactionByHash', '20'],
  ['eth_getTransactionReceipt', '20'],
  ['eth_getBlockByNumber', '20'],
  ['eth_getBlockByHash', '20'],
  ['eth_estimateGas', '20'],
  ['eth_getProof', '20'],
  ['eth_getBlockReceipts', '20'],
  ['eth_call', '26'],
  ['eth_sendRawTransaction', '40'],
  ['eth_getLogs', '60'],
  ['debug_traceTransaction', '40'],
  ['debug_traceBlockByNumber', '40'],
  ['debug_traceCall', '40'],
  ['trace_block', '40'],
  ['trace_filter', '40'],
  ['trace_transaction', '40'],
  ['trace_replayTransaction', '80'],
  ['trace_replayBlockTransactions', '80'],
  ['eth_somethingNew', '20'],
  ['bor_getAuthor', '20'],
]

/** A key, where a method looks for one. */
const PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

const SOLANA_PRICES: [method: string, cu: string][] = [
  ['getAccountInfo', '10'],
  ['getBalance', '10'],
  ['getTokenAccountsByOwner', '10'],
  ['getTransaction', '40'],
  ['getBlock', '40'],
  ['getSignaturesForAddress', '40'],
  ['getSupply', '160'],
  ['getLargestAccounts', '3000'],
  ['getProgramAccounts', '20'],
  ['getSlot', '20'],
  ['getLatestBlockhash', '20'],
  ['getMultipleAccounts', '20'],
  ['getSomethingNew', '20'],
]

/** The CU that the same calls count against the rate, where it is not their price. */
const THROUGHPUT: [network: string, method: string, cu: number][] = [
  ['eth-mainnet', 'eth_getBlockReceipts', 500],
  ['eth-mainnet', 'eth_sendRawTransaction', 250],
  ['eth-mainnet', 'debug_traceTransaction', 1000],
  ['eth-mainnet', 'trace_replayTransaction', 3000],
  ['eth-mainnet', 'trace_block', 40],
  ['eth-mainnet', 'eth_getLogs', 60],
  ['eth-mainnet', 'eth_call', 26],
  ['eth-mainnet', 'bor_getAuthor', 20],
  ['solana-mainnet', 'getLargestAccounts', 3000],
]

const BURST_SECONDS = 10

const evmNode = startFakeNode('node-a')
const solanaNode = startFakeNode('node-s')
let headgate: TestHeadgate

beforeAll(async () => {
  const networks = networksEnv(
    evmNetwork('ETH_MAINNET', [evmNode]),
    solanaNetwork('SOLANA_MAINNET', [solanaNode]),
  )
  headgate = await startHeadgate({
    env: {
      ...networks,
      HEADGATE_TIERS: JSON.stringify({ slow: { monthlyCu: null, cuPerSecond: 1, paid: true } }),
    },
  })
})

beforeEach(() => {
  for (const [method] of EVM_PRICES) evmNode.answers[method] ??= '0x0'
  for (const [method] of SOLANA_PRICES) solanaNode.answers[method] ??= 0
  solanaNode.answers.getProgramAccounts = []
  // Heads are asked for with these.
  for (const method of ['eth_chainId', 'eth_getBlockByNumber']) delete evmNode.answers[method]
  delete solanaNode.answers.getSlot
})

afterAll(async () => {
  await headgate.stop()
  evmNode.stop()
  solanaNode.stop()
})

async function priceOf(slug: string, method: string, params: unknown[] = []) {
  const answer = await headgate.post(rpc(method, params), { slug })
  expectRpcAnswer(answer)
  return { cu: answer.headers.get('x-headgate-cu'), answer }
}

describe('every listed method has its price', () => {
  test.each(EVM_PRICES)('%s costs %s CU', async (method, cu) => {
    const { answer, ...price } = await priceOf('eth-mainnet', method, ['0x1'])
    expect(answer.status).toBe(200)
    expect(price.cu).toBe(cu)
  })

  test.each(SOLANA_PRICES)('%s costs %s CU on Solana', async (method, cu) => {
    const { answer, ...price } = await priceOf('solana-mainnet', method, [PROGRAM])
    expect(answer.status).toBe(200)
    expect(price.cu).toBe(cu)
  })

  test.each([
    ['eth_gasPrice', '20'],
    ['eth_call', '26'],
    ['eth_chainId', '0'],
  ])('%s costs the same from the cache', async (method, cu) => {
    const params = method === 'eth_call' ? [{ data: '0xaa' }, '0x10'] : []
    await priceOf('eth-mainnet', method, params)
    const { answer, ...price } = await priceOf('eth-mainnet', method, params)
    expect(answer.headers.get('x-headgate-cache')).toBe('hit')
    expect(price.cu).toBe(cu)
  })

  test.each([
    ['an error of the node costs the price', 'eth_getLogs', -32000, '60'],
    ['a revert costs the price', 'eth_call', 3, '26'],
    ['a method unknown to the node costs nothing', 'eth_getLogs', -32601, '0'],
    ['an unlisted one neither', 'bor_getAuthor', -32601, '0'],
  ])('%s', async (_title, method, code, cu) => {
    evmNode.answers[method] = () => {
      throw new NodeError(code, 'no')
    }
    const { cu: paid } = await priceOf('eth-mainnet', method, [{ data: '0xbb' }, 'latest'])
    evmNode.answers[method] = undefined
    expect(paid).toBe(cu)
  })
})

describe('what counts against the rate', () => {
  test.each(THROUGHPUT)('%s %s counts %d CU', async (slug, method, cu) => {
    const owedCu = cu - BURST_SECONDS
    let waitS = 0
    // Tokens trickle in between the two calls, so a busy machine may have to measure again.
    for (let attempt = 0; attempt < 5 && waitS < owedCu; attempt++) {
      const { key } = await newTeam(headgate, 'slow')
      const first = await headgate.post(rpc(method, ['0x1']), { slug, key })
      const second = await headgate.post(rpc(method, ['0x2']), { slug, key })
      expect([first.status, second.status]).toEqual([200, 429])
      expect(second.headers.get('ratelimit-limit')).toBe(String(BURST_SECONDS))
      waitS = Number(second.headers.get('retry-after'))
    }
    // The first call's debt takes a second for each CU; the next call passes just after that.
    expect([owedCu, owedCu + 1]).toContain(waitS)
  })
})

describe('prices are configuration', () => {
  test('a price of one method, of a family, and for the rate alone', async () => {
    const other = await startHeadgate({
      nodes: [evmNode],
      env: {
        HEADGATE_PRICES: JSON.stringify({
          eth_call: { cu: 0.04 },
          eth_getBalance: { cu: 12.5, throughputCu: 1 },
          'debug_*': { cu: 7 },
          eth_somethingNew: { cu: 1.01 },
        }),
      },
    })
    const cuOf = async (method: string) =>
      (await other.post(rpc(method, ['0x1']))).headers.get('x-headgate-cu')
    expect(await cuOf('eth_call')).toBe('0.04')
    expect(await cuOf('eth_getBalance')).toBe('12.50')
    expect(await cuOf('debug_traceTransaction')).toBe('7')
    expect(await cuOf('eth_somethingNew')).toBe('1.01')
    expect(await cuOf('eth_getCode')).toBe('20')
    const { headers } = await other.post(Array(3).fill(rpc('eth_call', ['0x1'])))
    expect(headers.get('x-headgate-cu')).toBe('0.12')
    await other.stop()
  })
})

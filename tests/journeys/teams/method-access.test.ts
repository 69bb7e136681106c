// Runs on both stores.
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test'
import { NodeError, startFakeNode } from '../../support/nodes/fake-node.ts'
import { evmNetwork, networksEnv } from '../../support/nodes/networks.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

setDefaultTimeout(180_000)

const CONTROLS = [
  'admin_addPeer',
  'personal_listAccounts',
  'miner_start',
  'engine_newPayloadV4',
  'debug_setHead',
  'debug_startGoTrace',
  'debug_stopCPUProfile',
  'debug_writeBlockProfile',
  'clique_propose',
  'les_serverInfo',
  'evm_mine',
  'hardhat_setBalance',
  'anvil_setCode',
]

describe('on a real network', () => {
  const node = startFakeNode('node-a')
  let headgate: TestHeadgate

  beforeAll(async () => {
    headgate = await startHeadgate({
      env: {
        ...networksEnv(
          evmNetwork('ETH_MAINNET', [node]),
          evmNetwork('ETH_OWN', [node], {
            methods: { allow: ['admin_peers', 'evm_*'], deny: ['trace_*', 'eth_accounts'] },
          }),
          evmNetwork('ETH_LISTED', [node]),
        ),
        HEADGATE_NETWORKS_ETH_LISTED_METHODS_DENY: '*',
        HEADGATE_NETWORKS_ETH_LISTED_METHODS_ALLOW: 'eth_gasPrice,eth_get*',
        HEADGATE_ROLES: 'gateway,api',
        HEADGATE_DEMO_KEY: 'true',
      },
    })
  })

  beforeEach(() => {
    node.answers = {}
    for (const method of [...CONTROLS, 'admin_peers', 'trace_block']) node.answers[method] = 'done'
  })

  afterAll(async () => {
    await headgate.stop()
    node.stop()
  })

  test.each(CONTROLS)('%s, which controls a node, is not served', async (method) => {
    for (const key of [headgate.appKey, 'demo']) {
      const { status, json, headers } = await headgate.post(rpc(method, ['x'], 7), { key })
      expect(status).toBe(200)
      expect(json).toEqual({
        jsonrpc: '2.0',
        id: 7,
        error: { code: -32601, message: `${method} is not served here.` },
      })
      expect(headers.get('x-headgate-cu')).toBe('0')
      expect(headers.get('x-headgate-upstream')).toBe('none')
    }
    expect(node.callsOf(method)).toBe(0)
  })

  test('in a batch it is refused at its place, and the others are served', async () => {
    const calls = [rpc('eth_gasPrice', [], 1), rpc('admin_addPeer', [], 2), rpc('evm_mine', [], 3)]
    const { status, json, headers } = await headgate.post(calls)
    expect(status).toBe(200)
    expect(json[0].result).toBe('0x3b9aca00')
    expect(json.slice(1).map((one: { error: object }) => one.error)).toEqual([
      { code: -32601, message: 'admin_addPeer is not served here.' },
      { code: -32601, message: 'evm_mine is not served here.' },
    ])
    expect(headers.get('x-headgate-cu')).toBe('20')
    expect(node.callsOf('admin_addPeer') + node.callsOf('evm_mine')).toBe(0)
  })

  test.each([
    ['ETH_OWN', 'admin_peers', true],
    ['ETH_OWN', 'evm_mine', true],
    ['ETH_OWN', 'admin_addPeer', false],
    ['ETH_OWN', 'trace_block', false],
    ['ETH_OWN', 'eth_accounts', false],
    ['ETH_OWN', 'eth_gasPrice', true],
    ['ETH_LISTED', 'eth_gasPrice', true],
    ['ETH_LISTED', 'eth_getBalance', true],
    ['ETH_LISTED', 'eth_chainId', false],
    ['ETH_LISTED', 'made_up', false],
  ])('%s serves %s: %p, as it is configured', async (network, method, served) => {
    const slug = network.toLowerCase().replace('_', '-')
    const { json } = await headgate.post(rpc(method, ['0x00', 'latest']), { slug })
    const words = `${method} is not served here.`
    expect(json.error?.message === words).toBe(!served)
  })

  test('a name that is invented takes no place of others in ledger and metrics', async () => {
    const invent = (family: string) =>
      Array.from({ length: 300 }, (_, id) => rpc(`${family}invented${id}`, [], id))
    const unknown = () => {
      throw new NodeError(-32601, 'the method does not exist')
    }
    const odd = () => {
      throw new NodeError(-32600, 'unsupported method')
    }
    for (const [family, answer] of [
      ['made_', unknown],
      ['debug_', odd],
      ['web3_', odd],
    ] as const) {
      const calls = invent(family)
      for (const { method } of calls) node.answers[method] = answer
      await headgate.post(calls, { key: 'demo' })
      await headgate.post(calls)
    }
    const real = ['web3_clientVersion', 'debug_traceCall', 'trace_block', 'zks_L1ChainId']
    for (const method of real) {
      node.answers[method] = '0x1'
      await headgate.post(rpc(method))
    }
    const series = '/api/usage/time-series?bucket=month&group_by=method'
    const counted = async () => {
      const { text } = await headgate.api('GET', series)
      return real.every((method) => text.includes(`"${method}"`)) && !text.includes('invented')
    }
    await until(counted, 'each of them has a line of its own')
    const metrics = await (await fetch(`${headgate.url}/metrics`)).text()
    for (const method of real) expect(metrics).toContain(`method="${method}"`)
    expect(metrics).not.toContain('invented')
  })

  test('without being asked for, a configuration has no key `demo`', async () => {
    const closed = await startHeadgate({ nodes: [node] })
    const { status } = await closed.post(rpc('eth_gasPrice'), { key: 'demo' })
    expect(status).toBe(401)
    await closed.stop()
  })
})

describe('in local development', () => {
  let headgate: TestHeadgate

  beforeAll(async () => {
    headgate = await startHeadgate({ env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '600000' } })
  })

  afterAll(() => headgate.stop())

  test.each([
    ['eth-devnet', 'evm_mine', []],
    ['eth-devnet', 'evm_snapshot', []],
    ['eth-devnet', 'hardhat_setBalance', [`0x${'ab'.repeat(20)}`, '0x1']],
  ])('%s: %s works with a key of one’s own, and not with `demo`', async (slug, method, params) => {
    const shared = await headgate.post(rpc(method, params), { slug, key: 'demo' })
    expect(shared.status).toBe(200)
    expect(shared.json.error).toEqual({ code: -32601, message: `${method} is not served here.` })
    const own = await headgate.post(rpc(method, params), { slug })
    expect(own.json.error).toBeUndefined()
  })

  test.each([
    ['eth-devnet', 'admin_addPeer', []],
    ['eth-devnet', 'headgate_mine', [{ blocks: 1 }]],
    ['eth-devnet', 'headgate_state', []],
    ['eth-devnet', 'HEADGATE_mine', [{ blocks: 1 }]],
    ['solana-devnet', 'headgate_advanceSlots', [1]],
    ['solana-devnet', 'headgate_setAccounts', [[]]],
  ])('%s: %s, which controls a node, stays closed for all', async (slug, method, params) => {
    const { status, json } = await headgate.post(rpc(method, params), { slug })
    expect(status).toBe(200)
    expect(json.error).toEqual({ code: -32601, message: `${method} is not served here.` })
  })

  test('the key `demo` reads', async () => {
    const { json } = await headgate.post(rpc('eth_chainId'), { slug: 'eth-devnet', key: 'demo' })
    expect(json.result).toBe('0x7a69')
  })
})

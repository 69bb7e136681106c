import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { probeNetworks } from '../../../src/cli/doctor/probe-networks.ts'
import type { Network, UpstreamSpec } from '../../../src/core/network.ts'
import { openSystem } from '../../../src/system/open-system.ts'
import {
  type FakeNode,
  hang,
  NodeError,
  replyInBytes,
  startFakeNode,
} from '../../support/nodes/fake-node.ts'
import { startWsNode } from '../../support/nodes/ws-node.ts'
import { startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'
import {
  cleanUp,
  configText,
  newFolder,
  runToEnd,
  writeConfig,
} from '../../support/product/headgate-process.ts'

const system = openSystem(() => {})
/** Longer than an answer takes on a busy machine. */
const LIMITS = { requestsMax: 60, callMs: 20_000, totalMs: 60_000 }
/** One that never answers is waited for so long. */
const HUNG_MS = 2000
const nodes: FakeNode[] = []

setDefaultTimeout(180_000)
afterEach(async () => {
  for (const node of nodes.splice(0)) node.stop()
  await cleanUp()
})

const aNode = (name: string, change: (node: FakeNode) => void = () => {}) => {
  const node = startFakeNode(name)
  change(node)
  nodes.push(node)
  return node
}

const specOf = ({ name, url }: Pick<FakeNode, 'name' | 'url'>): UpstreamSpec => ({
  name,
  url,
  priority: 0,
  traces: false,
  concurrencyMax: 8,
  batchMax: 100,
  timeoutMs: 1000,
})

const networkOn = (upstreams: UpstreamSpec[], more: Partial<Network> = {}): Network => ({
  id: 'ETH_MAINNET',
  slug: 'eth-mainnet',
  kind: 'evm',
  chainId: 1,
  blockTimeMs: 12_000,
  headPollMs: 1000,
  headLagMsMax: 30_000,
  upstreams,
  ...more,
})

const factsOf = async (network: Network, callMs = LIMITS.callMs) => {
  const needs = { ...system, step() {}, limits: { ...LIMITS, callMs } }
  const [looked] = await probeNetworks(needs, [network])
  return looked?.upstreams ?? []
}

describe('the doctor asks a node', () => {
  test('that can little, and finds out how little', async () => {
    const weak = aNode('weak', (node) => {
      node.finalized = null
      node.answers = {
        web3_clientVersion: 'Weak/1.0',
        eth_getLogs: ([filter]: unknown[]) => {
          const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string }
          if (Number(toBlock) - Number(fromBlock) < 500) return []
          throw new NodeError(-32602, 'query exceeds max block range 500')
        },
        eth_getBalance: ([, tag]: unknown[]) => {
          if (Number(tag) > 900) return '0x0'
          throw new NodeError(-32000, 'missing trie node')
        },
      }
      node.misbehave = (_method, body) => {
        const calls = body.startsWith('[') ? JSON.parse(body).length : 1
        return calls > 20 ? new Response('too many', { status: 413 }) : null
      }
    })
    const [facts] = await factsOf(networkOn([specOf(weak)]))
    expect(facts).toMatchObject({
      fault: null,
      chain: '1',
      version: 'Weak/1.0',
      finalized: null,
      receipts: 'no',
      traces: { block: 'no', parity: 'no' },
      batch: { accepted: 12, refused: 25 },
      logs: { accepted: 500 },
      stateDepth: 64,
      isArchive: false,
      socket: 'none',
    })
    expect(facts?.requests).toBeLessThanOrEqual(LIMITS.requestsMax)
    // No range that is asked for reaches the newest blocks or names no address.
    const asked = weak.calls.filter(({ method }) => method === 'eth_getLogs')
    for (const { params } of asked) {
      expect(params[0]).toMatchObject({ address: expect.stringMatching(/^0x.{40}$/) })
    }
  })

  test('that can much, its socket included', async () => {
    const able = aNode('able', (node) => {
      node.answers = {
        eth_getBlockReceipts: [],
        debug_traceBlockByHash: [],
        trace_block: [],
        eth_getLogs: [],
      }
    })
    const socket = startWsNode(able)
    const [facts] = await factsOf(networkOn([{ ...specOf(able), ws: socket.url }]))
    socket.stop()
    expect(facts).toMatchObject({
      receipts: 'yes',
      traces: { block: 'yes', parity: 'yes' },
      batch: { accepted: 200, refused: null },
      logs: { isWholeChain: true, refused: null },
      isArchive: true,
      finalized: 900,
      socket: 'works',
    })
  })

  test('that hangs, talks nonsense, is elsewhere or limits us, beside one that is well', async () => {
    const upstreams = [
      aNode('well'),
      aNode('late', (node) => {
        node.head = { ...node.head, number: 900 }
      }),
      aNode('hung', (node) => {
        node.misbehave = hang
      }),
      aNode('rubbish', (node) => {
        node.misbehave = () => new Response('<html>hello</html>')
      }),
      aNode('elsewhere', (node) => {
        node.chainId = 56
      }),
      aNode('liar', (node) => {
        node.answers = { eth_getBlockByNumber: { number: 'x', hash: 7 } }
      }),
      aNode('limited', (node) => {
        node.misbehave = (method, body) =>
          method === 'eth_blockNumber'
            ? replyInBytes(body, '"error":{"code":-32005,"message":"rate limit"}')
            : null
      }),
      { name: 'gone', url: 'http://127.0.0.1:1/' },
    ]
    const facts = await factsOf(networkOn(upstreams.map(specOf)), HUNG_MS)
    const byName = Object.fromEntries(facts.map((one) => [one.upstream, one]))
    expect(byName.well).toMatchObject({ fault: null, head: { number: 1000 }, throttled: 0 })
    expect(byName.late).toMatchObject({ fault: null, head: { number: 900 } })
    expect(byName.hung).toMatchObject({ fault: 'timed_out', requests: 1 })
    expect(byName.rubbish).toMatchObject({ fault: 'garbage' })
    expect(byName.elsewhere).toMatchObject({ chain: '56', isChainRight: false, head: null })
    expect(byName.liar).toMatchObject({ fault: 'no head' })
    expect(byName.limited).toMatchObject({ fault: null, throttled: 7, p50Ms: null })
    expect(byName.gone).toMatchObject({ fault: 'unreachable' })
  })

  test('of Solana', async () => {
    const node = aNode('sol', (node) => {
      node.answers = {
        getVersion: { 'solana-core': '3.0.1' },
        getBlockTime: () => Math.floor(Date.now() / 1000) - 2,
        getProgramAccounts: () => {
          throw new NodeError(-32010, 'excluded from account secondary indexes')
        },
      }
    })
    const { chainId: _, ...solana } = networkOn([specOf(node)], { kind: 'solana' })
    expect(await factsOf(solana)).toMatchObject([
      { chain: node.genesisHash, version: 'solana-core 3.0.1', programAccounts: 'no' },
    ])
    const elsewhere = await factsOf({ ...solana, genesisHash: '1'.repeat(32) })
    expect(elsewhere).toMatchObject([{ isChainRight: false }])
  })
})

describe('headgate doctor', () => {
  test('shows a table and sentences, fails where something is wrong, and shows no key', async () => {
    const folder = newFolder()
    const [well, elsewhere] = [aNode('well'), aNode('elsewhere')]
    elsewhere.chainId = 5
    writeConfig(folder, configText([well, elsewhere]))
    const run = (...more: string[]) =>
      runToEnd({ folder, args: ['doctor', '--config', 'headgate.yaml', ...more] })
    const { exitCode, stdout, stderr } = await run()
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/answers +yes +yes\n/)
    expect(stdout).toContain('✗ ETH_MAINNET, elsewhere: is on chain 5, and not on 1')
    for (const secret of ['secret-path', 'upstream-password']) {
      expect(stdout + stderr).not.toContain(secret)
    }
    writeConfig(folder, configText([well]))
    const good = await run('--json')
    expect(good.exitCode).toBe(0)
    expect(JSON.parse(good.stdout)).toMatchObject({
      ok: true,
      networks: [{ id: 'ETH_MAINNET', upstreams: [{ upstream: 'well', is_chain_right: true }] }],
    })
  })

  test('says what to give where there is nothing to look at', async () => {
    const { exitCode, stderr } = await runToEnd({ folder: newFolder(), args: ['doctor'] })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Give --config FILE')])
  })
})

describe('the doctor on the embedded chains', () => {
  let headgate: TestHeadgate
  beforeAll(async () => {
    headgate = await startHeadgate()
  })
  afterAll(() => headgate.stop())

  test('finds nothing wrong with them', async () => {
    await headgate.api('POST', '/api/devnet/mine', { blocks: 2 })
    const at = (slug: string) => `${headgate.url}/${slug}/v2/${headgate.appKey}`
    const ws = at('eth-devnet').replace('http', 'ws')
    const evm = { ...specOf({ name: 'devnet', url: at('eth-devnet') }), ws }
    const facts = await factsOf(networkOn([evm], { chainId: 31_337 }))
    expect(facts).toMatchObject([
      { fault: null, chain: '31337', receipts: 'yes', traces: { block: 'yes' }, socket: 'works' },
    ])
    const solana = specOf({ name: 'ledger', url: at('solana-devnet') })
    const { chainId: _, ...network } = networkOn([solana], { kind: 'solana' })
    expect(await factsOf(network)).toMatchObject([{ fault: null, programAccounts: 'yes' }])
  })
})

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CONTRACTS } from '../../../packages/devnet/src/evm/contracts/contracts.ts'
import { TRADERS } from '../../../packages/devnet/src/evm/test-accounts.ts'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/deliveries/webhook-receiver.ts'
import { type DevnetChain, devnetChain } from '../../support/devnet/devnet-chain.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

const MANUAL = fileURLToPath(new URL('../../../docs/local-development.md', import.meta.url))

let headgate: TestHeadgate
let chain: DevnetChain
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = startWebhookReceiver()
  headgate = await startHeadgate({ env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '600000' } })
  chain = devnetChain(headgate)
})
afterAll(async () => {
  await headgate.stop()
  await receiver.stop()
})

describe('where blocks come by themselves every ten minutes', () => {
  test('the chain is looked at every four seconds, should its socket tell nothing', () => {
    const polls = headgate.running.networks.list().map(({ network }) => network.headPollMs)
    expect(polls).toEqual([4000, 250])
  })

  test('one that is mined on command reaches its webhook at once', async () => {
    const created = await headgate.api('POST', '/api/create-webhook', {
      network: 'ETH_DEVNET',
      webhook_type: 'GRAPHQL',
      webhook_url: `${receiver.url}/mined`,
      graphql_query: '{ block { number } }',
    })
    expect(created.status).toBe(200)
    // Told to the chain itself: no call of ours makes Headgate look.
    await chain.mine()
    const { number } = await chain.head()
    await until(
      () =>
        receiver.acceptedOn('/mined').some(({ json }) => json.event.data.block.number === number),
      'its webhook is called',
    )
  })
})

test.each([
  ['eth-devnet', 'eth_getBlockReceipts', ['latest']],
  ['eth-devnet', 'debug_traceBlockByNumber', ['latest', { tracer: 'callTracer' }]],
  ['eth-devnet', 'net_listening', []],
  ['eth-devnet', 'eth_createAccessList', [{ to: `0x${'1'.repeat(40)}` }, 'latest']],
  ['solana-devnet', 'getEpochInfo', []],
  ['solana-devnet', 'getLatestBlockhash', []],
  ['solana-devnet', 'getVersion', []],
] as const)('on %s, %s is served', async (slug, method, params) => {
  const { json } = await headgate.post(rpc(method, [...params]), { slug })
  expect(json.result).toBeTruthy()
})

test('the manual has the addresses of the contracts and accounts that the chain has', () => {
  const manual = readFileSync(MANUAL, 'utf8')
  const rows = [...manual.matchAll(/^\| `(0x[0-9a-f]{40})` \|/gm)].map(([, address]) => address)
  expect(rows.sort()).toEqual(Object.values(CONTRACTS).sort())
  const [, after = ''] = manual.split('<!-- eth-devnet traders -->')
  const [list = ''] = after.trim().split('\n\n')
  const traders = [...list.matchAll(/`(0x[0-9a-f]{40})`/g)].map(([, address]) => address)
  expect(traders).toEqual(TRADERS.map(([address]) => address))
})

test.each(['eth-devnet', 'solana-devnet'])(
  '%s lacks what its manual says it lacks',
  async (slug) => {
    const [, after = ''] = readFileSync(MANUAL, 'utf8').split(`<!-- ${slug} lacks -->`)
    const [list = ''] = after.trim().split('\n\n')
    const names = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name as string)
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) {
      const { json } = await headgate.post(rpc(name), { slug })
      expect([name, json.error?.code]).toEqual([name, -32601])
    }
  },
)

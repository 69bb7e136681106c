import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type SharedChain, startSharedChain } from '../../support/blocks/shared-chain.ts'
import { until } from '../../support/product/headgate.ts'
import {
  cleanUp,
  type HeadgateProcess,
  newFolder,
  startProcess,
  writeConfig,
} from '../../support/product/headgate-process.ts'
import { metricOf } from '../../support/product/workers.ts'
import { openWsClient, type WsClient } from '../../support/product/ws-client.ts'

setDefaultTimeout(180_000)

/** Enough connections for each of two workers to get some. */
const CLIENTS = 8

let chain: SharedChain
let headgate: HeadgateProcess
let folder: string
const clients: WsClient[] = []
const others: WsClient[] = []

const networkText = (id: string, more = '') => `
  - id: ${id}
    kind: evm
    chainId: 1
    blockTimeMs: 1000
    headPollMs: 100
    verify: off
    upstreams: [{ name: a, url: "${chain.nodes[0]?.url}"${more} }]`

const config = (more = '') =>
  `listen: 127.0.0.1:0\nroles: [gateway, api]\nnetworks:${networkText('ETH_MAINNET')}${networkText('ETH_OTHER', more)}\n`

async function subscribe(slug: string, into: WsClient[]): Promise<void> {
  for (let at = 0; at < CLIENTS; at++) {
    const client = await openWsClient(`${headgate.url}/${slug}/v2/${headgate.keys.app_key}`)
    expect((await client.call('eth_subscribe', ['newHeads'])).result).toStartWith('0x')
    into.push(client)
  }
}

const haveAll = (of: WsClient[]) => () =>
  of.every((client) => client.notifications().at(-1)?.hash === chain.tip().hash)

describe.skipIf(process.platform !== 'linux')('with two gateway workers', () => {
  beforeAll(async () => {
    chain = startSharedChain(3, ['a'])
    folder = newFolder()
    writeConfig(folder, config())
    headgate = await startProcess({
      folder,
      args: ['--config', 'headgate.yaml'],
      env: { HEADGATE_GATEWAY_WORKERS: '2' },
    })
    await subscribe('eth-mainnet', clients)
    await subscribe('eth-other', others)
  })

  afterAll(async () => {
    await cleanUp()
    chain.stop()
  })

  test('subscribers of both hear of every block, through a reorganisation', async () => {
    expect(await metricOf(headgate.url, 'headgate_subscriptions')).toBe(2 * CLIENTS)
    chain.mine(2)
    await until(haveAll([...clients, ...others]), 'all have the second block')
    chain.reorganise(1)
    await until(haveAll([...clients, ...others]), 'all are on the new branch')
    const hashes = clients.map((client) =>
      client
        .notifications()
        .map(({ hash }) => hash)
        .join(),
    )
    expect(new Set(hashes).size).toBe(1)
    expect(clients[0]?.notifications()).toHaveLength(4)
  })

  test('a reload sends clients of the network that changed away, and no other', async () => {
    writeConfig(folder, config(', timeoutMs: 9000'))
    headgate.signal('SIGHUP')
    await until(() => others.every(({ closed }) => closed !== null), 'its clients are closed')
    expect(others[0]?.closed).toEqual({
      code: 1012,
      reason: 'The network was configured anew; please connect again.',
    })
    chain.mine()
    await until(haveAll(clients), 'the others hear of the next block')
    others.length = 0
    await subscribe('eth-other', others)
    chain.mine()
    await until(haveAll(others), 'whoever came back hears of it as well')
  })

  test('SIGTERM answers what is under way and closes with 1012', async () => {
    const [node] = chain.nodes
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    if (node) {
      node.misbehave = async (method) => {
        if (method !== 'eth_getBalance') return null
        asked.resolve()
        await answer.promise
        return null
      }
      node.answers.eth_getBalance = '0x5'
    }
    const balance = clients[0]?.call('eth_getBalance', ['0x1', 'latest'])
    await asked.promise
    headgate.signal('SIGTERM')
    await until(() => clients.slice(1).every(({ closed }) => closed), 'the others are closed')
    answer.resolve()
    expect((await balance).result).toBe('0x5')
    await until(() => [...clients, ...others].every(({ closed }) => closed), 'all are closed')
    for (const client of [...clients, ...others]) {
      expect(client.closed).toEqual({
        code: 1012,
        reason: 'The service is about to stop; please connect again.',
      })
    }
    expect(await headgate.exited).toBe(0)
  })
})

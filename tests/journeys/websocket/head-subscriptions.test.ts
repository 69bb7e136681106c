import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type EvmChain, startEvmChain } from '../../../packages/devnet/src/evm/evm-chain.ts'
import type { Network } from '../../../src/core/network.ts'
import { openMachineSignals } from '../../../src/ports/driver-parts/machine-signals.ts'
import { openSystem } from '../../../src/system/open-system.ts'
import { type OpenNetwork, openNetwork } from '../../../src/upstream/answers/open-network.ts'
import type { HeadNews } from '../../../src/upstream/heads/head-feed.ts'
import { until } from '../../support/nodes/scripted-server.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

/** So long that nothing in these tests can have come from a poll. */
const POLL_MS = 3_600_000

let log = ''
const system = openSystem((text) => {
  log += text
})
let chain: EvmChain
let network: OpenNetwork
const news: HeadNews[] = []

beforeAll(async () => {
  chain = await startEvmChain({ clock: system.clock, blockTimeMs: 0 })
})
afterAll(() => chain.stop())
afterEach(() => network.stop())

describe('new heads of a real chain', () => {
  test('are announced by its socket as they are mined, each the parent of the next', async () => {
    await follow(chain.wsUrl)
    await subscribed(1)
    for (let block = 1; block <= 3; block++) {
      await rpc('evm_mine')
      await until(() => news.length === block, `block ${block} is announced`)
    }
    const headers = news.map(({ header }) => header)
    expect(headers[1]?.parentHash).toBe(headers[0]?.hash)
    expect(headers[2]?.parentHash).toBe(headers[1]?.hash)
    expect(await rpc('eth_getBlockByNumber', ['latest', false])).toMatchObject({
      hash: headers[2]?.hash,
      parentHash: headers[2]?.parentHash,
    })
    expect(network.pool.selection.head?.hash).toBe(headers[2]?.hash)
    expect(network.heads.latest().map(({ header }) => header)).toEqual(headers.slice(2))
  })

  test('come again when the socket broke and its server is back', async () => {
    const line = startRelay(chain.wsUrl)
    await follow(line.url)
    await subscribed(1)
    line.stop()
    await until(() => log.includes('"state":"lost"'), 'the loss is noticed')
    line.start()
    await subscribed(2)
    await rpc('evm_mine')
    await until(() => news.length === 1, 'a block is announced')
    line.stop()
    expect(log).not.toContain('127.0.0.1')
  })
})

async function follow(ws: string): Promise<void> {
  log = ''
  news.length = 0
  const described: Network = {
    id: 'ETH_DEVNET',
    slug: 'eth-devnet',
    kind: 'evm',
    chainId: chain.chainId,
    blockTimeMs: 1000,
    headPollMs: POLL_MS,
    headLagMsMax: 30_000,
    finalityDepth: 64,
    upstreams: [
      {
        name: 'devnet',
        url: chain.url,
        ws,
        priority: 0,
        traces: true,
        concurrencyMax: 16,
        batchMax: 0,
        timeoutMs: 10_000,
      },
    ],
  }
  const settings = { prices: {}, cacheBytesMax: 0, latestMaxAgeMs: 0 }
  network = openNetwork({ ...system, signals: openMachineSignals() }, described, settings)
  await network.ready
  network.heads.subscribe((one) => void news.push(one))
}

function subscribed(times: number): Promise<void> {
  return until(() => log.split('"state":"open"').length > times, `subscribed ${times} times`)
}

async function rpc(method: string, params: unknown[] = []): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = (await (await fetch(chain.url, { method: 'POST', body })).json()) as {
    result: unknown
  }
  return answer.result
}

/** A server that passes messages on to another, can die, and can come back on its port. */
function startRelay(target: string) {
  let port = 0
  let server: ReturnType<typeof serve> | null = null

  const serve = () =>
    Bun.serve<WebSocket>({
      hostname: '127.0.0.1',
      port,
      fetch: (request, self) =>
        self.upgrade(request, { data: new WebSocket(target) }) ? undefined : new Response(''),
      websocket: {
        open(peer) {
          peer.data.onmessage = ({ data }) => void peer.send(data)
        },
        message(peer, text) {
          const pass = () => peer.data.send(text)
          if (peer.data.readyState === WebSocket.OPEN) pass()
          else peer.data.addEventListener('open', pass)
        },
        close: (peer) => peer.data.close(),
      },
    })

  const relay = {
    url: '',
    start() {
      server = serve()
      port = server.port ?? 0
    },
    stop: () => void server?.stop(true),
  }
  relay.start()
  relay.url = `ws://127.0.0.1:${port}`
  return relay
}

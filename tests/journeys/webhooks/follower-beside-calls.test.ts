import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/deliveries/webhook-receiver.ts'
import { type ChainNode, startChainNode } from '../../support/nodes/chain-node.ts'
import { addressAt } from '../../support/nodes/pool-journey.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

/** A machine may be busy with others. */
setDefaultTimeout(180_000)

/** A follower counts as behind after ten seconds, and nobody has to wait for them. */
const PACE = 5

type World = { node: ChainNode; gate: TestHeadgate; receiver: WebhookReceiver }

describe.concurrent('webhooks go on while each call of others', () => {
  test.each([
    ['is answered with 500', () => new Response('no', { status: 500 }), /^failing/],
    [
      'is answered with 429, to be tried again in a minute',
      () => new Response('no', { status: 429, headers: { 'retry-after': '60' } }),
      /^rate-limited/,
    ],
    ['is answered with garbage', () => new Response('<html>'), /^failing/],
    ['is not answered for long', () => later(new Response('no', { status: 500 })), /^failing/],
  ])('%s', async (_title, answer, reason) => {
    await withWebhook(async ({ node, gate, receiver }) => {
      node.misbehave = (method) => (method === 'eth_getBalance' ? answer() : null)
      node.answers.eth_getTransactionCount = '0x7'
      const ask = (at: number) => gate.post(rpc('eth_getBalance', [addressAt(at), 'latest'], at))
      // Left alone, the node would be tried again in time, and found well.
      const calls = keepAsking(async (at) => (await ask(at)).status)
      await until(() => reason.test(verdict(gate)?.reason ?? ''), 'calls have taken the node out')

      for (let block = 0; block < 3; block++) {
        node.mine()
        const { number } = node.head
        await until(() => numbers(receiver).at(-1) === number, 'the block arrives')
        expect(verdict(gate)?.state).toBe('excluded')
        // With nobody better to ask, it is asked all the same.
        const other = await gate.post(rpc('eth_getTransactionCount', [addressAt(1), number], 9))
        expect(other.json).toEqual({ jsonrpc: '2.0', id: 9, result: '0x7' })
      }
      expect((await readyz(gate)).status).toBe(200)
      const { json } = await gate.api('GET', '/api/networks')
      expect(json.data[0].upstreams).toMatchObject([{ state: 'excluded', heard: true }])
      const statuses = await calls.stop()
      expect(Math.min(...statuses)).toBeGreaterThanOrEqual(503)
    })
  })
})

describe.concurrent('a follower that gets no blocks', () => {
  test('is shown by the probe, the metrics and the log', async () => {
    await withWebhook(async ({ node, gate, receiver }) => {
      const { eth_getBlockByHash: blocks } = node.answers
      node.answers.eth_getBlockByHash = null
      node.mine()
      await until(async () => (await readyz(gate)).status === 503, 'it is not ready')
      const { body } = await readyz(gate)
      const head = node.head.number
      expect(body).toMatchObject({
        ready: false,
        networks: [{ id: 'ETH_MAINNET', ready: false, head, follower_behind: true }],
      })
      expect(await behindSeconds(gate)).toBeGreaterThan(10)
      await until(() => events(gate, 'follower_behind').length === 1, 'the log says so')
      expect(events(gate, 'follower_behind')).toMatchObject([{ number: head - 1, head }])

      node.answers.eth_getBlockByHash = blocks
      await until(() => numbers(receiver).at(-1) === head, 'the block arrives')
      await until(async () => (await readyz(gate)).status === 200, 'it is ready again')
      await until(() => events(gate, 'follower_caught_up').length === 1, 'the log says so too')
      expect(await behindSeconds(gate)).toBe(0)
      expect(events(gate, 'follower_behind')).toHaveLength(1)
    }, PACE)
  })
})

/** So many callers, each of whom asks again when it was answered, until that cannot be any more. */
const CALLERS = 8
const CALL_EVERY_MS = 100
const NO_ANSWER = 0

function keepAsking(ask: (at: number) => Promise<number>) {
  const statuses: number[] = []
  let isOver = false
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let at = caller; !isOver; at += CALLERS) {
      const status = await ask(at).catch(() => NO_ANSWER)
      statuses.push(status)
      if (status === NO_ANSWER) return
      await Bun.sleep(CALL_EVERY_MS)
    }
  })
  return {
    async stop() {
      isOver = true
      await Promise.all(callers)
      return statuses
    },
  }
}

/** Later than any light call may take. */
async function later(response: Response): Promise<Response> {
  await Bun.sleep(4000)
  return response
}

/** Headgate with a webhook that hears of each block of one node. */
async function withWebhook(run: (world: World) => Promise<void>, pace = 1): Promise<void> {
  const node = startChainNode(7)
  const receiver = startWebhookReceiver()
  const gate = await startHeadgate({
    nodes: [node],
    pace,
    env: {
      HEADGATE_ROLES: 'gateway,follower,courier,api',
      HEADGATE_WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true',
    },
  })
  try {
    await until(() => gate.running.followers?.statusOf('ETH_MAINNET') !== null, 'it follows')
    const created = await gate.api('POST', '/api/create-webhook', {
      network: 'ETH_MAINNET',
      webhook_type: 'GRAPHQL',
      webhook_url: `${receiver.url}/blocks`,
      graphql_query: '{ block { number } }',
    })
    expect(created.status).toBe(200)
    node.mine()
    const { number } = node.head
    await until(() => numbers(receiver).at(-1) === number, 'the first block arrives')
    await run({ node, gate, receiver })
  } finally {
    await gate.stop()
    node.stop()
    await receiver.stop()
  }
}

function numbers(receiver: WebhookReceiver): number[] {
  return receiver.acceptedOn('/blocks').map(({ json }) => json.event.data.block.number)
}

/** Whether calls are given to the node, and why not. */
function verdict(gate: TestHeadgate) {
  return gate.running.networks.list()[0]?.pool.selection.verdicts[0]
}

async function readyz(gate: TestHeadgate) {
  const response = await fetch(`${gate.url}/readyz`)
  return { status: response.status, body: await response.json() }
}

async function behindSeconds(gate: TestHeadgate): Promise<number> {
  const text = await (await fetch(`${gate.url}/metrics`)).text()
  const found = /^headgate_follower_behind_seconds\{network="ETH_MAINNET"\} (\S+)/m.exec(text)
  return Number(found?.[1])
}

function events(gate: TestHeadgate, event: string): unknown[] {
  const lines = gate.logText().split('\n')
  return lines.filter((line) => line.includes(`"${event}"`)).map((line) => JSON.parse(line))
}

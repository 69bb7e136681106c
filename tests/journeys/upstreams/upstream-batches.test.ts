import { describe, expect, test } from 'bun:test'
import { type FakeNode, hang, NodeError, startFakeNode } from '../../support/nodes/fake-node.ts'
import {
  addressAt,
  balanceOf,
  type PoolJourney,
  poolJourney,
} from '../../support/nodes/pool-journey.ts'
import { rpc } from '../../support/product/headgate.ts'

type Call = { id: number; method: string; params: [string, string] }

const SIZE = 25

describe('a batch', () => {
  test('travels to the node as a batch, and its answers stand in the order of its calls', async () => {
    await nodes(async ({ first, journey }) => {
      const batches = countBatches(first)
      await expectAnswered(journey)
      expect(batches.sizes).toEqual([SIZE])
    })
  })

  test('travels in parts as large as the node takes', async () => {
    await nodes(
      async ({ first, journey }) => {
        const batches = countBatches(first)
        await expectAnswered(journey)
        expect(batches.sizes.sort((a, b) => a - b)).toEqual([5, 10, 10])
      },
      { batchMax: 10 },
    )
  })

  test('travels call by call where the node takes none', async () => {
    await nodes(
      async ({ first, journey }) => {
        const batches = countBatches(first)
        await expectAnswered(journey)
        expect(batches.sizes).toEqual([])
        expect(first.callsOf('eth_getBalance')).toBe(SIZE)
      },
      { batchMax: 0 },
    )
  })

  test('is answered though the node refuses batches, and it is spared them from then on', async () => {
    await nodes(async ({ first, journey }) => {
      first.supportsBatch = false
      const batches = countBatches(first)
      await expectAnswered(journey)
      await expectAnswered(journey, 1000)
      expect(batches.sizes).toEqual([SIZE])
      expect(await journey.report('first')).toMatchObject({ state: 'used', reason: 'healthy' })
    })
  })

  test.each([
    ['out of order', (replies: unknown[]) => replies.toReversed()],
    ['with some missing', (replies: unknown[]) => replies.filter((_, at) => at % 3 !== 0)],
    ['with all missing', () => []],
    [
      'with strangers among them',
      (replies: unknown[]) => [{ id: 999_999, result: '0x666' }, null, 5, ...replies],
    ],
    [
      'with every second id given twice',
      (replies: unknown[]) =>
        replies.flatMap((reply, at) => (at % 2 === 0 ? [reply] : [reply, reply])),
    ],
    [
      'with ids as text',
      (replies: unknown[]) =>
        (replies as Call[]).map((reply) => ({ ...reply, id: String(reply.id) })),
    ],
  ])('is answered rightly by a node that answers %s', async (_how, reorder) => {
    await nodes(async ({ first, journey }) => {
      answerBatches(first, (calls) => Response.json(reorder(calls.map(replyTo))))
      await expectAnswered(journey)
    })
  })

  test.each([
    ['answers 500', () => new Response('no', { status: 500 })],
    ['answers 429', () => new Response('no', { status: 429 })],
    ['answers garbage', () => new Response('<html>')],
    ['answers nothing', () => new Response('')],
    ['hangs', () => hang()],
  ])('is answered by another node when one %s', async (_how, answer) => {
    await nodes(
      async ({ first, second, journey }) => {
        first.misbehave = (method) => (method === 'eth_getBalance' ? answer() : null)
        await expectAnswered(journey)
        expect(second.callsOf('eth_getBalance')).toBeGreaterThanOrEqual(SIZE)
      },
      { timeoutMs: 300 },
    )
  })

  test.each([
    [-32005, 'rate limit exceeded'],
    [-32000, 'header not found'],
    [-32601, 'the method eth_getBalance does not exist'],
    [-32603, 'internal error'],
  ])('has one failing member answered by another node: %d %s', async (code, message) => {
    await nodes(async ({ first, second, journey }) => {
      first.answers.eth_getBalance = ([address]: [string]) => {
        if (address === addressAt(3)) throw new NodeError(code, message)
        return balanceOf(address)
      }
      await expectAnswered(journey)
      expect(second.callsOf('eth_getBalance')).toBe(1)
    })
  })

  test("keeps a member's own error beside the answers of the others", async () => {
    await nodes(async ({ first, second, journey }) => {
      first.answers.eth_getBalance = ([address]: [string]) => {
        if (address === addressAt(3)) throw new NodeError(3, 'execution reverted', '0x08')
        return balanceOf(address)
      }
      const { json } = await journey.gate.post(batchFrom(0))
      expect(json[3].error).toEqual({ code: 3, message: 'execution reverted', data: '0x08' })
      expect(json[4].result).toBe(balanceOf(addressAt(4)))
      expect(second.callsOf('eth_getBalance')).toBe(0)
    })
  })

  test('keeps ids of all kinds, and none of them reaches a node', async () => {
    await nodes(async ({ first, journey }) => {
      const ids = ['"a"', '18446744073709551615', '-1', '""', '0', '"\\u00e9"']
      const calls = ids.map(
        (id, at) =>
          `{"jsonrpc":"2.0","id":${id},"method":"eth_getBalance","params":["${addressAt(at)}","latest"]}`,
      )
      const { text } = await journey.gate.post(`[${calls.join(',')}]`)
      const replies = ids.map(
        (id, at) => `{"jsonrpc":"2.0","id":${id},"result":"${balanceOf(addressAt(at))}"}`,
      )
      expect(text).toBe(`[${replies.join(',')}]`)
      for (const { id } of first.calls)
        expect(Number.isSafeInteger(id) && Number(id) > 0).toBe(true)
    })
  })
})

type Given = { first: FakeNode; second: FakeNode; journey: PoolJourney }

async function nodes(run: (given: Given) => Promise<void>, ofFirst = {}): Promise<void> {
  const first = startFakeNode('first')
  const second = startFakeNode('second')
  const journey = await poolJourney([first, second], { upstreams: [ofFirst, { priority: 1 }] })
  try {
    await journey.allHealthy()
    await run({ first, second, journey })
  } finally {
    await journey.stop()
  }
}

function batchFrom(from: number) {
  return Array.from({ length: SIZE }, (_, at) =>
    rpc('eth_getBalance', [addressAt(from + at), 'latest'], `id-${at}`),
  )
}

async function expectAnswered(journey: PoolJourney, from = 0): Promise<void> {
  const { status, json } = await journey.gate.post(batchFrom(from))
  expect(status).toBe(200)
  expect(json).toEqual(
    Array.from({ length: SIZE }, (_, at) => ({
      jsonrpc: '2.0',
      id: `id-${at}`,
      result: balanceOf(addressAt(from + at)),
    })),
  )
}

/** The sizes of the batches that a node was sent. */
function countBatches(node: FakeNode): { sizes: number[] } {
  const seen = { sizes: [] as number[] }
  node.misbehave = (_method, body) => {
    const parsed: unknown = JSON.parse(body)
    if (Array.isArray(parsed)) seen.sizes.push(parsed.length)
    return null
  }
  return seen
}

function answerBatches(node: FakeNode, answer: (calls: Call[]) => Response): void {
  node.misbehave = (_method, body) => {
    const parsed = JSON.parse(body) as Call | Call[]
    return Array.isArray(parsed) ? answer(parsed) : null
  }
}

function replyTo({ id, params }: Call) {
  return { jsonrpc: '2.0', id, result: balanceOf(params[0]) }
}

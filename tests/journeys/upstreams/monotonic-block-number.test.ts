import { describe, expect, test } from 'bun:test'
import { type FakeNode, hashOf, startFakeNode } from '../../support/nodes/fake-node.ts'
import { type PoolJourney, poolJourney } from '../../support/nodes/pool-journey.ts'
import { rpc } from '../../support/product/headgate.ts'

const AT_ONCE = 5

describe('eth_blockNumber for one key', () => {
  test('never goes backwards while two nodes are at different heights', async () => {
    await nodes(2, async ({ all: [ahead, behind], heights }) => {
      moveHead(ahead, 1003)
      moveHead(behind, 1001)
      const seen: number[] = []
      for (let round = 0; round < 30; round++) {
        if (round % 10 === 9) {
          ahead?.mine()
          behind?.mine()
        }
        seen.push(...(await heights(10)))
      }
      expectAscending(seen)
      for (const node of [ahead, behind])
        expect(node?.callsOf('eth_blockNumber')).toBeGreaterThan(0)
    })
  })

  test('never goes backwards when the node that was ahead dies', async () => {
    await nodes(2, async ({ all: [ahead, behind], heights, journey }) => {
      moveHead(ahead, 1003)
      moveHead(behind, 1001)
      const seen = await heights(60)
      ahead?.stop()
      seen.push(...(await heights(30)))
      await journey.reported('node-0', ({ state }) => state === 'excluded')
      seen.push(...(await heights(10)))
      expectAscending(seen)
      for (let block = 0; block < 5; block++) behind?.mine()
      await journey.reported('node-1', ({ head }) => head === 1006)
      expect((await heights(5))[0]).toBe(1006)
    })
  })

  test('cannot be lifted by one node that makes it up while its polls look honest', async () => {
    await nodes(2, async ({ all: [liar, honest], heights }) => {
      if (liar) liar.answers.eth_blockNumber = '0x895440'
      const seen = await heights(100)
      expect(Math.max(...seen)).toBe(1000)
      honest?.mine()
      liar?.mine()
      expectAscending([...seen, ...(await heights(20))])
      expect(liar?.callsOf('eth_blockNumber')).toBeGreaterThan(0)
    })
  })

  test('cannot be lifted a little either, beyond what the chain can have made', async () => {
    await nodes(2, async ({ all: [liar], heights }) => {
      if (liar) liar.answers.eth_blockNumber = '0x3f8'
      expect(Math.max(...(await heights(50)))).toBe(1000)
      expect(liar?.callsOf('eth_blockNumber')).toBeGreaterThan(0)
    })
  })

  test('cannot be lifted by one node that makes up its head as well', async () => {
    await nodes(3, async ({ all: [liar], heights, journey }) => {
      moveHead(liar, 9_000_000)
      const seen = await heights(50)
      await journey.reported('node-0', ({ state }) => state === 'excluded')
      seen.push(...(await heights(50)))
      expect(Math.max(...seen)).toBe(1000)
    })
  })

  test('is steady inside of batches too', async () => {
    await nodes(2, async ({ all: [ahead, behind], journey, heights }) => {
      moveHead(ahead, 1003)
      moveHead(behind, 1001)
      const seen = await heights(40)
      for (let round = 0; round < 20; round++) {
        const { json } = await journey.gate.post([
          rpc('eth_blockNumber', [], 1),
          rpc('eth_gasPrice', [], 2),
        ])
        seen.push(Number(json[0].result))
      }
      expectAscending(seen)
    })
  })
})

type Given = {
  all: FakeNode[]
  journey: PoolJourney
  /**
   * Asks a few times at once, so that all nodes are asked, and again when all have answered.
   * Which of those asked at once came first nobody can tell, so they are told in order.
   */
  heights(count: number): Promise<number[]>
}

async function nodes(count: number, run: (given: Given) => Promise<void>): Promise<void> {
  const all = Array.from({ length: count }, (_, at) => startFakeNode(`node-${at}`))
  // Nothing is kept, so that every call reaches a node.
  const env = { HEADGATE_CACHE_LATEST_MAX_AGE_MS: '0' }
  const journey = await poolJourney(all, { env, network: { headLagMsMax: 5000 } })
  const height = async (_: unknown, at: number) => {
    // Spelled differently, so that calls at once are not answered by one.
    const params = `[${' '.repeat(at)}]`
    const text = `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":${params}}`
    const { status, json } = await journey.gate.post(text)
    expect(status).toBe(200)
    return Number(json.result)
  }
  const heights = async (asked: number) => {
    const said: number[] = []
    while (said.length < asked) {
      const burst = await Promise.all(Array.from({ length: AT_ONCE }, height))
      said.push(...burst.sort((a, b) => a - b))
    }
    return said
  }
  try {
    await journey.allHealthy()
    await run({ all, journey, heights })
  } finally {
    await journey.stop()
  }
}

function moveHead(node: FakeNode | undefined, number: number): void {
  if (node) node.head = { number, hash: hashOf(number), timestampMs: Date.now() }
}

function expectAscending(seen: readonly number[]): void {
  expect(seen).toEqual(seen.toSorted((a, b) => a - b))
}

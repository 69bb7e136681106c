import { describe, expect, test } from 'bun:test'
import { type FakeNode, startFakeNode } from '../../support/nodes/fake-node.ts'
import {
  addressAt,
  balanceOf,
  type PoolJourney,
  poolJourney,
} from '../../support/nodes/pool-journey.ts'
import { rpc } from '../../support/product/headgate.ts'

/** Second calls that may come at once, before they are limited to one in twenty. */
const BURST = 20

describe.concurrent('while the first node is slow', () => {
  test('a second is asked for a read, and whoever answers first is heard', async () => {
    await nodes(async ({ first, journey }) => {
      await learn(journey)
      const late = addressAt(0xabcdef)
      const { promise: never } = Promise.withResolvers<Response>()
      first.misbehave = (_method, body) => (body.includes(late) ? never : null)
      const { json, headers } = await journey.gate.post(rpc('eth_getBalance', [late, 'latest']))
      expect(json.result).toBe(balanceOf(late))
      expect(headers.get('x-headgate-upstream')).toBe('second')
      // It was asked long before the first could be said to hang.
      expect(await journey.report('first')).toMatchObject({ state: 'used', last_fault: null })
    })
  })

  test('second calls stay within one in twenty and a small burst', async () => {
    await nodes(async ({ first, second, journey }) => {
      const usualMs = await learn(journey)
      const asked = first.callsOf('eth_getBalance')
      slow(first, 'eth_getBalance', usualMs + 60)
      for (let round = 0; round < 20; round++) await journey.reads(20)
      const reads = first.callsOf('eth_getBalance') - asked
      const doubled = second.callsOf('eth_getBalance')
      expect(reads).toBeGreaterThanOrEqual(400)
      expect(doubled).toBeGreaterThan(0)
      expect(doubled).toBeLessThanOrEqual(BURST + 0.05 * (reads + 64))
    })
  }, 180_000)

  test('nobody else is asked before anything is known of a method', async () => {
    await nodes(async ({ first, second, journey }) => {
      slow(first, 'eth_getBalance', 100)
      await journey.reads(10)
      expect(second.callsOf('eth_getBalance')).toBe(0)
    })
  })

  test.each([
    ['a signed transaction', 'eth_sendRawTransaction', ['0x01']],
    ['a transaction for the node to sign', 'eth_sendTransaction', [{}]],
    ['an unlisted write', 'vendor_replaceBundle', []],
    ['a new filter', 'eth_newBlockFilter', []],
  ])('a second is never asked for %s', async (_what, method, params) => {
    await nodes(async ({ first, second, journey }) => {
      first.answers[method] = '0x1'
      second.answers[method] = '0x2'
      for (let call = 0; call < 80; call++) await journey.gate.post(rpc(method, params))
      slow(first, method, 300)
      const calls = Array.from({ length: 10 }, () => journey.gate.post(rpc(method, params)))
      await Promise.all(calls)
      expect(first.callsOf(method)).toBe(90)
      expect(second.callsOf(method)).toBe(0)
    })
  })

  test('one whose head is elsewhere is not asked instead', async () => {
    await nodes(async ({ first, second, journey }) => {
      second.head = { number: 5, hash: '0x05', timestampMs: Date.now() - 3_600_000 }
      second.answers.eth_getBalance = '0x666'
      await journey.reported('second', ({ state }) => state === 'excluded')
      await learn(journey)
      slow(first, 'eth_getBalance', 100)
      for (let round = 0; round < 5; round++) await journey.reads(20)
      expect(second.callsOf('eth_getBalance')).toBe(0)
    })
  })
})

describe('a read that fails on a good node', () => {
  test('is asked of it again before one is asked whose head is elsewhere', async () => {
    await nodes(async ({ first, second, journey }) => {
      second.head = { number: 9_000_000, hash: '0x99', timestampMs: Date.now() }
      second.answers.eth_getBalance = '0x666'
      await journey.reported('second', ({ state }) => state === 'excluded')
      let failures = 0
      first.misbehave = (method) => {
        if (method !== 'eth_getBalance' || ++failures % 2 === 0) return null
        return new Response('no', { status: 502 })
      }
      for (let call = 0; call < 3; call++) await journey.reads(1)
      expect(second.callsOf('eth_getBalance')).toBe(0)
    })
  })
})

type Given = { first: FakeNode; second: FakeNode; journey: PoolJourney }

/** The second stands by, so that whatever it gets is a second call. */
async function nodes(run: (given: Given) => Promise<void>): Promise<void> {
  const first = startFakeNode('first')
  const second = startFakeNode('second')
  const journey = await poolJourney([first, second], { upstreams: [{}, { priority: 1 }] })
  try {
    await journey.allHealthy()
    await run({ first, second, journey })
  } finally {
    await journey.stop()
  }
}

/** Enough reads, one by one, to know how long they usually take; the longest of them. */
async function learn(journey: PoolJourney): Promise<number> {
  let longestMs = 0
  for (let call = 0; call < 64; call++) {
    const startedAtMs = performance.now()
    await journey.reads(1)
    longestMs = Math.max(longestMs, performance.now() - startedAtMs)
  }
  return longestMs
}

function slow(node: FakeNode, slowMethod: string, ms: number): void {
  node.misbehave = async (method) => {
    if (method === slowMethod) await Bun.sleep(ms)
    return null
  }
}

import { describe, expect, test } from 'bun:test'
import { type FakeNode, NodeError, startFakeNode } from '../../support/nodes/fake-node.ts'
import { addressAt, type PoolJourney, poolJourney } from '../../support/nodes/pool-journey.ts'
import { type Answer, rpc } from '../../support/product/headgate.ts'

const CALLERS = 100

describe('identical calls at the same time', () => {
  test('make one call to the node, whatever their ids', async () => {
    await nodes(async ({ first, journey }) => {
      holdReads(first)
      const answers = await callers(journey, CALLERS)
      expect(first.callsOf('eth_getBalance')).toBe(1)
      expect(count(answers, 'miss')).toBe(1)
      expect(count(answers, 'coalesced')).toBe(CALLERS - 1)
      answers.forEach(({ json }, at) => {
        expect(json).toEqual({ jsonrpc: '2.0', id: at, result: '0x1' })
      })
    })
  })

  test('each cost what a call costs', async () => {
    await nodes(async ({ first, journey }) => {
      holdReads(first)
      const answers = await callers(journey, 10)
      expect(answers.map(({ headers }) => headers.get('x-headgate-cu'))).toEqual(
        Array(10).fill('20'),
      )
    })
  })

  test('of which the first fails on one node are all answered by the other', async () => {
    await nodes(async ({ first, second, journey }) => {
      first.misbehave = async (method) => {
        if (method !== 'eth_getBalance') return null
        await Bun.sleep(50)
        return new Response('no', { status: 500 })
      }
      const answers = await callers(journey, CALLERS)
      for (const { json } of answers) expect(json.result).toBe('0x1')
      expect(first.callsOf('eth_getBalance')).toBe(1)
      expect(second.callsOf('eth_getBalance')).toBe(1)
    })
  })

  test("share a node's error, each under its own id", async () => {
    await nodes(async ({ first, journey }) => {
      holdReads(first)
      first.answers.eth_getBalance = () => {
        throw new NodeError(3, 'execution reverted', '0x08c379a0')
      }
      const answers = await callers(journey, 20)
      answers.forEach(({ status, json }, at) => {
        expect(status).toBe(200)
        expect(json.id).toBe(at)
        expect(json.error).toEqual({ code: 3, message: 'execution reverted', data: '0x08c379a0' })
      })
    })
  })

  test('share the failure of all nodes, and the next call begins anew', async () => {
    await nodes(async ({ first, second, journey }) => {
      for (const node of [first, second]) {
        node.misbehave = async (method) => {
          if (method !== 'eth_getBalance') return null
          await Bun.sleep(50)
          return new Response('no', { status: 500 })
        }
      }
      for (const { status, json } of await callers(journey, 20)) {
        expect(status).toBe(503)
        expect(json.error.code).toBe(-32603)
      }
      first.misbehave = null
      second.misbehave = null
      const [answer] = await callers(journey, 1)
      expect(answer?.json.result).toBe('0x1')
    })
  })

  test('inside one batch make one call, too', async () => {
    await nodes(async ({ first, journey }) => {
      const batch = Array.from({ length: 50 }, (_, id) =>
        rpc('eth_getBalance', [addressAt(1), 'latest'], id),
      )
      const { json } = await journey.gate.post(batch)
      expect(json.map((member: { id: number }) => member.id)).toEqual(batch.map(({ id }) => id))
      expect(first.callsOf('eth_getBalance')).toBe(1)
    })
  })

  test('that are answered with megabytes are each answered whole', async () => {
    await nodes(async ({ first, journey }) => {
      const big = `0x${'ab'.repeat(300_000)}`
      first.answers.eth_call = big
      const call = (id: number) => rpc('eth_call', [{ to: addressAt(1) }, 'latest'], id)
      const alone = [1, 2, 3].map((id) => journey.gate.post(call(id)))
      const together = journey.gate.post([call(4), call(5)])
      for (const { json } of await Promise.all(alone)) expect(json.result === big).toBe(true)
      for (const { result } of (await together).json) expect(result === big).toBe(true)
    })
  })
})

describe('calls that only look alike', () => {
  test('are not shared across a write', async () => {
    await nodes(async ({ first, journey }) => {
      first.answers.eth_sendRawTransaction = '0x1'
      let balance = 1
      first.answers.eth_getBalance = () => `0x${balance}`
      const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
      first.misbehave = async (method) => {
        if (method === 'eth_getBalance' && balance === 1) await held
        return null
      }
      const before = callers(journey, 1)
      await journey.gate.post(rpc('eth_sendRawTransaction', ['0x01']))
      balance = 2
      const [after] = await callers(journey, 1)
      letGo()
      await before
      expect(after?.json.result).toBe('0x2')
    })
  })

  test('are not shared when they name other blocks', async () => {
    await nodes(async ({ first, journey }) => {
      holdReads(first)
      const at = (block: string) => journey.gate.post(rpc('eth_getBalance', [addressAt(1), block]))
      await Promise.all([at('latest'), at('0x1'), at('0x2')])
      expect(first.callsOf('eth_getBalance')).toBe(3)
    })
  })
})

type Given = { first: FakeNode; second: FakeNode; journey: PoolJourney }

async function nodes(run: (given: Given) => Promise<void>): Promise<void> {
  const first = startFakeNode('first')
  const second = startFakeNode('second')
  for (const node of [first, second]) node.answers.eth_getBalance = '0x1'
  const journey = await poolJourney([first, second], { upstreams: [{}, { priority: 1 }] })
  try {
    await journey.allHealthy()
    await run({ first, second, journey })
  } finally {
    await journey.stop()
  }
}

/** Long enough for all callers to arrive while the first call is under way. */
/** Nothing tells when the last of many callers has come in, so a read takes long enough for all. */
const READ_MS = 1_000

function holdReads(node: FakeNode): void {
  node.misbehave = async (method) => {
    if (method === 'eth_getBalance') await Bun.sleep(READ_MS)
    return null
  }
}

function callers(journey: PoolJourney, number: number): Promise<Answer[]> {
  const ask = (id: number) => journey.gate.post(rpc('eth_getBalance', [addressAt(1), 'latest'], id))
  return Promise.all(Array.from({ length: number }, (_, id) => ask(id)))
}

function count(answers: readonly Answer[], word: string): number {
  return answers.filter(({ headers }) => headers.get('x-headgate-cache') === word).length
}

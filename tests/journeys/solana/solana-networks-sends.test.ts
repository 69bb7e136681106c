import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { UpstreamSpec } from '../../../src/core/network.ts'
import { type FakeNode, hang, startFakeNode } from '../../support/nodes/fake-node.ts'
import { type PoolJourney, SELDOM_POLLED } from '../../support/nodes/pool-journey.ts'
import { startTcpNode, type TcpNode } from '../../support/nodes/tcp-node.ts'
import { rpc } from '../../support/product/headgate.ts'
import { says, withTwoNodes } from '../../support/solana/solana-journey.ts'

setDefaultTimeout(180_000)

/**
 * Where a node hangs, nobody waits for it for long, but long enough for the call to reach it;
 * elsewhere a busy machine may be slow.
 */
const IMPATIENT = { timeoutMs: 5000 }

type Spoil = (first: TcpNode, method: string) => void

const SIGNED = 'AVYZ2Tcg2s'
/** One is sent in all ways, the others in one of each kind. */
const SENDS: [method: string, params: unknown[], ways: RegExp][] = [
  ['sendTransaction', [SIGNED, { encoding: 'base64' }], /./],
  ['requestAirdrop', ['8XbMoFRR4kdMhVzwWzGJLwcYKwWRWTB9kGdjxpnFNhqi', 10 ** 9], /hangs|429|faucet/],
  ['sendBundle', [[SIGNED]], /hangs|429/],
]

/** Ways in which the first node may or may not have taken a call. */
const UNCLEAR: [how: string, spoil: Spoil, status: number][] = [
  ['hangs', on(() => hang()), 504],
  ['answers 500', on(() => new Response('no', { status: 500 })), 503],
  ['answers 503', on(() => new Response('no', { status: 503 })), 503],
  ['answers garbage', on(() => new Response('<html>')), 503],
  ['says that it timed out', answering(-32000, 'request timed out'), 200],
  ['says that its faucet failed', answering(-32603, 'Internal error: airdrop faucet'), 200],
  ['says internal error', answering(-32603, 'Internal error'), 200],
  ['breaks the connection', wire('', 'reset'), 503],
  ['closes the connection', wire('', 'end'), 503],
  [
    'breaks off in its answer',
    wire('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"j', 'reset'),
    503,
  ],
]

/** Ways in which the first node certainly did not take it. */
const NOT_TAKEN: [how: string, spoil: Spoil][] = [
  ['refuses connections', (first) => first.cut()],
  ['answers 429', on(() => new Response('no', { status: 429 }))],
  ['answers 403', on(() => new Response('no', { status: 403 }))],
  ['lacks the method', answering(-32601, 'Method not found')],
  ['is behind', answering(-32005, 'Node is behind by 200 slots')],
  ['has not reached the slot', answering(-32016, 'Minimum context slot has not been reached')],
  ['limits us', answering(429, 'Too many requests')],
  ['has an empty faucet', answering(429, "You've reached your airdrop limit today")],
]

describe.concurrent('what is sent to a Solana network', () => {
  for (const [method, params, ways] of SENDS) {
    test.each(UNCLEAR.filter(([how]) => ways.test(how)))(
      `is never sent a second time when a node %s: ${method}`,
      async (_how, spoil, status) => {
        await given(
          async (first, second, { gate }) => {
            spoil(first, method)
            second.answers[method] = 'second'
            const answer = await gate.post(rpc(method, params))
            expect(answer.status).toBe(status)
            expect(answer.json.result).toBeUndefined()
            expect(answer.json.error).toBeObject()
            expect([first.callsOf(method), second.callsOf(method)]).toEqual([1, 0])
          },
          status === 504 ? IMPATIENT : {},
        )
      },
    )

    test.each(NOT_TAKEN.filter(([how]) => ways.test(how)))(
      `goes to another node when the first %s: ${method}`,
      async (_how, spoil) => {
        await given(async (first, second, { gate }) => {
          spoil(first, method)
          second.answers[method] = 'second'
          expect((await gate.post(rpc(method, params))).json.result).toBe('second')
          expect(second.callsOf(method)).toBe(1)
        })
      },
    )
  }

  test.each([
    [-32002, 'Transaction simulation failed: Blockhash not found'],
    [-32002, 'Transaction simulation failed: This transaction has already been processed'],
    [-32003, 'Transaction signature verification failure'],
    [-32602, 'invalid transaction: Transaction failed to sanitize accounts offsets correctly'],
  ])(
    'and fails before it is sent is told why, and not tried elsewhere: %d %s',
    async (code, message) => {
      await given(async (first, second, { gate }) => {
        const data = { err: 'BlockhashNotFound', logs: [] }
        first.answers.sendTransaction = says(code, message, data)
        const { status, json } = await gate.post(rpc('sendTransaction', [SIGNED]))
        expect(status).toBe(200)
        expect(json.error).toEqual({ code, message, data })
        expect(first.callsOf('sendTransaction')).toBe(1)
        expect(second.callsOf('sendTransaction')).toBe(0)
      })
    },
  )

  test('is neither shared between callers nor sent ahead of being asked', async () => {
    await given(async (first, second, { gate }) => {
      let sent = 0
      first.misbehave = async (method) => {
        if (method === 'requestAirdrop') await Bun.sleep(50)
        return null
      }
      first.answers.requestAirdrop = () => `signature-${++sent}`
      const calls = Array.from({ length: 10 }, () => gate.post(rpc('requestAirdrop', ['key', 1])))
      const results = (await Promise.all(calls)).map(({ json }) => json.result)
      expect(new Set(results).size).toBe(10)
      expect([sent, second.callsOf('requestAirdrop')]).toEqual([10, 0])
    })
  })

  test('travels alone from a batch, and not twice either', async () => {
    await given(async (first, second, { gate }) => {
      on(() => hang())(first, 'sendTransaction')
      const { status, json } = await gate.post([
        rpc('sendTransaction', [SIGNED], 1),
        rpc('getBalance', ['key'], 2),
        rpc('getHealth', [], 3),
      ])
      expect(status).toBe(200)
      expect(json[0]).toMatchObject({ id: 1, error: { code: -32603 } })
      expect([json[1].result.value, json[2].result]).toEqual([1_000, 'ok'])
      expect([first, second].map((node) => node.callsOf('sendTransaction'))).toEqual([1, 0])
    }, IMPATIENT)
  })

  test('reaches the node with every option and digit of the caller', async () => {
    await given(async (first, _second, { gate }) => {
      const bodies: string[] = []
      first.misbehave = (method, body) => {
        if (method === 'sendTransaction') bodies.push(body)
        return null
      }
      first.answers.sendTransaction = 'signature'
      const params = `["${SIGNED}", {"skipPreflight":true,"minContextSlot":18446744073709551615}]`
      await gate.post(`{"jsonrpc":"2.0","id":1,"method":"sendTransaction","params":${params}}`)
      expect(bodies).toHaveLength(1)
      expect(bodies[0]).toContain(`"params":${params}`)
    })
  })
})

async function given(
  run: (first: TcpNode, second: FakeNode, journey: PoolJourney) => Promise<void>,
  ofFirst: Partial<UpstreamSpec> = {},
): Promise<void> {
  const [first, second] = [await startTcpNode('first'), startFakeNode('second')]
  await withTwoNodes([first, second], (journey) => run(first, second, journey), {
    ofFirst,
    network: SELDOM_POLLED,
  })
}

function on(answer: () => Response | Promise<Response>): Spoil {
  return (node, method) => {
    node.misbehave = (asked) => (asked === method ? answer() : null)
  }
}

function answering(code: number, message: string): Spoil {
  return (node, method) => {
    node.answers[method] = says(code, message)
  }
}

function wire(bytes: string, ending: 'end' | 'reset'): Spoil {
  return (node, method) => {
    node.sabotage = (call) => (call.method === method ? { bytes, ending } : null)
  }
}

import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { UpstreamSpec } from '../../../src/core/network.ts'
import {
  TRANSFER_HASH as HASH,
  SIGNED_TRANSFER as RAW,
} from '../../support/devnet/signed-transfer.ts'
import { type FakeNode, hang, NodeError, startFakeNode } from '../../support/nodes/fake-node.ts'
import { type PoolJourney, poolJourney, SELDOM_POLLED } from '../../support/nodes/pool-journey.ts'
import { startTcpNode, type TcpNode } from '../../support/nodes/tcp-node.ts'
import { rpc } from '../../support/product/headgate.ts'

/** Many run side by side, on a machine that may be busy with others. */
setDefaultTimeout(180_000)

/**
 * Where a node hangs, nobody waits for it for long, but long enough for the call to reach it;
 * elsewhere a busy machine may be slow.
 */
const IMPATIENT = { timeoutMs: 5000 }

const send = rpc('eth_sendRawTransaction', [RAW], 'mine')

/** Ways in which the first node may or may not have taken a call. */
const UNCLEAR: [how: string, spoil: (first: TcpNode, method: string) => void][] = [
  ['hangs', on(() => hang())],
  ['answers 500', on(() => new Response('no', { status: 500 }))],
  ['answers 502', on(() => new Response('no', { status: 502 }))],
  ['answers garbage', on(() => new Response('<html>'))],
  ['says internal error', answering(-32603, 'internal error')],
  ['says that it timed out', answering(-32002, 'request timed out')],
  ['breaks the connection', wire('', 'reset')],
  ['closes the connection', wire('', 'end')],
  [
    'breaks off within its answer',
    wire('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"js', 'reset'),
  ],
]

/** Ways in which the first node certainly did not take it. */
const NOT_TAKEN: [how: string, spoil: (first: TcpNode, method: string) => void][] = [
  ['refuses connections', (first) => first.cut()],
  ['answers 429', on(() => new Response('no', { status: 429 }))],
  ['answers 401', on(() => new Response('no', { status: 401 }))],
  ['lacks the method', answering(-32601, 'the method does not exist')],
  ['limits us', answering(-32005, 'rate limit exceeded')],
]

describe.concurrent('a signed transaction', () => {
  test.each(UNCLEAR)('is sent to a second node when the first %s', async (how, spoil) => {
    await twoNodes(
      async ({ first, second, journey }) => {
        spoil(first, 'eth_sendRawTransaction')
        second.answers.eth_sendRawTransaction = HASH
        const { status, json } = await journey.gate.post(send)
        expect({ status, json }).toEqual({
          status: 200,
          json: { jsonrpc: '2.0', id: 'mine', result: HASH },
        })
        expect(second.callsOf('eth_sendRawTransaction')).toBe(1)
      },
      how === 'hangs' ? IMPATIENT : {},
    )
  })

  test.each(UNCLEAR.slice(0, 2))(
    'that a second node has already had landed when the first %s',
    async (how, spoil) => {
      await twoNodes(
        async ({ first, second, journey }) => {
          spoil(first, 'eth_sendRawTransaction')
          second.answers.eth_sendRawTransaction = says(-32000, 'already known')
          const { json } = await journey.gate.post(send)
          expect(json).toEqual({ jsonrpc: '2.0', id: 'mine', result: HASH })
        },
        how === 'hangs' ? IMPATIENT : {},
      )
    },
  )

  test.each([['AlreadyKnown'], ['Known transaction'], ['transaction already in mempool']])(
    'that a second node has already, in the words %s, is answered with its hash',
    async (words) => {
      await twoNodes(async ({ first, second, journey }) => {
        on(() => hang())(first, 'eth_sendRawTransaction')
        second.answers.eth_sendRawTransaction = says(-32010, words)
        expect((await journey.gate.post(send)).json.result).toBe(HASH)
      }, IMPATIENT)
    },
  )

  test('whose nonce is used up by itself is answered with its hash', async () => {
    await twoNodes(async ({ first, second, journey }) => {
      on(() => hang())(first, 'eth_sendRawTransaction')
      second.answers.eth_sendRawTransaction = says(
        -32000,
        'nonce too low: next nonce 8, tx nonce 7',
      )
      for (const node of [first, second]) {
        node.answers.eth_getTransactionByHash = ([hash]: [string]) =>
          hash === HASH ? { hash } : null
      }
      expect((await journey.gate.post(send)).json.result).toBe(HASH)
    }, IMPATIENT)
  })

  test('whose nonce was used up by another is refused in the words of the node', async () => {
    await twoNodes(async ({ first, second, journey }) => {
      on(() => hang())(first, 'eth_sendRawTransaction')
      second.answers.eth_sendRawTransaction = says(-32000, 'nonce too low')
      for (const node of [first, second]) node.answers.eth_getTransactionByHash = null
      const { status, json } = await journey.gate.post(send)
      expect(status).toBe(200)
      expect(json.error).toEqual({ code: -32000, message: 'nonce too low' })
    }, IMPATIENT)
  })

  test.each([
    ['already known'],
    ['nonce too low'],
    ['insufficient funds for gas * price + value'],
    ['unknown transaction type'],
  ])('that the only node asked refuses is refused in its words: %s', async (words) => {
    await twoNodes(async ({ first, second, journey }) => {
      first.answers.eth_sendRawTransaction = says(-32000, words)
      const { json } = await journey.gate.post(send)
      expect(json.error).toEqual({ code: -32000, message: words })
      expect(second.callsOf('eth_sendRawTransaction')).toBe(0)
    })
  })

  test('that another node refuses for a reason of its own is not said to have landed', async () => {
    await twoNodes(async ({ first, second, journey }) => {
      on(() => hang())(first, 'eth_sendRawTransaction')
      second.answers.eth_sendRawTransaction = says(-32000, 'unknown transaction type')
      const { json } = await journey.gate.post(send)
      expect(json.error).toEqual({ code: -32000, message: 'unknown transaction type' })
    }, IMPATIENT)
  })

  test('is sent again from within a batch too', async () => {
    await twoNodes(async ({ first, second, journey }) => {
      on(() => hang())(first, 'eth_sendRawTransaction')
      second.answers.eth_sendRawTransaction = says(-32000, 'already known')
      const { json } = await journey.gate.post([rpc('eth_chainId', [], 1), send])
      expect(json[1]).toEqual({ jsonrpc: '2.0', id: 'mine', result: HASH })
    }, IMPATIENT)
  })
})

/** One is sent in all ways, the others in one of each kind. */
const WRITES = [
  ['eth_sendTransaction', [{ from: `0x${'22'.repeat(20)}`, value: '0x1' }], /./],
  ['vendor_replaceBundle', [], /500|429/],
  ['eth_sendBundle', [{ txs: [] }], /500|429/],
] as const

describe.concurrent('a write that no hash makes harmless', () => {
  for (const [method, params, ways] of WRITES) {
    test.each(UNCLEAR.filter(([how]) => ways.test(how)))(
      `is never sent twice when the first node %s: ${method}`,
      async (how, spoil) => {
        await twoNodes(
          async ({ first, second, journey }) => {
            spoil(first, method)
            second.answers[method] = '0xsecond'
            const { status, json } = await journey.gate.post(rpc(method, [...params]))
            expect(second.callsOf(method)).toBe(0)
            expect(first.callsOf(method)).toBe(1)
            expect(json.result).toBeUndefined()
            if (how.startsWith('says')) expect(status).toBe(200)
            else expect(status).toBe(how === 'hangs' ? 504 : 503)
          },
          how === 'hangs' ? IMPATIENT : {},
        )
      },
    )

    test.each(NOT_TAKEN.filter(([how]) => ways.test(how)))(
      `goes on to a second node when the first %s: ${method}`,
      async (_how, spoil) => {
        await twoNodes(async ({ first, second, journey }) => {
          spoil(first, method)
          second.answers[method] = '0xsecond'
          const { json } = await journey.gate.post(rpc(method, [...params]))
          expect(json.result).toBe('0xsecond')
          expect(second.callsOf(method)).toBe(1)
        })
      },
    )
  }

  test('is never shared between callers', async () => {
    await twoNodes(async ({ first, journey }) => {
      let sent = 0
      first.misbehave = async (method) => {
        if (method === 'eth_sendTransaction') await Bun.sleep(50)
        return null
      }
      first.answers.eth_sendTransaction = () => `0x${++sent}`
      const params = [{ from: `0x${'22'.repeat(20)}`, value: '0x1' }]
      const calls = Array.from({ length: 10 }, () =>
        journey.gate.post(rpc('eth_sendTransaction', params)),
      )
      const results = (await Promise.all(calls)).map(({ json }) => json.result)
      expect(new Set(results).size).toBe(10)
    })
  })

  test('is sent alone from a batch, and not twice either', async () => {
    await twoNodes(async ({ first, second, journey }) => {
      on(() => hang())(first, 'eth_sendTransaction')
      second.answers.eth_sendTransaction = '0xsecond'
      const { status, json } = await journey.gate.post([
        rpc('eth_sendTransaction', [{}], 1),
        rpc('eth_getBalance', [`0x${'33'.repeat(20)}`, 'latest'], 2),
      ])
      expect(status).toBe(200)
      expect(json[0]).toMatchObject({ id: 1, error: { code: -32603 } })
      expect(json[1].result).toBeString()
      expect(second.callsOf('eth_sendTransaction')).toBe(0)
    }, IMPATIENT)
  })
})

type Given = { first: TcpNode; second: FakeNode; journey: PoolJourney }

/** The second is asked only when the first cannot or must not be. */
async function twoNodes(
  run: (given: Given) => Promise<void>,
  ofFirst: Partial<UpstreamSpec> = {},
): Promise<void> {
  const first = await startTcpNode('first')
  const second = startFakeNode('second')
  const upstreams = [ofFirst, { priority: 1 }]
  const journey = await poolJourney([first, second], { upstreams, network: SELDOM_POLLED })
  try {
    await journey.allHealthy()
    await run({ first, second, journey })
  } finally {
    await journey.stop()
  }
}

function on(answer: () => Response | Promise<Response>) {
  return (node: FakeNode, method: string) => {
    node.misbehave = (asked) => (asked === method ? answer() : null)
  }
}

function answering(code: number, message: string) {
  return (node: FakeNode, method: string) => {
    node.answers[method] = says(code, message)
  }
}

function says(code: number, message: string) {
  return () => {
    throw new NodeError(code, message)
  }
}

function wire(bytes: string, ending: 'end' | 'reset') {
  return (node: TcpNode, method: string) => {
    node.sabotage = (call) => (call.method === method ? { bytes, ending } : null)
  }
}

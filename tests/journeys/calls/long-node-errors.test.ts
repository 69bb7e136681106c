import { describe, expect, test } from 'bun:test'
import { type FakeNode, NodeError, startFakeNode } from '../../support/nodes/fake-node.ts'
import { type PoolJourney, poolJourney } from '../../support/nodes/pool-journey.ts'
import { httpAnswer, startTcpNode } from '../../support/nodes/tcp-node.ts'
import { type Answer, rpc } from '../../support/product/headgate.ts'
import { asSolana, SOLANA_NETWORK } from '../../support/solana/solana-journey.ts'

const KIB = 1024
const CALL = rpc('eth_call', [{ to: `0x${'aa'.repeat(20)}`, data: '0x' }, 'latest'], 'mine')

type Shape = [title: string, wrap: (id: number, error: string) => string]

const SHAPES: Shape[] = [
  ['the id first', (id, error) => `{"jsonrpc":"2.0","id":${id},"error":${error}}`],
  ['the error first', (id, error) => `{"error":${error},"jsonrpc":"2.0","id":${id}}`],
  ['the id last', (id, error) => `{"jsonrpc":"2.0","error":${error},"id":${id}}`],
  ['beside a result of null', (id, error) => `{"id":${id},"result":null,"error":${error}}`],
  ['under id null', (_id, error) => `{"jsonrpc":"2.0","error":${error},"id":null}`],
]

type Way = [title: string, answer: (text: string) => Response]

const WAYS: Way[] = [
  ['with a declared length', (text) => new Response(text)],
  ['in chunks', (text) => new Response(new Blob([text]).stream())],
  ['with status 400', (text) => new Response(text, { status: 400 })],
  [
    'compressed',
    (text) => new Response(Bun.gzipSync(text), { headers: { 'content-encoding': 'gzip' } }),
  ],
]

describe("a node's error passes byte for byte and is not held against it", () => {
  test.each(WAYS)('%s', async (_title, answer) => {
    await oneNode(async (node, journey) => {
      for (const [shape, wrap] of SHAPES) {
        for (const bytes of [1 * KIB, 40 * KIB, 400 * KIB, 2 * KIB * KIB]) {
          const error = reverted(bytes)
          says(node, (id) => answer(wrap(id, error)))
          const { status, text, headers } = await journey.gate.post(CALL)
          const isWhole = text === `{"jsonrpc":"2.0","id":"mine","error":${error}}`
          expect({ shape, bytes, status, isWhole }).toEqual({
            shape,
            bytes,
            status: 200,
            isWhole: true,
          })
          expect(headers.get('x-headgate-cu')).toBe('26')
          expect(headers.get('x-headgate-upstream')).toBe('node')
        }
      }
      await expectUnharmed(journey)
    })
  })

  test('among others in a batch, where the node takes it together and where alone', async () => {
    for (const supportsBatch of [true, false]) {
      await oneNode(async (node, journey) => {
        node.supportsBatch = supportsBatch
        const message = 'y'.repeat(300 * KIB)
        node.answers.eth_call = () => {
          throw new NodeError(3, message)
        }
        const calls = [rpc('eth_gasPrice', [], 1), CALL, rpc('eth_chainId', [], 2)]
        const { status, json } = await journey.gate.post(calls)
        expect(status).toBe(200)
        expect(json[0]).toMatchObject({ id: 1, result: '0x3b9aca00' })
        expect(json[2]).toMatchObject({ id: 2, result: '0x1' })
        expect(json[1]).toEqual({ jsonrpc: '2.0', id: 'mine', error: { code: 3, message } })
        await expectUnharmed(journey)
      })
    }
  })

  test('of a Solana node that ran a program with long logs', async () => {
    const node = asSolana(startFakeNode('node'))
    const journey = await poolJourney([node], { network: SOLANA_NETWORK })
    try {
      const logs = Array.from({ length: 6000 }, (_, at) => `Program log: line ${at} of many "]}`)
      const data = { err: 'AccountNotFound', logs, unitsConsumed: 0 }
      const error = { code: -32002, message: 'Transaction simulation failed', data }
      says(node, (id) => Response.json({ jsonrpc: '2.0', id, error }), 'simulateTransaction')
      const { status, json } = await journey.gate.post(rpc('simulateTransaction', ['AQ=='], 7))
      expect(status).toBe(200)
      expect(json).toEqual({ jsonrpc: '2.0', id: 7, error })
      expect(await journey.report('node')).toMatchObject({ state: 'used', error_rate: 0 })
    } finally {
      await journey.stop()
    }
  })

  test.each([
    ['in front', (long: string) => `{"code":-32601,"message":"${long}"}`, '0', 'unknown'],
    ['behind all else', (long: string) => `{"message":"${long}","code":-32601}`, '26', 'eth_call'],
  ])('and a method that it lacks costs nothing where its code stands %s', async (...row) => {
    const [, errorOf, cu, label] = row
    await oneNode(async (node, journey) => {
      const error = errorOf('z'.repeat(300 * KIB))
      says(node, (id) => new Response(`{"id":${id},"error":${error}}`))
      const { status, headers } = await journey.gate.post(CALL)
      expect({ status, cu: headers.get('x-headgate-cu') }).toEqual({ status: 200, cu })
      const metrics = await (await fetch(`${journey.gate.url}/metrics`)).text()
      const counted = `method="${label}",network="ETH_MAINNET",outcome="node_error"} 1`
      expect(metrics).toContain(counted)
    })
  })

  test('and is neither kept nor shared: each caller is told by the node', async () => {
    await oneNode(async (node, journey) => {
      let asked = 0
      says(node, (id) => new Response(`{"id":${id},"error":${reverted(400 * KIB, ++asked)}}`))
      const told = await Promise.all([1, 2, 3].map(() => journey.gate.post(CALL)))
      expect(new Set(told.map(({ json }) => json.error.code)).size).toBe(3)
    })
  })
})

describe('an error that breaks off half way', () => {
  const error = reverted(KIB * KIB)
  const whole = `{"jsonrpc":"2.0","id":1,"error":${error}}`
  const half = whole.slice(0, whole.length / 2)
  const inChunks = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
  const chunked = { 'transfer-encoding': 'chunked' }

  test.each([
    ['with a declared length', httpAnswer(half, { 'content-length': String(whole.length) }), 'end'],
    ['in chunks', httpAnswer(inChunks(half), chunked), 'end'],
    ['in chunks that end properly', httpAnswer(`${inChunks(half)}0\r\n\r\n`, chunked), 'keep'],
    ['without any length', httpAnswer(half, { connection: 'close' }), 'end'],
  ] as const)('breaks the connection, and never looks whole: %s', async (_title, bytes, ending) => {
    const node = await startTcpNode('node')
    const journey = await poolJourney([node])
    try {
      node.sabotage = ({ id, method }) =>
        method === 'eth_call'
          ? { bytes: bytes.replace('"id":1,', `"id":${String(id)},`), ending }
          : null
      for (const body of [CALL, [rpc('eth_blockNumber', [], 1), rpc('eth_call', [{}, '0x1'], 2)]]) {
        const answer = await answerOrNull(journey, body)
        const told = Array.isArray(answer?.json) ? answer?.json[1] : answer?.json
        if (answer) expect(told.error.code).toBe(-32603)
      }
      await journey.reported('node', ({ in_flight }) => in_flight === 0)
    } finally {
      await journey.stop()
    }
  })

  test('or comes under another id at its end, never looks whole', async () => {
    await oneNode(async (node, journey) => {
      says(node, () => new Response(`{"error":${error},"id":987654321}`))
      await expect(journey.gate.post(CALL)).rejects.toThrow()
    })
  })
})

test('an error of no form that JSON-RPC has is not held against its node', async () => {
  await oneNode(async (node, journey) => {
    for (const error of ['"no"', '{"message":"no"}', '["no"]', '{"code":"3","message":"no"}']) {
      says(node, (id) => new Response(`{"jsonrpc":"2.0","id":${id},"error":${error}}`))
      for (let call = 0; call < 5; call++) {
        expect((await journey.gate.post(CALL)).status).toBe(503)
      }
    }
    await expectUnharmed(journey)
  })
})

/** Answers the calls of one method with what `answer` makes of our id. */
function says(node: FakeNode, answer: (id: number) => Response, method = 'eth_call'): void {
  node.misbehave = (asked, body) => (asked === method ? answer(JSON.parse(body).id) : null)
}

/** All that could trip whoever cuts it: escapes, brackets, other scripts, long digits. */
function reverted(bytes: number, code = 3): string {
  const data = '\\"]}\\\\{[é😀'.repeat(Math.ceil(bytes / 14))
  return `{"code":${code}, "message":"execution reverted","data":{"n":18446744073709551615,"hex":"${data}"}}`
}

async function expectUnharmed(journey: PoolJourney): Promise<void> {
  const report = await journey.reported('node', ({ in_flight }) => in_flight === 0)
  expect(report).toMatchObject({ state: 'used', last_fault: null, error_rate: 0 })
}

async function oneNode(run: (node: FakeNode, journey: PoolJourney) => Promise<void>) {
  const node = startFakeNode('node')
  const journey = await poolJourney([node])
  try {
    await run(node, journey)
  } finally {
    await journey.stop()
  }
}

/** Null when the answer could not be read to its end. */
async function answerOrNull(journey: PoolJourney, body: unknown): Promise<Answer | null> {
  try {
    return await journey.gate.post(body)
  } catch {
    return null
  }
}

import { describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { type FakeNode, startFakeNode } from '../../support/nodes/fake-node.ts'
import { type PoolJourney, poolJourney } from '../../support/nodes/pool-journey.ts'
import { httpAnswer, startTcpNode, type TcpNode } from '../../support/nodes/tcp-node.ts'
import { type Answer, rpc, until } from '../../support/product/headgate.ts'

const MEGABYTE = 1024 * 1024
const GET_LOGS = rpc('eth_getLogs', [{ fromBlock: '0x1', toBlock: 'latest' }], 'mine')

/** All that could trip whoever cuts it: escapes, brackets, u64, other scripts. */
const BIG_RESULT = bigResult(8 * MEGABYTE)

describe('an answer of 8 MB', () => {
  test.each([
    [
      'with the id first',
      (id: number) => `{"jsonrpc":"2.0","id":${id},"result":${BIG_RESULT}}`,
      {},
    ],
    ['with the id last', (id: number) => `{"jsonrpc":"2.0","result":${BIG_RESULT},"id":${id}}`, {}],
    [
      'without a declared length',
      (id: number) => `{"id":${id},"result":${BIG_RESULT}}`,
      { chunked: true },
    ],
    [
      'packed',
      (id: number) => `{"jsonrpc":"2.0","id":${id},"result":${BIG_RESULT}}`,
      { gzip: true },
    ],
    ['packed, the id last', (id: number) => `{"result":${BIG_RESULT},"id":${id}}`, { gzip: true }],
  ])('passes byte for byte: %s', async (_title, bodyOf, how) => {
    await oneNode(async ({ node, journey }) => {
      node.misbehave = (method, body) =>
        method === 'eth_getLogs' ? bigAnswer(bodyOf(JSON.parse(body).id), how) : null
      const { status, text } = await journey.gate.post(GET_LOGS)
      expect(status).toBe(200)
      expect(text === `{"jsonrpc":"2.0","id":"mine","result":${BIG_RESULT}}`).toBe(true)
    })
  })

  test('passes byte for byte inside of a batch', async () => {
    await oneNode(async ({ node, journey }) => {
      node.misbehave = (method, body) =>
        method === 'eth_getLogs'
          ? bigAnswer(`{"jsonrpc":"2.0","result":${BIG_RESULT},"id":${JSON.parse(body).id}}`)
          : null
      const { text } = await journey.gate.post([
        rpc('eth_chainId', [], 1),
        GET_LOGS,
        rpc('eth_gasPrice', [], 2),
      ])
      const big = `{"jsonrpc":"2.0","id":"mine","result":${BIG_RESULT}}`
      const before = '{"jsonrpc":"2.0","id":1,"result":"0x1"}'
      const after = '{"jsonrpc":"2.0","id":2,"result":"0x3b9aca00"}'
      expect(text === `[${before},${big},${after}]`).toBe(true)
    })
  })

  test('from one of two nodes passes while the other is down', async () => {
    const good = startFakeNode('good')
    const bad = await startTcpNode('bad')
    good.misbehave = (method, body) =>
      method === 'eth_getLogs'
        ? bigAnswer(`{"id":${JSON.parse(body).id},"result":${BIG_RESULT}}`)
        : null
    const journey = await poolJourney([bad, good], { upstreams: [{}, { priority: 1 }] })
    try {
      await journey.allHealthy()
      bad.cut()
      const { json } = await journey.gate.post(GET_LOGS)
      expect(json.result).toBeArray()
    } finally {
      await journey.stop()
    }
  })
})

describe('an answer without end', () => {
  test('is taken from the node only as fast as the client reads it', async () => {
    await oneNode(async ({ node, journey }) => {
      const stream = endless(node)
      const client = await openClient(journey)
      client.pause()
      await standsStill(() => stream.sentBytes)
      expect(stream.sentBytes).toBeGreaterThan(0)
      // Bytes on their way fill the buffers of three sockets and of the gateway, and no more.
      expect(stream.sentBytes).toBeLessThan(48 * MEGABYTE)

      const before = stream.sentBytes
      client.resume()
      await until(() => stream.sentBytes > before + 64 * MEGABYTE, 'it goes on')
      client.destroy()
      await until(() => stream.cancelled, 'the node is told that nobody listens')
    })
  }, 180_000)

  test('holds a place at the node, and gives it back when the client hangs up', async () => {
    await oneNode(async ({ node, journey }) => {
      const stream = endless(node)
      const clients = [
        await openClient(journey),
        await openClient(journey),
        await openClient(journey),
      ]
      // Asked again until it fits: a look at the node's health is in flight now and then too.
      await journey.reported('node', ({ in_flight }) => in_flight === clients.length)
      for (const client of clients) client.destroy()
      await journey.reported('node', ({ in_flight }) => in_flight === 0)
      await until(() => stream.cancelled, 'the node is told that nobody listens')
      await journey.reads(10)
    })
  }, 180_000)

  test('gives its place back when the client goes before the first byte', async () => {
    await oneNode(async ({ node, journey }) => {
      const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
      const stream = endless(node, held)
      const client = openSocket(journey)
      await until(() => node.callsOf('eth_getLogs') === 1, 'the node was asked')
      client.destroy()
      letGo()
      await until(() => stream.cancelled, 'the node is told')
      await journey.reported('node', ({ in_flight }) => in_flight === 0)
    })
  }, 180_000)

  test('does not keep other calls from being served', async () => {
    await oneNode(async ({ node, journey }) => {
      endless(node)
      const client = await openClient(journey)
      client.pause()
      await journey.reads(50)
      client.destroy()
      await journey.reported('node', ({ in_flight }) => in_flight === 0)
    })
  }, 180_000)
})

describe('an answer that breaks off in the middle', () => {
  const whole = `{"jsonrpc":"2.0","id":1,"result":["${'x'.repeat(MEGABYTE)}"]}`
  const half = whole.slice(0, whole.length / 2)
  const inChunks = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
  const length = { 'content-length': String(whole.length) }
  const chunked = { 'transfer-encoding': 'chunked' }

  test.each([
    ['with a declared length, closed', httpAnswer(half, length), 'end'],
    ['with a declared length, reset', httpAnswer(half, length), 'reset'],
    ['in chunks, closed', httpAnswer(inChunks(half), chunked), 'end'],
    ['in chunks, reset', httpAnswer(inChunks(half), chunked), 'reset'],
    ['in chunks that end properly', httpAnswer(`${inChunks(half)}0\r\n\r\n`, chunked), 'keep'],
    ['without any length', httpAnswer(half, { connection: 'close' }), 'end'],
  ] as const)(
    'makes the client fail, never succeed with less: %s',
    async (_title, bytes, ending) => {
      await oneLine(async ({ node, journey }) => {
        node.sabotage = (call) =>
          call.method === 'eth_getLogs'
            ? { bytes: bytes.replace('"id":1,', `"id":${String(call.id)},`), ending }
            : null
        const alone = await answerOrNull(journey, GET_LOGS)
        if (alone) expect(alone).toMatchObject({ status: 503, json: { error: { code: -32603 } } })
        const batch = await answerOrNull(journey, [rpc('eth_chainId', [], 1), GET_LOGS])
        if (batch) expect(batch.json[1]).toMatchObject({ id: 'mine', error: { code: -32603 } })
        // A reset may overtake what was sent before it, and then nothing was passed on yet.
        if (ending !== 'reset') expect([alone, batch]).toEqual([null, null])
        await journey.reported('node', ({ in_flight }) => in_flight === 0)
      })
    },
    30_000,
  )

  test.each([
    ['with a declared length', httpAnswer(half.slice(0, 100_000), length)],
    ['in chunks', httpAnswer(inChunks(half.slice(0, 100_000)), chunked)],
  ])('before any byte was passed on is asked of another node: %s', async (_title, bytes) => {
    const bad = await startTcpNode('bad')
    const good = startFakeNode('good')
    good.answers.eth_getLogs = [{ blockNumber: '0x1' }]
    const journey = await poolJourney([bad, good], { upstreams: [{}, { priority: 1 }] })
    try {
      await journey.allHealthy()
      bad.sabotage = (call) => (call.method === 'eth_getLogs' ? { bytes, ending: 'reset' } : null)
      const { json } = await journey.gate.post(GET_LOGS)
      expect(json.result).toEqual([{ blockNumber: '0x1' }])
    } finally {
      await journey.stop()
    }
  })

  test('an answer under another id that is found out at its end never reads as whole', async () => {
    await oneNode(async ({ node, journey }) => {
      const wrong = `{"jsonrpc":"2.0","result":["${'x'.repeat(MEGABYTE)}"],"id":987654321}`
      node.misbehave = (method) => (method === 'eth_getLogs' ? new Response(wrong) : null)
      await expect(journey.gate.post(GET_LOGS)).rejects.toThrow()
    })
  })
})

/** Null when the answer could not be read to its end. */
async function answerOrNull(journey: PoolJourney, body: unknown): Promise<Answer | null> {
  try {
    return await journey.gate.post(body)
  } catch {
    return null
  }
}

type Given<Node> = { node: Node; journey: PoolJourney }

async function oneNode(run: (given: Given<FakeNode>) => Promise<void>): Promise<void> {
  await withJourney(startFakeNode('node'), run)
}

async function oneLine(run: (given: Given<TcpNode>) => Promise<void>): Promise<void> {
  await withJourney(await startTcpNode('node'), run)
}

async function withJourney<Node extends FakeNode>(
  node: Node,
  run: (given: Given<Node>) => Promise<void>,
): Promise<void> {
  const journey = await poolJourney([node])
  try {
    await run({ node, journey })
  } finally {
    await journey.stop()
  }
}

function bigResult(bytes: number): string {
  const log = '{"data":"0x\\"\\\\]}","topics":["[{","é😀"],"value":18446744073709551615,"n":1.50}'
  return `[${Array(Math.ceil(bytes / log.length))
    .fill(log)
    .join(',')}]`
}

function bigAnswer(text: string, how: { chunked?: boolean; gzip?: boolean } = {}): Response {
  if (how.gzip) {
    return new Response(Bun.gzipSync(text), { headers: { 'content-encoding': 'gzip' } })
  }
  return new Response(how.chunked ? new Blob([text]).stream() : text)
}

/** An answer to eth_getLogs that goes on as long as somebody takes it. */
function endless(node: FakeNode, from: Promise<void> = Promise.resolve()) {
  const state = { sentBytes: 0, cancelled: false }
  const element = new TextEncoder().encode(`"${'x'.repeat(65_533)}",`)
  node.misbehave = async (method, body) => {
    if (method !== 'eth_getLogs') return null
    await from
    const begin = `{"jsonrpc":"2.0","id":${JSON.parse(body).id},"result":[`
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(begin)),
      async pull(controller) {
        await Bun.sleep(0)
        state.sentBytes += element.length
        controller.enqueue(element)
      },
      cancel() {
        state.cancelled = true
      },
    })
    return new Response(stream)
  }
  return state
}

function openSocket(journey: PoolJourney): Socket {
  const { port } = new URL(journey.gate.url)
  const socket = connect({ host: '127.0.0.1', port: Number(port) })
  socket.on('error', () => {})
  const body = JSON.stringify(GET_LOGS)
  const path = `/eth-mainnet/v2/${journey.gate.appKey}`
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`
  socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`)
  return socket
}

/** A client whose answer has begun. */
async function openClient(journey: PoolJourney): Promise<Socket> {
  const socket = openSocket(journey)
  await new Promise((resolve) => socket.once('data', resolve))
  return socket
}

async function standsStill(bytes: () => number): Promise<void> {
  let before = -1
  while (bytes() !== before) {
    before = bytes()
    await Bun.sleep(300)
  }
}

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { type PoolJourney, poolJourney, SELDOM_POLLED } from '../../support/nodes/pool-journey.ts'
import { rpc, until } from '../../support/product/headgate.ts'

const MIB = 2 ** 20

/** More than the buffers of all sockets to a client that does not read. */
const LONG_BYTES = 20 * MIB

const node = startFakeNode('node')
let journey: PoolJourney
let joined = 0

beforeAll(async () => {
  journey = await poolJourney([node], { network: SELDOM_POLLED })
  await journey.allHealthy()
  const [service] = journey.gate.running.networks.list()
  if (!service) throw new Error('no network')
  const { singleFlight } = service
  const { join } = singleFlight
  // As if no time had passed: a busy machine takes longer than calls may wait for each other.
  singleFlight.join = (key, epoch) => {
    const found = join(key, epoch, 0)
    if (found) joined++
    return found
  }
})

afterAll(() => journey.stop())

test('like calls at the same time are each answered whole, and no answer is mixed', async () => {
  const script = plays((_, at) => (at < 5 * MIB ? 'more' : 'end'))
  const calls = Array.from({ length: 8 }, (_, id) => journey.gate.post(getLogs(id)))
  await allJoined(7)
  script.begin()
  const answers = await Promise.all(calls)
  expect(answers.map(({ json }) => json.id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  const results = answers.map(({ json }) => json.result as string[])
  expect(results.map(({ length }) => length)).toEqual(Array(8).fill(80))
  // Each answer of the node is made of a letter of its own.
  expect(results.map(letterOf).sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
  expect(script.asked).toBe(8)
  const marks = answers.map(({ headers }) => headers.get('x-headgate-cache'))
  expect(marks).toEqual(Array(8).fill('miss'))
  await journey.reported('node', ({ in_flight }) => in_flight === 0)
})

test('one of them that stops reading holds up nobody, and reads the whole of it later', async () => {
  const script = plays((_, at) => (at < LONG_BYTES ? 'more' : 'end'))
  const slow = openReader(1)
  const stopped = new Promise((resolve) => slow.socket.once('data', resolve))
  slow.socket.once('data', () => slow.socket.pause())
  await until(() => script.asked === 1, 'the node was asked')
  const others = [openReader(2), openReader(3)]
  await allJoined(2)
  script.begin()
  await stopped
  for (const other of others) expect((await other.body())?.length).toBeGreaterThan(LONG_BYTES)
  expect((await slow.body())?.length).toBeGreaterThan(LONG_BYTES)
  await journey.reported('node', ({ in_flight }) => in_flight === 0)
})

test('the first of them can go, and the others are answered whole', async () => {
  const script = plays(async (call, at) => {
    if (at === 2 * MIB) await gone.promise
    return at < (call === 0 ? LONG_BYTES : 5 * MIB) ? 'more' : 'end'
  })
  const gone = Promise.withResolvers<void>()
  const first = openSocket(1)
  await until(() => script.asked === 1, 'the node was asked')
  const others = [2, 3].map((id) => journey.gate.post(getLogs(id)))
  await allJoined(2)
  script.begin()
  await new Promise((resolve) => first.once('data', resolve))
  first.destroy()
  gone.resolve()
  for (const { json } of await Promise.all(others)) expect(json.result).toHaveLength(80)
  await until(() => script.cancelled === 1, 'the node is told')
})

test('when all of them go, the node is told', async () => {
  const script = plays(() => 'more')
  const clients = [openSocket(1), openSocket(2)]
  await allJoined(1)
  script.begin()
  for (const client of clients) await new Promise((resolve) => client.once('data', resolve))
  clients[0]?.destroy()
  await until(() => script.cancelled === 1, 'the node is told')
  const { sent } = script
  await until(() => script.sent > sent + 8 * MIB, 'it goes on for the other')
  clients[1]?.destroy()
  await until(() => script.cancelled === 2, 'the node is told')
  await journey.reported('node', ({ in_flight }) => in_flight === 0)
})

test('an answer that breaks off fails its own caller alone', async () => {
  const script = plays((call, at) => {
    if (at < 3 * MIB) return 'more'
    return call === 0 ? 'broken' : 'end'
  })
  const calls = [1, 2, 3].map((id) => journey.gate.post(getLogs(id)))
  await allJoined(2)
  script.begin()
  const outcomes = await Promise.allSettled(calls)
  expect(outcomes.map(({ status }) => status).sort()).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
  ])
  await journey.reported('node', ({ in_flight }) => in_flight === 0)
})

test('like calls in one batch, which are read one after the other, are answered whole', async () => {
  const script = plays((_, at) => (at < 5 * MIB ? 'more' : 'end'))
  const batch = journey.gate.post([getLogs(1), getLogs(2), getLogs(3)])
  await allJoined(2)
  script.begin()
  const { json } = await batch
  for (const { result } of json) expect(result).toHaveLength(80)
})

/** The letter that a whole result is made of. */
function letterOf(result: readonly string[]): string {
  const text = result.join('')
  const letter = text.charAt(0)
  return text === letter.repeat(text.length) ? letter : 'mixed'
}

type Turn = 'more' | 'end' | 'broken'

let plays_ = 0

/** The node's answers to the calls of one test, which wait until they may begin. */
function plays(turn: (call: number, at: number) => Turn | Promise<Turn>) {
  const { promise: held, resolve: begin } = Promise.withResolvers<void>()
  const script = { asked: 0, sent: 0, cancelled: 0, begin }
  joined = 0
  plays_++
  node.misbehave = async (method, body) => {
    if (method !== 'eth_getLogs') return null
    const call = script.asked++
    await held
    const letter = String.fromCharCode(97 + call)
    let at = 0
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const next = await turn(call, at)
        if (next === 'broken') return controller.close()
        const head = at === 0 ? `{"jsonrpc":"2.0","id":${JSON.parse(body).id},"result":[` : ','
        const text = next === 'more' ? `${head}"${letter.repeat(65_533)}"` : `]}`
        at += 65_536
        script.sent += text.length
        controller.enqueue(new TextEncoder().encode(text))
        if (next !== 'more') controller.close()
      },
      cancel() {
        script.cancelled++
      },
    })
    return new Response(stream)
  }
  return script
}

/** Each test has a call of its own. */
function getLogs(id: number) {
  return rpc('eth_getLogs', [{ fromBlock: '0x1', toBlock: 'latest', address: `0x${plays_}` }], id)
}

async function allJoined(count: number): Promise<void> {
  await until(() => joined >= count, 'the calls are under way together')
}

function openSocket(id: number): Socket {
  const { port } = new URL(journey.gate.url)
  const socket = connect({ host: '127.0.0.1', port: Number(port) })
  socket.on('error', () => {})
  const body = JSON.stringify(getLogs(id))
  const path = `/eth-mainnet/v2/${journey.gate.appKey}`
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n`
  const type = 'content-type: application/json\r\n'
  socket.write(`${head}${type}content-length: ${body.length}\r\n\r\n${body}`)
  return socket
}

/** A client that reads as fast as it can, unless its socket is paused. */
function openReader(id: number) {
  const socket = openSocket(id)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const received: Buffer[] = []
  socket.on('data', (chunk) => received.push(Buffer.from(chunk)))
  return {
    socket,
    async body() {
      socket.resume()
      await closed
      return bodyIn(Buffer.concat(received))
    },
  }
}

/** The body of an answer in chunks; null if it breaks off before its end. */
function bodyIn(bytes: Buffer): string | null {
  let at = bytes.indexOf('\r\n\r\n') + 4
  const parts: Buffer[] = []
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return null
    const length = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (length === 0) return Buffer.concat(parts).toString()
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + length))
    at = lineEnd + 2 + length + 2
  }
}

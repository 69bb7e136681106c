import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { startFakeNode } from '../support/fake-node.ts'
import { rpc, until } from '../support/headgate.ts'
import { type PoolJourney, poolJourney, SELDOM_POLLED } from '../support/pool-journey.ts'

const MIB = 2 ** 20

/** More than the buffers of all sockets to a client that does not read. */
const LONG_BYTES = 20 * MIB

/** Answers up to this size are not streamed. */
const STREAMED_BYTES = 512 * 1024

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

test('like calls of 5 MB at the same time are one call to the node, each answered whole', async () => {
  const script = plays((_, at) => (at < 5 * MIB ? 'more' : 'end'))
  const calls = Array.from({ length: 20 }, (_, id) => journey.gate.post(getLogs(id)))
  await allJoined(19)
  script.begin()
  const answers = await Promise.all(calls)
  answers.forEach(({ text }, id) => {
    expect(text.slice(0, 40)).toStartWith(`{"jsonrpc":"2.0","id":${id},"result":["x`)
  })
  const results = answers.map(({ text }) => Bun.hash(text.slice(text.indexOf('"result"'))))
  expect(new Set(results).size).toBe(1)
  expect(JSON.parse(answers[7]?.text ?? '').result).toHaveLength(80)
  expect(script.asked).toBe(1)
  const marks = answers.map(({ headers }) => headers.get('x-headgate-cache'))
  expect(marks.filter((mark) => mark === 'coalesced')).toHaveLength(19)
})

test('one of them that stops reading holds up nobody, and reads the whole of it later', async () => {
  const readers: Reader[] = []
  const script = plays((call, at) => pacedTurn(call, at, slow, readers))
  const first = openReader(1)
  await until(() => script.asked === 1, 'the node was asked')
  const slow = openSlowReader(2)
  const third = openReader(3)
  readers.push(first, third)
  await allJoined(2)
  script.begin()
  const [one, three] = await Promise.all([first.body(), third.body()])
  expect(one?.length).toBeGreaterThan(LONG_BYTES)
  expect(three).toBe(String(one).replace('"id":1,', '"id":3,'))
  // It was left behind, so it has an answer of its own.
  await until(() => script.asked === 2, 'the node was asked again')
  expect(await slow.body()).toBe(String(one).replace('"id":1,', '"id":2,'))
  expect(script.asked).toBe(2)
  await journey.reported('node', ({ in_flight }) => in_flight === 0)
})

test('one that was left behind never takes the end of another answer for its own', async () => {
  const readers: Reader[] = []
  const script = plays((call, at) => pacedTurn(call, at, slow, readers))
  script.letterOf = (call, at) => (call === 1 && at === 0 ? 'y' : 'x')
  const slow = openSlowReader(1)
  await until(() => script.asked === 1, 'the node was asked')
  const other = openReader(2)
  readers.push(other)
  await allJoined(1)
  script.begin()
  expect((await other.body())?.length).toBeGreaterThan(LONG_BYTES)
  await until(() => script.asked === 2, 'the node was asked again')
  expect(await slow.body()).toBeNull()
  await journey.reported('node', ({ in_flight }) => in_flight === 0)
})

test('the first of them can go, and the others are answered whole', async () => {
  const script = plays(async (_, at) => {
    if (at === 2 * MIB) await gone.promise
    return at < 5 * MIB ? 'more' : 'end'
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
  expect(script.asked).toBe(1)
})

test('when all of them go, the node is told', async () => {
  const script = plays(() => 'more')
  const clients = [openSocket(1), openSocket(2)]
  await allJoined(1)
  script.begin()
  for (const client of clients) await new Promise((resolve) => client.once('data', resolve))
  clients[0]?.destroy()
  const { sent } = script
  await until(() => script.sent > sent + 8 * MIB, 'it goes on for the other')
  clients[1]?.destroy()
  // On a busy machine, one of them may have been left behind and have a call of its own.
  await until(() => script.cancelled === script.asked, 'the node is told')
  await journey.reported('node', ({ in_flight }) => in_flight === 0)
})

test('an answer that breaks off breaks off for all of them', async () => {
  const script = plays((_, at) => (at < 3 * MIB ? 'more' : 'broken'))
  const calls = [1, 2, 3].map((id) => journey.gate.post(getLogs(id)))
  await allJoined(2)
  script.begin()
  const outcomes = await Promise.allSettled(calls)
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(script.asked).toBe(1)
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

type Turn = 'more' | 'end' | 'broken'

let plays_ = 0

/** The node's answers to the calls of one test, which wait until they may begin. */
function plays(turn: (call: number, at: number) => Turn | Promise<Turn>) {
  const { promise: held, resolve: begin } = Promise.withResolvers<void>()
  const script = {
    asked: 0,
    sent: 0,
    cancelled: 0,
    begin,
    letterOf: (_call: number, _at: number) => 'x',
  }
  joined = 0
  plays_++
  node.misbehave = async (method, body) => {
    if (method !== 'eth_getLogs') return null
    const call = script.asked++
    await held
    let at = 0
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const next = await turn(call, at)
        if (next === 'broken') return controller.close()
        const head = at === 0 ? `{"jsonrpc":"2.0","id":${JSON.parse(body).id},"result":[` : ','
        const letter = script.letterOf(call, at)
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
  await until(() => joined >= count, 'the calls are one')
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

/** A client that reads as fast as it can. */
function openReader(id: number) {
  const socket = openSocket(id)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const received: Buffer[] = []
  let bytes = 0
  socket.on('data', (chunk) => {
    received.push(Buffer.from(chunk))
    bytes += chunk.length
  })
  return {
    socket,
    bytes: () => bytes,
    async body() {
      socket.resume()
      await closed
      return bodyIn(Buffer.concat(received))
    },
  }
}

type Reader = ReturnType<typeof openReader>

/** A client that reads the beginning of its answer, then stops until its body is asked for. */
function openSlowReader(id: number) {
  const reader = openReader(id)
  const stopped = Promise.withResolvers<void>()
  reader.socket.once('data', () => {
    reader.socket.pause()
    stopped.resolve()
  })
  return { ...reader, stopped: stopped.promise }
}

/**
 * The node's first answer stays close to the fast readers, so that none of them is left behind,
 * however busy the machine is.
 */
async function pacedTurn(
  call: number,
  at: number,
  slow: { stopped: Promise<void> },
  readers: readonly Reader[],
): Promise<Turn> {
  if (at > STREAMED_BYTES) await slow.stopped
  const isBehind = ({ bytes }: Reader) => bytes() < at - STREAMED_BYTES
  while (call === 0 && readers.some(isBehind)) await Bun.sleep(1)
  return at < LONG_BYTES ? 'more' : 'end'
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

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

const MIB = 2 ** 20
const ANSWER_CHARS = 200_000

const node = startFakeNode()
let headgate: TestHeadgate

beforeAll(async () => {
  node.answers.eth_getCode = 'ab'.repeat(ANSWER_CHARS / 2)
  const env = {
    HEADGATE_LIMITS_UNREAD_BYTES_MAX: String(32 * MIB),
    HEADGATE_LIMITS_UNREAD_MS: '2000',
  }
  headgate = await startHeadgate({ nodes: [node], env })
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
})

/** A batch whose answer has so many bytes, each member one of its own. */
const batchOf = (bytes: number) =>
  Array.from({ length: Math.ceil(bytes / ANSWER_CHARS) }, (_, id) =>
    rpc('eth_getCode', [`0x${id}`, 'latest'], id),
  )

type Answered = { result?: string; error?: { code: number; message: string } }

test('who does not read holds no more than a share, is cut in the end, and harms nobody', async () => {
  const made = await headgate.api('POST', '/api/apps', {
    name: 'another',
    networks: ['ETH_MAINNET'],
  })
  const another = { key: made.json.data.key as string }
  const before = node.callsOf('eth_getCode')
  const sockets = [1, 2].map(() => askAndDoNotRead(batchOf(14 * MIB)))
  await until(() => node.callsOf('eth_getCode') > before, 'the answers are under way')

  // Its share is used up: large answers are refused, one by one, and small ones are not.
  let refused: Answered | undefined
  await until(async () => {
    const { status, json } = await headgate.post(batchOf(10 * MIB))
    expect(status).toBe(200)
    refused = (json as Answered[]).find(({ error }) => error)
    return refused !== undefined
  }, 'a member is refused')
  expect(refused?.error).toEqual({
    code: -32603,
    message: 'Too many large answers to this app have not been read yet; please try again.',
  })
  expect((await headgate.post([rpc('eth_chainId')])).json[0].result).toBe('0x1')
  expect((await headgate.post(rpc('eth_getCode', ['0x0', 'latest']))).status).toBe(200)

  // Another app has its own.
  const others = await headgate.post(batchOf(2 * MIB), another)
  expect((others.json as Answered[]).every(({ result }) => result?.length === ANSWER_CHARS)).toBe(
    true,
  )

  // A client that takes nothing is cut off, and its share is free again.
  await until(async () => {
    const { json } = await headgate.post(batchOf(14 * MIB))
    return (json as Answered[]).every(({ result }) => result !== undefined)
  }, 'all of it can be had again')
  for (const socket of sockets) socket.destroy()
}, 180_000)

function askAndDoNotRead(body: unknown): Socket {
  const { port } = new URL(headgate.url)
  const socket = connect({ host: '127.0.0.1', port: Number(port) })
  socket.on('error', () => {})
  socket.pause()
  const text = JSON.stringify(body)
  const head = `POST /eth-mainnet/v2/${headgate.appKey} HTTP/1.1\r\nhost: a\r\n`
  socket.write(`${head}content-length: ${text.length}\r\n\r\n${text}`)
  return socket
}

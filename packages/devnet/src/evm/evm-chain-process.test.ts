import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { systemClock } from '../clock.ts'
import { type EvmChain, startEvmChain } from './evm-chain.ts'

const MIB = 1_048_576

let chain: EvmChain

beforeAll(async () => {
  chain = await startEvmChain({ clock: systemClock(), blockTimeMs: 0 })
})
afterAll(() => chain.stop())

describe('the chain over HTTP', () => {
  test.each([
    ['a large number', '9007199254740993'],
    ['text', '"abc"'],
    ['text with a quote', '"a\\"b"'],
    ['zero', '0'],
  ])('gives the id back exactly: %s', async (_title, id) => {
    const text = await post(`{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`)
    expect(text).toBe(`{"jsonrpc":"2.0","id":${id},"result":"0x7a69"}`)
  })

  test('answers a batch in its order, good and bad members alike', async () => {
    const calls = [call(1, 'evm_mine'), call(2, 'eth_blockNumber'), 7, call(3, 'eth_nothing')]
    const answers = JSON.parse(await post(JSON.stringify(calls)))
    expect(answers).toMatchObject([
      { id: 1 },
      { id: 2, result: expect.stringMatching(/^0x[1-9a-f]/) },
      { id: null, error: { code: -32600 } },
      { id: 3, error: { code: -32601 } },
    ])
  })

  test.each([
    ['nothing', '', -32700],
    ['half a body', '{"jsonrpc":"2.0",', -32700],
    ['a body deeper than any stack', '['.repeat(2 * MIB), -32700],
    ['an empty batch', '[]', -32600],
    ['a batch of 1,001', JSON.stringify(Array(1_001).fill(call(1, 'eth_chainId'))), -32600],
    ['a number', '7', -32600],
    ['null', 'null', -32600],
    ['a method that is no text', '{"id":1,"method":{}}', -32600],
    ['parameters that are no list', '{"id":1,"method":"eth_call","params":7}', -32602],
    ['parameters of the wrong kind', '{"id":1,"method":"eth_getBalance","params":["0x"]}', -32602],
    ['a transaction that is none', call(1, 'eth_sendRawTransaction', ['0x02']), -32602],
    ['a subscription without a socket', call(1, 'eth_subscribe', ['newHeads']), -32601],
  ])('refuses %s', async (_title, body, code) => {
    const text = await post(typeof body === 'string' ? body : JSON.stringify(body))
    const { error } = JSON.parse(text)
    expect(error.code).toBe(code)
    // What was asked is not sent back inside of the error.
    expect(error.data).toBeUndefined()
    expect(await post(JSON.stringify(call(1, 'eth_chainId')))).toContain('0x7a69')
  })

  test('refuses a body over 5 MiB, announced or not', async () => {
    const large = `"${'x'.repeat(5 * MIB)}"`
    const announced = await fetch(chain.url, { method: 'POST', body: large })
    expect(announced.status).toBe(413)

    async function* pieces() {
      for (let piece = 0; piece < 6; piece++) yield Buffer.alloc(MIB, 'x')
    }
    const streamed = fetch(chain.url, {
      method: 'POST',
      body: pieces() as unknown as ReadableStream,
    })
    const status = await streamed.then((answer) => answer.status).catch(() => 'cut off')
    expect([413, 'cut off']).toContain(status)
    expect(await post(JSON.stringify(call(1, 'eth_chainId')))).toContain('0x7a69')
  })

  test('listens to POST only', async () => {
    const answer = await fetch(chain.url)
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST')
  })
})

describe('the chain over a WebSocket', () => {
  test('answers calls and batches as over HTTP', async () => {
    const socket = await open()
    const [answer] = await socket.ask('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}', 1)
    expect(answer).toEqual({ jsonrpc: '2.0', id: 1, result: '0x7a69' })
    const [refusal] = await socket.ask('nonsense', 1)
    expect(refusal).toMatchObject({ error: { code: -32700 } })
    socket.close()
  })

  test('a subscription made and fed in one batch is told its id before its first event', async () => {
    const socket = await open()
    const batch = [call(1, 'eth_subscribe', ['newHeads']), call(2, 'hardhat_mine', ['0x3'])]
    const [answers, ...events] = await socket.ask(JSON.stringify(batch), 4)
    const [{ result: id }] = answers as [{ result: string }]
    expect(events).toMatchObject(Array(3).fill({ params: { subscription: id } }))
    socket.close()
  })

  test('nothing is heard after unsubscribing, and others go on hearing', async () => {
    const leaving = await open()
    const staying = await open()
    const subscribe = JSON.stringify(call(1, 'eth_subscribe', ['newHeads']))
    const [{ result: id }] = (await leaving.ask(subscribe, 1)) as [{ result: string }]
    const [{ result: kept }] = (await staying.ask(subscribe, 1)) as [{ result: string }]
    const unsubscribe = JSON.stringify(call(2, 'eth_unsubscribe', [id]))
    expect(await leaving.ask(unsubscribe, 1)).toMatchObject([{ result: true }])

    const [head] = await staying.ask(JSON.stringify(call(3, 'evm_mine')), 2)
    expect(JSON.stringify(head)).toContain(kept)
    const [answer] = await leaving.ask(JSON.stringify(call(4, 'eth_chainId')), 1)
    expect(answer).toMatchObject({ id: 4 })
    leaving.close()
    staying.close()
  })

  test('a listener that went away without a word leaves no subscription behind', async () => {
    const gone = await open()
    const subscribe = JSON.stringify(call(1, 'eth_subscribe', ['newHeads']))
    const [{ result: id }] = (await gone.ask(subscribe, 1)) as [{ result: string }]
    await gone.close()

    // The chain says true when it still has the subscription.
    const other = await open()
    const unsubscribe = JSON.stringify(call(2, 'eth_unsubscribe', [id]))
    expect(await other.ask(unsubscribe, 1)).toMatchObject([{ result: false }])
    other.close()
  })
})

function call(id: number, method: string, params: unknown[] = []) {
  return { jsonrpc: '2.0', id, method, params }
}

async function post(body: string): Promise<string> {
  return (await fetch(chain.url, { method: 'POST', body })).text()
}

async function open() {
  const socket = new WebSocket(chain.wsUrl)
  const heard: unknown[] = []
  let wake = () => {}
  socket.onmessage = ({ data }) => {
    heard.push(JSON.parse(String(data)))
    wake()
  }
  await new Promise((resolve) => {
    socket.onopen = resolve
  })
  return {
    /** Sends a text and waits for so many messages. */
    async ask(text: string, messages: number): Promise<unknown[]> {
      socket.send(text)
      while (heard.length < messages) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return heard.splice(0)
    },
    close(): Promise<void> {
      return new Promise((resolve) => {
        socket.onclose = () => resolve()
        socket.close()
      })
    },
  }
}

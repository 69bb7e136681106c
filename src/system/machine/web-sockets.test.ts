import { afterEach, describe, expect, test } from 'bun:test'
import { startScriptedServer, until } from '../../../tests/support/nodes/scripted-server.ts'
import type { SocketEnd } from '../../ports/sockets.ts'
import { openWebSockets } from './web-sockets.ts'

const MESSAGE_CHARS_MAX = 1024 * 1024

const sockets = openWebSockets()
const stops: (() => unknown)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

describe('a socket', () => {
  test('carries texts both ways, in order', async () => {
    const server = echoServer()
    const line = dial(server.url)
    await until(() => line.opened === 1, 'it opens')
    for (const text of ['one', 'zwei – 二', '']) line.socket.send(text)
    await until(() => line.received.length === 3, 'all come back')
    expect(line.received).toEqual(['one', 'zwei – 二', ''])
  })

  test('brings the headers it was given, and nothing is packed', async () => {
    const server = echoServer()
    const line = dial(server.url, { authorization: 'Basic dTpw', 'x-vendor': 'v' })
    await until(() => line.opened === 1, 'it opens')
    const headers = server.requests[0]
    expect(headers?.get('authorization')).toBe('Basic dTpw')
    expect(headers?.get('x-vendor')).toBe('v')
    expect(headers?.get('sec-websocket-extensions')).toBeNull()
  })

  test('that the server ends is lost, once, and its words are not repeated', async () => {
    const line = dial(echoServer().url)
    await until(() => line.opened === 1, 'it opens')
    line.socket.send('bye')
    await until(() => line.ends.length > 0, 'it ends')
    line.socket.close()
    line.socket.send('anybody there?')
    await settled()
    expect(line.ends).toEqual(['lost'])
  })

  test('whose server vanishes is lost', async () => {
    const server = echoServer()
    const line = dial(server.url)
    await until(() => line.opened === 1, 'it opens')
    server.stop()
    await until(() => line.ends.length > 0, 'it ends')
    expect(line.ends).toEqual(['lost'])
  })

  test('that we close ends at once and hears nothing more', async () => {
    const server = echoServer()
    const line = dial(server.url)
    await until(() => line.opened === 1, 'it opens')
    line.socket.send('too late to be heard')
    line.socket.close()
    expect(line.ends).toEqual([])
    await until(() => server.closed() === 1, 'the server notices')
    await settled()
    expect(line).toMatchObject({ received: [], ends: ['closed'] })
  })

  test('is closed by a message longer than it takes', async () => {
    const server = echoServer()
    const line = dial(server.url)
    await until(() => line.opened === 1, 'it opens')
    line.socket.send('flood')
    await until(() => line.ends.length > 0, 'it ends')
    await until(() => server.closed() === 1, 'the server notices')
    expect(line).toMatchObject({ received: [], ends: ['message_too_large'] })
  })

  test('takes a longer message where one is expected', async () => {
    const line = dial(echoServer().url, {}, 16 * 1024 * 1024)
    await until(() => line.opened === 1, 'it opens')
    line.socket.send('flood')
    await until(() => line.received.length > 0, 'it comes')
    expect(line.received[0]).toHaveLength(1024 * 1024 + 1)
    expect(line.ends).toEqual([])
  })

  test('drops messages that are no text', async () => {
    const line = dial(echoServer().url)
    await until(() => line.opened === 1, 'it opens')
    line.socket.send('bytes')
    line.socket.send('after')
    await until(() => line.received.length > 0, 'the text comes')
    expect(line.received).toEqual(['after'])
  })

  test('drops what is sent before it opened', async () => {
    const line = dial(echoServer().url)
    line.socket.send('early')
    await until(() => line.opened === 1, 'it opens')
    line.socket.send('in time')
    await until(() => line.received.length > 0, 'an echo comes')
    expect(line.received).toEqual(['in time'])
  })
})

describe('a socket that never opens', () => {
  const refusing = () => {
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') })
    server.stop(true)
    return `ws://127.0.0.1:${server.port}/`
  }
  const answering = (bytes: string) => {
    const server = startScriptedServer({ onRequest: (peer) => peer.send(bytes) })
    stops.push(server.stop)
    return server.url.replace('http', 'ws')
  }

  test.each<[string, () => string]>([
    ['as nobody listens', refusing],
    ['as it is forbidden', () => answering('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')],
    [
      'as it is sent elsewhere',
      () => answering('HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n'),
    ],
    ['as the other side speaks something else', () => answering('SSH-2.0-OpenSSH\r\n\r\n')],
    ['as its host has no address', () => 'ws://nowhere.invalid/'],
    ['as it is no address at all', () => 'ws://'],
  ])('is unreachable: %s', async (_title, url) => {
    const line = dial(url())
    expect(line.ends).toEqual([])
    await until(() => line.ends.length > 0, 'it ends')
    line.socket.close()
    await settled()
    expect(line).toMatchObject({ opened: 0, received: [], ends: ['unreachable'] })
  })

  test('can be given up', async () => {
    const server = startScriptedServer({})
    stops.push(server.stop)
    const line = dial(server.url.replace('http', 'ws'))
    await until(() => server.requests().length === 1, 'the server is asked')
    line.socket.close()
    await until(() => server.peers[0]?.closed === true, 'the connection is gone')
    expect(line).toMatchObject({ opened: 0, ends: ['closed'] })
  })

  test('is unreachable when a header cannot be sent', async () => {
    const line = dial(echoServer().url, { 'x-broken': 'a\r\nb: c' })
    await until(() => line.ends.length > 0, 'it ends')
    expect(line.ends).toEqual(['unreachable'])
  })
})

function dial(
  url: string,
  headers: Record<string, string> = {},
  messageCharsMax = MESSAGE_CHARS_MAX,
) {
  const ends: SocketEnd[] = []
  const received: string[] = []
  const line = { opened: 0, received, ends, socket: { send(_text: string) {}, close() {} } }
  line.socket = sockets.open(
    { url, headers, messageCharsMax },
    {
      opened: () => void line.opened++,
      received: (text) => void received.push(text),
      closed: (reason) => void ends.push(reason),
    },
  )
  stops.push(() => line.socket.close())
  return line
}

/** Says back what it hears, but for a few words. */
function echoServer() {
  const requests: Headers[] = []
  let closed = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request, self) {
      requests.push(request.headers)
      return self.upgrade(request) ? undefined : new Response('', { status: 400 })
    },
    websocket: {
      perMessageDeflate: true,
      message(peer, text) {
        if (text === 'bye') peer.close(1000, 'a secret')
        else if (text === 'flood') peer.send('x'.repeat(1024 * 1024 + 1))
        else if (text === 'bytes') peer.send(new Uint8Array([1, 2, 3]))
        else peer.send(text)
      },
      close: () => void closed++,
    },
  })
  const stop = () => server.stop(true)
  stops.push(stop)
  return { url: `ws://127.0.0.1:${server.port}/`, requests, closed: () => closed, stop }
}

/** Lets whatever could still be told be told. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
}

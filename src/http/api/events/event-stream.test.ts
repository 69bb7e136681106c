import { afterEach, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { until } from '../../../../tests/support/basics/until.ts'
import { type EventStream, openEventStream, type StreamEnd } from './event-stream.ts'

const KIB = 1024

let server: ReturnType<typeof Bun.serve>
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server.stop(true)
})

/** A server that answers each request with a stream, in the order they came. */
function serve() {
  const streams: EventStream[] = []
  const ends: StreamEnd[] = []
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    reusePort: false,
    idleTimeout: 1,
    fetch(request, socket) {
      const connection = {
        hold: () => socket.timeout(request, 0),
        cut: () => socket.timeout(request, 1),
      }
      const stream = openEventStream(connection, (end) => ends.push(end))
      streams.push(stream)
      return stream.response
    },
  })
  return { streams, ends, url: `http://127.0.0.1:${server.port}/` }
}

/** Asks, and takes no byte of the answer. */
function deafClient(): Socket {
  const socket = connect(server.port ?? 0, '127.0.0.1')
  sockets.push(socket)
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  return socket
}

describe('a stream of events', () => {
  test('sends what it is given at once, piece by piece, until it is ended', async () => {
    const { streams, ends, url } = serve()
    const asked = fetch(url)
    await until(() => streams.length === 1, 'it is asked for')
    streams[0]?.send('one\n\n')
    const { body } = await asked
    const reader = body?.getReader()
    const next = async () => new TextDecoder().decode((await reader?.read())?.value as Uint8Array)
    expect(await next()).toBe('one\n\n')
    streams[0]?.send('two €\n\n')
    expect(await next()).toBe('two €\n\n')
    streams[0]?.send('three\n\n')
    streams[0]?.end('revoked')
    expect(await next()).toBe('three\n\n')
    expect((await reader?.read())?.done).toBe(true)
    streams[0]?.send('never')
    expect(ends).toEqual(['revoked'])
  })

  test('may be silent for longer than the server waits for others', async () => {
    const { streams, ends, url } = serve()
    const asked = fetch(url)
    await until(() => streams.length === 1, 'it is asked for')
    streams[0]?.send('one\n\n')
    const reader = (await asked).body?.getReader()
    await reader?.read()
    // The server closes idle connections after a second, or four as its clock ticks.
    await Bun.sleep(5_500)
    streams[0]?.send('two\n\n')
    const { value } = (await reader?.read()) ?? {}
    expect(new TextDecoder().decode(value as Uint8Array)).toBe('two\n\n')
    expect(ends).toEqual([])
  }, 15_000)

  test('notices that its client has left', async () => {
    const { streams, ends } = serve()
    const socket = deafClient()
    await until(() => streams.length === 1, 'it is asked for')
    streams[0]?.send('one\n\n')
    socket.destroy()
    await until(() => ends.length === 1, 'it is over')
    expect(ends).toEqual(['left'])
  })

  test('holds little of what a client does not take, and cuts it off', async () => {
    const { streams, ends } = serve()
    const socket = deafClient()
    await until(() => streams.length === 1, 'it is asked for')
    const text = `${'x'.repeat(64 * KIB)}\n\n`
    let sent = 0
    // The kernel takes some megabytes before anything is left unread.
    const isCut = () => {
      streams[0]?.send(text)
      sent += text.length
      return ends.length === 1
    }
    await until(isCut, 'it is cut')
    expect(ends).toEqual(['slow'])
    expect(sent).toBeLessThan(64 * KIB * KIB)
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
    socket.resume()
    await closed
  })

  test('one that is larger than all it may hold cuts it off too', async () => {
    const { streams, ends } = serve()
    deafClient()
    await until(() => streams.length === 1, 'it is asked for')
    streams[0]?.send('x'.repeat(385 * KIB))
    expect(ends).toEqual(['slow'])
  })
})

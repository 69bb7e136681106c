import type { ServerWebSocket } from 'bun'
import { serveUntilClosed } from './serve-until-closed.ts'

/**
 * The bare loop of P17: whatever texts are posted to it are written to every socket, and nothing
 * else is done. Prints its port, ends when its standard input does.
 */
const sockets = new Set<ServerWebSocket<undefined>>()

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request, self) {
    if (request.headers.get('upgrade') && self.upgrade(request)) return undefined
    const frames = (await request.json()) as string[]
    for (const socket of sockets) for (const frame of frames) socket.send(frame)
    return new Response('written')
  },
  websocket: {
    open: (socket) => void sockets.add(socket),
    close: (socket) => void sockets.delete(socket),
    message: (socket) => void socket.send('{"id":1,"result":"0x1"}'),
  },
})

await serveUntilClosed(server.port)

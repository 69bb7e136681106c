import { serveUntilClosed } from './serve-until-closed.ts'

/**
 * Writes bytes from memory: the path says how many. Prints its port, ends when its standard
 * input does.
 */
const BYTES_MAX = 64 * 2 ** 20
const bytes = new Uint8Array(BYTES_MAX).fill(120)

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 255,
  async fetch(request) {
    await request.arrayBuffer()
    const wanted = Number(new URL(request.url).pathname.slice(1))
    return new Response(bytes.subarray(0, wanted))
  },
})

await serveUntilClosed(server.port)

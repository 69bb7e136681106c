import { serveUntilClosed } from './serve-until-closed.ts'

/**
 * Destinations of deliveries, each on a port of its own: so many that answer at once, and so
 * many that take everything and never answer. Prints the ports of both, ends when its standard
 * input does. They cost as little as possible, since receivers are elsewhere in reality and
 * here they share the cores with who sends. With `timed`, a GET tells when deliveries of one
 * block came, by the clock of the machine.
 */
const [healthy = 0, hanging = 0] = process.argv.slice(2, 4).map(Number)
const isTimed = process.argv[4] === 'timed'

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const HEAD_END = '\r\n\r\n'
const LENGTH = /content-length: *(\d+)/i

/** Blocks whose arrivals can still be asked for. */
const KEPT_BLOCKS = 64

const arrivals = new Map<string, number[]>()

const healthyPorts = Array.from({ length: healthy }, () => (isTimed ? timedPort() : plainPort()))

const hangingPorts = Array.from({ length: hanging }, () => {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  return server.port
})

await serveUntilClosed(JSON.stringify({ healthy: healthyPorts, hanging: hangingPorts }))

/** Takes requests apart as far as it must to know where they end, and answers each. */
function plainPort(): number {
  const server = Bun.listen<{ head: Buffer; bodyLeft: number }>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.data = { head: Buffer.alloc(0), bodyLeft: 0 }
      },
      data(socket, come) {
        const { data } = socket
        const chunk = data.head.length > 0 ? Buffer.concat([data.head, come]) : come
        data.head = Buffer.alloc(0)
        let at = 0
        while (at < chunk.length) {
          if (data.bodyLeft === 0) {
            const end = chunk.indexOf(HEAD_END, at)
            if (end < 0) {
              data.head = chunk.subarray(at)
              return
            }
            data.bodyLeft = Number(LENGTH.exec(chunk.toString('latin1', at, end))?.[1] ?? 0)
            at = end + HEAD_END.length
          }
          const taken = Math.min(data.bodyLeft, chunk.length - at)
          data.bodyLeft -= taken
          at += taken
          if (data.bodyLeft === 0) socket.write(ANSWER)
        }
      },
    },
  })
  return server.port
}

function timedPort(): number {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 255,
    async fetch(request) {
      if (request.method === 'GET') return Response.json(timesOf(request.url))
      note(await request.text())
      return new Response('ok')
    },
  })
  return server.port ?? 0
}

function note(body: string): void {
  const atMs = performance.timeOrigin + performance.now()
  const hash = /"hash":"(0x[0-9a-f]{64})"/.exec(body)?.[1] ?? ''
  const times = arrivals.get(hash)
  if (times) return void times.push(atMs)
  arrivals.set(hash, [atMs])
  const oldest = arrivals.keys().next().value
  if (arrivals.size > KEPT_BLOCKS && oldest !== undefined) arrivals.delete(oldest)
}

function timesOf(url: string): number[] {
  return arrivals.get(new URL(url).pathname.slice(1)) ?? []
}

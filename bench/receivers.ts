/**
 * Destinations of deliveries, each on a port of its own: so many that answer at once, and so
 * many that take everything and never answer. Prints the ports of both, ends when its standard
 * input does. A GET tells when deliveries of one block came, by the clock of the machine.
 */
const [healthy = 0, hanging = 0] = process.argv.slice(2).map(Number)

/** Blocks whose arrivals can still be asked for. */
const KEPT_BLOCKS = 64

const arrivals = new Map<string, number[]>()

const healthyPorts = Array.from({ length: healthy }, () => {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 255,
    async fetch(request) {
      if (request.method === 'GET') return Response.json(timesOf(request.url))
      const body = await request.text()
      if (request.url.endsWith('/timed')) note(body)
      return new Response('ok')
    },
  })
  return server.port
})

const hangingPorts = Array.from({ length: hanging }, () => {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  return server.port
})

console.log(JSON.stringify({ healthy: healthyPorts, hanging: hangingPorts }))
for await (const _ of Bun.stdin.stream()) {
  // Nothing is expected; the end of the stream is the signal.
}
process.exit(0)

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

export {}

import { serveUntilClosed } from './serve-until-closed.ts'

/** The least a proxy on this runtime can do: no key, no limit, no meter, no checks. */
const upstream = process.argv[2] ?? ''

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 255,
  fetch: async (request) => {
    const body = await request.text()
    const answer = await fetch(upstream, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    const headers = { 'content-type': 'application/json' }
    // Without a length the answer is a big one, which nobody in his right mind would hold.
    if (answer.headers.get('content-length') === null) return new Response(answer.body, { headers })
    return new Response(await answer.text(), { headers })
  },
})

await serveUntilClosed(server.port)

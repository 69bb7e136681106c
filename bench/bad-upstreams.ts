import { serveUntilClosed } from './serve-until-closed.ts'

/** Two nodes nobody wants: one takes every call and never answers, one answers 500. */
const hanging = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 255,
  fetch: () => new Promise<Response>(() => {}),
})
const failing = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => new Response('no', { status: 500 }),
})

await serveUntilClosed(hanging.port, failing.port)

import { afterEach, describe, expect, test } from 'bun:test'
import { quietTelemetry } from '../../tests/support/basics/quiet-telemetry.ts'
import { systemClock } from '../system/machine/system-clock.ts'
import { type HttpServer, type Routes, startServer } from './server.ts'

let server: HttpServer | undefined

afterEach(() => server?.stop(0))

describe('a bug of ours', () => {
  test.each([
    ['thrown', () => throwing()],
    ['rejected', () => Promise.resolve().then(throwing)],
  ])(
    'that is %s ends one request with valid JSON-RPC, and the next is served',
    async (_how, bug) => {
      const url = serve({ rpc: bug, pages: new Map([['/ok', () => new Response('ok')]]) })
      const broken = await fetch(`${url}/eth-mainnet/v2/key`, { method: 'POST', body: '{}' })
      expect(broken.status).toBe(500)
      expect(await broken.json()).toEqual({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32603, message: 'Internal error.' },
      })
      expect(await (await fetch(`${url}/ok`)).text()).toBe('ok')
    },
  )
})

describe('a path', () => {
  test.each([
    ['nobody knows', 'GET', '/nothing', 404],
    ['of a page, posted to', 'POST', '/ok', 405],
  ])('that %s', async (_what, method, path, status) => {
    const url = serve({ pages: new Map([['/ok', () => new Response('ok')]]) })
    expect((await fetch(`${url}${path}`, { method })).status).toBe(status)
  })

  test('is answered with 503 while the service is still opening', async () => {
    const url = serve(null)
    expect((await fetch(`${url}/healthz`)).status).toBe(503)
  })
})

function throwing(): never {
  throw new Error('a secret detail')
}

function serve(routes: Partial<Routes> | null): string {
  const none = async () => new Response('')
  server = startServer({
    clock: systemClock(),
    descriptors: null,
    telemetry: quietTelemetry(),
    host: '127.0.0.1',
    port: 0,
    trustProxy: false,
    domain: () => 'localhost',
    routes: () =>
      routes
        ? { rpc: none, webSockets: null, api: none, pages: new Map(), inbox: null, ...routes }
        : null,
  })
  return `http://127.0.0.1:${server.port}`
}

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fetchOutbound } from './http-outbound.ts'

describe('outgoing HTTP', () => {
  const outbound = fetchOutbound()
  let host: ReturnType<typeof listen>

  beforeAll(() => {
    host = listen()
  })
  afterAll(() => host.stop(true))

  test('posts the body and the headers as they are', async () => {
    const response = await post('/echo', '{"id":1}', { 'x-note': 'hello' })
    expect(await response.json()).toEqual({ method: 'POST', note: 'hello', body: '{"id":1}' })
  })

  test('hands a redirect back instead of following it', async () => {
    const response = await post('/redirect', 'x')
    expect(response.status).toBe(307)
    expect(response.headers.get('location')).toBe('/echo')
  })

  test('a compressed answer arrives as plain text, with headers that tell the truth', async () => {
    const response = await post('/gzip', 'x')
    expect(response.headers.get('content-encoding')).toBeNull()
    expect(response.headers.get('content-length')).toBeNull()
    expect(await response.text()).toBe('plain text')
  })

  test('uses a kept connection again', async () => {
    const ports = new Set<string>()
    for (let call = 0; call < 5; call++) ports.add(await (await post('/port', 'x')).text())
    expect(ports.size).toBe(1)
  })

  test('gives up when its signal says so', async () => {
    const abort = new AbortController()
    const hanging = post('/hang', 'x', {}, abort.signal)
    abort.abort(new Error('enough'))
    await expect(hanging).rejects.toThrow('enough')
  })

  test('a host that is not there is a rejection, not a hang', async () => {
    const gone = listen()
    const url = `${gone.url}echo`
    await gone.stop(true)
    const request = { url, body: 'x', headers: {}, signal: new AbortController().signal }
    await expect(outbound.post(request)).rejects.toThrow()
  })

  test('proxy variables in the environment are not obeyed', async () => {
    const proxy = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response('through the proxy'),
    })
    const program = `
      import { fetchOutbound } from ${JSON.stringify(`${import.meta.dir}/http-outbound.ts`)}
      const signal = new AbortController().signal
      const post = { url: '${host.url}plain', body: 'x', headers: {}, signal }
      console.log(await (await fetchOutbound().post(post)).text())
      console.log(await (await fetch(post.url, { method: 'POST' })).text())`
    const variables = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY']
    const env: Record<string, string> = { NO_PROXY: '', no_proxy: '' }
    for (const name of variables) env[name] = proxy.url.href
    const child = Bun.spawn([process.execPath, '-e', program], { env, stdout: 'pipe' })

    // The bare call shows that the variables would have acted.
    expect(await new Response(child.stdout).text()).toBe('straight\nthrough the proxy\n')
    await proxy.stop(true)
  })

  function post(
    path: string,
    body: string,
    headers: Record<string, string> = {},
    signal = new AbortController().signal,
  ): Promise<Response> {
    return outbound.post({ url: `${host.url.origin}${path}`, body, headers, signal })
  }
})

function listen() {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    routes: {
      '/echo': async (request) =>
        Response.json({
          method: request.method,
          note: request.headers.get('x-note'),
          body: await request.text(),
        }),
      '/plain': () => new Response('straight'),
      '/redirect': () => new Response(null, { status: 307, headers: { location: '/echo' } }),
      '/gzip': () =>
        new Response(Bun.gzipSync(Buffer.from('plain text')), {
          headers: { 'content-encoding': 'gzip' },
        }),
      '/port': (request, server) => new Response(String(server.requestIP(request)?.port)),
      '/hang': () => new Promise<Response>(() => {}),
    },
    fetch: () => new Response('lost', { status: 404 }),
  })
}

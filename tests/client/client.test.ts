import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { ApiError, createClient } from '@headgate/client'
import { eventParser } from '../../packages/client/src/parse-events.ts'
import { managementApi } from '../management-api.ts'

type Scripted = {
  status?: number
  headers?: Record<string, string>
  body?: string | ReadableStream
}

let api: Awaited<ReturnType<typeof managementApi>>
let server: ReturnType<typeof Bun.serve> | null = null

beforeAll(async () => {
  api = await managementApi()
})

afterEach(async () => {
  await server?.stop(true)
  server = null
})

afterAll(() => api.close())

/** A server that gives these answers one after the other, the last one for ever. */
function scripted(...answers: Scripted[]) {
  const requests: { query: string; lastEventId: string | null }[] = []
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { search } = new URL(request.url)
      requests.push({ query: search, lastEventId: request.headers.get('last-event-id') })
      const next = answers[Math.min(requests.length, answers.length) - 1] ?? {}
      const { status = 200, headers = {}, body = '{}' } = next
      return new Response(body, {
        status,
        headers: { 'content-type': 'application/json', ...headers },
      })
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  return { url, requests }
}

const BUSY: Scripted = {
  status: 429,
  headers: { 'retry-after': '0.01' },
  body: '{"name":"TooManyRequests","message":"Slower, please."}',
}

async function errorOf(call: Promise<unknown>): Promise<ApiError> {
  const thrown = await call.then(
    () => null,
    (error) => error,
  )
  expect(thrown).toBeInstanceOf(ApiError)
  return thrown
}

describe('a client of the management API', () => {
  test('makes calls by their operation ids', async () => {
    const client = createClient({ url: `${api.url}/`, token: api.teamToken })
    const body = { name: 'Ümläut & more', networks: ['ETH_MAINNET'] }
    const { data } = await client.call('createApp', { body })
    const found = await client.call('getApp', { parameters: { id: data.id } })
    expect(found.data).toEqual(data)
  })

  test('acts for the team that it is given, unless a call says otherwise', async () => {
    const { url, operatorToken, teamId } = api
    const client = createClient({ url, token: operatorToken, team: teamId })
    expect((await client.call('getTeam')).data.id).toBe(teamId)
    const none = client.call('getTeam', { parameters: { 'X-Team-Id': '' } })
    expect(await errorOf(none)).toMatchObject({ status: 400, name: 'ValidationError' })
  })

  test('tells a refusal in the words of the service', async () => {
    const client = createClient({ url: api.url, token: api.teamToken })
    const error = await errorOf(client.call('getApp', { parameters: { id: 'app_%2F/..' } }))
    expect(error).toMatchObject({ status: 404, name: 'NotFound', kind: 'NotFound', retryAfterS: 0 })
    expect(error.message).toContain('app_%2F/..')
  })

  test('says where nobody answers, and not with which token', async () => {
    const url = scripted().url
    await server?.stop(true)
    const error = await errorOf(createClient({ url, token: 'secret' }).call('listApps'))
    expect(error.status).toBe(0)
    expect(error.message).toBe(`No Headgate answers at ${url}. Is it running?`)
  })

  test.each([
    ['no JSON', '<html>', 'The answer was 502.'],
    ['JSON that is no object', 'null', 'The answer was 502.'],
    ['words of another type', '{"name":1,"message":{},"locations":"x"}', 'The answer was 502.'],
  ])('survives an error that has %s', async (_what, body, message) => {
    const { url } = scripted({ status: 502, body, headers: { 'retry-after': 'soon' } })
    const error = await errorOf(createClient({ url, token: 't' }).call('listApps'))
    expect(error).toMatchObject({ status: 502, name: 'Error', retryAfterS: 0, locations: [] })
    expect(error.message).toBe(message)
  })

  test('survives an answer that is none of ours', async () => {
    const { url } = scripted({ body: '{"data":' })
    const error = await errorOf(createClient({ url, token: 't' }).call('listApps'))
    expect(error).toMatchObject({ status: 200, name: 'NoHeadgate' })
  })

  test('says that an answer broke off', async () => {
    const broken = (_url: string) => {
      const cut = (it: ReadableStreamDefaultController) => it.error(new Error('reset'))
      return Promise.resolve(new Response(new ReadableStream({ pull: cut })))
    }
    const error = await errorOf(createClient({ url: '', fetch: broken }).call('listApps'))
    expect(error).toMatchObject({ status: 0, name: 'Unreachable' })
  })

  test('reads JSON as it is told, for numbers of many digits', async () => {
    const { url } = scripted({ body: '{"data":12345678901234567890}' })
    const readJson = (text: string) => ({ data: text.match(/\d+/)?.[0] })
    const answer: unknown = await createClient({ url, token: 't', readJson }).call('listApps')
    expect(answer).toEqual({ data: '12345678901234567890' })
  })

  test.each(['', '.', '..'])('does not let the id %j lead to another path', async (id) => {
    const { url, requests } = scripted()
    const call = createClient({ url, token: 't' }).call('deleteApp', { parameters: { id } })
    expect(await errorOf(call)).toMatchObject({ status: 400, name: 'ValidationError' })
    expect(requests.length).toBe(0)
  })

  test('does not show a token that cannot be sent', async () => {
    const { url } = scripted()
    const error = await errorOf(createClient({ url, token: 'secret\n世界' }).call('listApps'))
    expect(error.message).toBe('X-Service-Token has characters that a header cannot have.')
  })

  test('follows no redirect: a token stays with the one it was given for', async () => {
    const { url, requests } = scripted({ status: 307, headers: { location: '/elsewhere' } })
    const error = await errorOf(createClient({ url, token: 't' }).call('listApps'))
    expect(error.status).toBe(0)
    expect(requests.length).toBe(1)
  })

  test('stops when its signal is aborted', async () => {
    const { url } = scripted({ ...BUSY, headers: { 'retry-after': '30' } })
    const stop = new AbortController()
    const call = createClient({ url, token: 't' }).call('listApps', { signal: stop.signal })
    stop.abort(new Error('enough'))
    expect(call).rejects.toThrow('enough')
  })
})

describe('after a refusal that passes', () => {
  const body = { name: 'a', networks: ['ETH_MAINNET'] }

  test('a read is repeated, as often as it may', async () => {
    const { url, requests } = scripted(BUSY, { ...BUSY, status: 503 }, { body: '{"data":[]}' })
    expect(await createClient({ url, token: 't' }).call('listApps')).toEqual({ data: [] })
    expect(requests.length).toBe(3)
  })

  test('a read gives up in the end', async () => {
    const { url, requests } = scripted(BUSY)
    const error = await errorOf(createClient({ url, token: 't', retries: 1 }).call('listApps'))
    expect(error).toMatchObject({ status: 429, message: 'Slower, please.' })
    expect(requests.length).toBe(2)
  })

  test('a create is not repeated, unless it is by name', async () => {
    const { url, requests } = scripted(BUSY)
    const client = createClient({ url, token: 't', retries: 1 })
    await errorOf(client.call('createApp', { body }))
    expect(requests.length).toBe(1)
    await errorOf(client.call('createApp', { body, parameters: { by_name: 'true' } }))
    expect(requests.length).toBe(3)
  })

  test('nobody waits for minutes', async () => {
    const { url, requests } = scripted({ ...BUSY, headers: { 'retry-after': '3600' } })
    const error = await errorOf(createClient({ url, token: 't' }).call('listApps'))
    expect(error.retryAfterS).toBe(3600)
    expect(requests.length).toBe(1)
  })
})

test('the pages of a list come one after the other, each after the cursor of the last', async () => {
  const page = (after?: string) => ({
    body: JSON.stringify({ data: [after ?? 'end'], pagination: { cursors: { after } } }),
  })
  const { url, requests } = scripted(page('a&b'), page('c'), page())
  const parameters = { name: 'wallets', limit: 1 }
  const seen: unknown[] = []
  const pages = createClient({ url, token: 't' }).pages('listVariableItems', { parameters })
  for await (const { data } of pages) seen.push(...data)
  expect(seen).toEqual(['a&b', 'c', 'end'])
  expect(requests.map(({ query }) => query)).toEqual([
    '?limit=1',
    '?limit=1&after=a%26b',
    '?limit=1&after=c',
  ])
})

describe('the stream of events', () => {
  const head = (id: number) =>
    `id: ${id}\nevent: head\ndata: {"network":"N","number":${id}}\n\n: still here\n\n`

  test('goes on after the last event when the connection is lost', async () => {
    const { url, requests } = scripted(
      { body: head(1) + head(2) },
      { status: 503 },
      { body: head(3) },
    )
    const seen: number[] = []
    for await (const event of createClient({ url, token: 't' }).events({ topics: ['heads'] })) {
      if (event.name === 'head') seen.push(event.data.number)
      if (seen.length === 3) break
    }
    expect(seen).toEqual([1, 2, 3])
    expect(requests.map(({ lastEventId }) => lastEventId)).toEqual([null, '2', '2'])
    expect(requests[0]?.query).toBe('?topics=heads')
  })

  test('a refusal that lasts is an error', async () => {
    const client = createClient({ url: api.url, token: 'nobody' })
    expect(await errorOf(client.events().next())).toMatchObject({ status: 401 })
  })

  test('a wrong address is an error at once', async () => {
    const { url } = scripted()
    await server?.stop(true)
    expect((await errorOf(createClient({ url, token: 't' }).events().next())).status).toBe(0)
  })

  test('ends with its signal, in the middle of waiting', async () => {
    const body = new ReadableStream({
      start: (it) => it.enqueue(new TextEncoder().encode(head(1))),
    })
    const { url } = scripted({ body })
    const stop = new AbortController()
    const seen: string[] = []
    for await (const { name } of createClient({ url, token: 't' }).events({
      signal: stop.signal,
    })) {
      seen.push(name)
      stop.abort()
    }
    expect(seen).toEqual(['head'])
  })
})

describe('the parser of events', () => {
  const EVENT = { name: 'head', id: '7', data: '{"a":1}\n2' }

  test('reads an event however it is cut, and whichever ends its lines have', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const lines = [': hello', 'id: 7', 'event:head', 'data: {"a":1}', 'data:2', '', ': bye']
      const text = `${lines.join(end)}${end}`
      for (let at = 0; at <= text.length; at++) {
        const parse = eventParser()
        expect([...parse(text.slice(0, at)), ...parse(text.slice(at))]).toEqual([EVENT])
      }
    }
  })

  test('keeps the id, forgets the name, and leaves out events without data', () => {
    const events = eventParser()('id: 1\nevent: a\n\nid: 2\0\ndata\n\nnonsense: x\ndata: y\n\n')
    expect(events).toEqual([
      { name: 'message', id: '1', data: '' },
      { name: 'message', id: '1', data: 'y' },
    ])
  })

  test('refuses a line without an end', () => {
    const parse = eventParser()
    const piece = 'x'.repeat(9 * 1024 * 1024)
    parse(piece)
    expect(() => parse(piece)).toThrow('no end')
  })
})

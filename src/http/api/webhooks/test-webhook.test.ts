import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { advanceUntil } from '../../../../tests/support/basics/test-clock.ts'
import {
  HASH_255,
  type QueryApi,
  queryApi,
} from '../../../../tests/support/deliveries/query-api.ts'
import type { EgressOutcome, EgressRequest } from '../../../ports/egress.ts'
import { verifyDelivery } from '../../../receiver/verify-delivery.ts'

type Sent = Omit<EgressRequest, 'timeoutMs'>

const URL_OK = 'https://receiver.example/hook'

const TOLD: EgressOutcome = {
  status: 200,
  fault: null,
  retryAfter: null,
  bodyStart: 'thanks',
  address: '192.0.2.7',
  ms: { lookup: 1, connect: 2, tls: 0, answer: 3, total: 6 },
}

let on: QueryApi
let sent: Sent[]
let told: EgressOutcome
let vetted: string | null

beforeEach(async () => {
  sent = []
  told = TOLD
  vetted = null
  on = await queryApi(undefined, {
    egress: { vet: async () => vetted },
    attempt: async (request) => {
      sent.push(request)
      return told
    },
  })
})

afterEach(() => on.close())

function send(differing: Record<string, unknown> = {}) {
  const body = {
    network: 'ETH_MAINNET',
    webhook_url: URL_OK,
    graphql_query: '{ block { number logs { data } } }',
    ...differing,
  }
  return advanceUntil(on.network.clock, on.api.call('POST', '/api/test-webhook', { body }))
}

describe('a test delivery', () => {
  test('is one that a receiver can verify with the key of the answer', async () => {
    const { status, body } = await send({ block: 255 })
    expect(status).toBe(200)
    expect(sent.map(({ url }) => url)).toEqual([URL_OK])
    const [request] = sent
    const verified = await verifyDelivery({
      body: request?.body ?? '',
      headers: request?.headers ?? {},
      signingKeys: body.data.signing_key,
      nowMs: on.api.time.nowMs,
    })
    expect(verified).toMatchObject({ ok: true, delivery: { id: body.data.delivery.id } })
    expect(JSON.parse(request?.body ?? '').event).toEqual({
      data: { block: { number: 255, logs: [{ data: '0x' }, { data: '0x2a' }] } },
      sequenceNumber: '255',
      network: 'ETH_MAINNET',
    })
  })

  test('is shown with what came of it', async () => {
    const { body } = await send({ block: 255 })
    const bytes = Buffer.byteLength(sent[0]?.body ?? '')
    expect(body.data).toEqual({
      accepted: true,
      status_code: 200,
      fault: null,
      ms: TOLD.ms,
      response_start: 'thanks',
      bytes,
      cu: Number((bytes * 0.04).toFixed(2)),
      empty: false,
      block: { number: 255, hash: HASH_255 },
      signing_key: expect.any(String),
      delivery: { id: expect.any(String), body: sent[0]?.body },
    })
  })

  test('is of the newest block unless one is named, empty or not', async () => {
    const { body } = await send()
    expect(body.data).toMatchObject({ block: { number: 256 }, empty: true, accepted: true })
  })

  test('has a key and an id of its own each time', async () => {
    const seen = new Set<string>()
    for (let at = 0; at < 3; at++) {
      const { data } = (await send()).body
      seen.add(data.signing_key).add(data.delivery.id)
    }
    expect(seen.size).toBe(6)
  })

  test.each([
    ['a refusal', { status: 503, bodyStart: 'no' }, { status_code: 503, response_start: 'no' }],
    ['a redirect', { status: 302 }, { status_code: 302, fault: null }],
    ['silence', { status: null, fault: 'timeout' }, { status_code: null, fault: 'timeout' }],
    ['a broken answer', { status: 200, fault: 'reset' }, { status_code: 200, fault: 'reset' }],
  ] as const)('that meets %s is not accepted', async (_title, differing, shown) => {
    told = { ...TOLD, ...differing }
    const { status, body } = await send()
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ accepted: false, ...shown })
  })

  test('leaves nothing behind and costs nothing', async () => {
    await send()
    const usage = await on.api.call('GET', '/api/usage/summary')
    expect(usage.body.data.month_cu).toBe(0)
    expect((await on.api.call('GET', '/api/team-webhooks')).body.data).toEqual([])
  })
})

describe('a URL that deliveries may not go to', () => {
  const refused = {
    name: 'ValidationError',
    message:
      'webhook_url: it must be http or https, without credentials, and lead to a public address.',
  }

  test.each(['the URL leads to 10.0.0.5', 'the host of the URL has no address'])(
    'is refused with the same words whatever is wrong with it: %s',
    async (reason) => {
      vetted = reason
      const { status, body } = await send()
      expect([status, body]).toEqual([400, refused])
      expect([sent, on.network.asked()]).toEqual([[], []])
    },
  )

  test('is refused in the same way when it turns out at the attempt', async () => {
    told = { ...TOLD, status: null, fault: 'refused_address', bodyStart: 'secrets of 10.0.0.5' }
    const { status, body } = await send()
    expect([status, body]).toEqual([400, refused])
  })
})

describe('nothing is sent', () => {
  test.each([
    ['no URL', { webhook_url: undefined }, 'webhook_url'],
    ['spaces in the URL', { webhook_url: 'https://a b/' }, 'webhook_url'],
    ['an unknown network', { network: 'ETH_NOWHERE' }, 'ETH_NOWHERE'],
    ['a network that is no EVM one', { network: 'SOLANA_MAINNET' }, 'is not an EVM network'],
    ['a query that is none', { graphql_query: '{ block { nonsense } }' }, 'nonsense'],
    ['a block that is none', { block: '0xzz' }, 'block'],
    ['an option that there is not', { webhook_id: 'wh_1' }, 'webhook_id'],
  ])('for %s', async (_title, differing, told) => {
    const { status, body } = await send(differing)
    expect(status).toBe(400)
    expect(body.message).toContain(told)
    expect(sent).toEqual([])
  })

  test('for a block that no node has', async () => {
    expect(await send({ block: 9999 })).toMatchObject({ status: 404 })
    expect(sent).toEqual([])
  })

  test('for input data', async () => {
    const query = '{ block { transactions { inputData } } }'
    expect(await send({ graphql_query: query })).toMatchObject({ status: 501 })
  })

  test('beyond thirty in a minute, until it has passed', async () => {
    vetted = 'no'
    for (let at = 0; at < 30; at++) {
      // Ten seconds apart for every ten, for dry runs are counted too.
      if (at % 10 === 0) on.api.time.nowMs += 10_000
      expect((await send()).status).toBe(400)
    }
    const refused = await send()
    expect(refused).toMatchObject({ status: 429, body: { name: 'TooManyRequests' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)

    on.api.time.nowMs += 60_000
    expect((await send()).status).toBe(400)
  })
})

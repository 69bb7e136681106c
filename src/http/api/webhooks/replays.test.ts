import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { START_MS } from '../../../../tests/management-api.ts'
import {
  HEAD,
  type WebhookApi,
  webhookApi,
} from '../../../../tests/support/deliveries/webhook-api.ts'
import { recordReplayStep } from '../../../tables/webhooks/replays.ts'

let on: WebhookApi
let webhook: string

beforeEach(async () => {
  on = await webhookApi()
  webhook = (await on.created()).id
  // What is below was never followed, so it is replayed under its own number.
  await on.event(HEAD, null, [])
  on.seen.webhookChanges = 0
})

afterEach(() => on.close())

describe('replay-webhook', () => {
  test('starts a job and says how far it is', async () => {
    const { status, body } = await replay(100, 102)
    expect([status, body]).toEqual([
      200,
      {
        data: {
          id: expect.stringMatching(/^rpl_[a-z0-9]{16}$/),
          webhook_id: webhook,
          network: 'ETH_MAINNET',
          from_block: 100,
          to_block: 102,
          next_block: 100,
          state: 'running',
          delivered: 0,
          skipped: 0,
          error: null,
          time_created: START_MS,
          time_updated: START_MS,
        },
      },
    ])
    expect(on.seen.webhookChanges).toBe(1)
    expect((await read(body.data.id)).body).toEqual(body)

    await step(body.data.id, 100, true)
    await step(body.data.id, 101, false)
    const progress = { next_block: 102, delivered: 1, skipped: 1, time_updated: START_MS + 9 }
    expect((await read(body.data.id)).body.data).toEqual({ ...body.data, ...progress })
    await step(body.data.id, 102, true)
    expect((await read(body.data.id)).body.data.state).toBe('done')
  })

  test('takes a single block, the newest one, and a million', async () => {
    expect((await replay(HEAD, HEAD)).status).toBe(200)
    await on.call('POST', `/api/replays/${await newest()}/cancel`)
    expect((await replay(1, 1_000_000)).status).toBe(200)
  })

  test.each([
    ['a range the wrong way round', 5, 4, 'from_block must not be after to_block'],
    ['a block that is not there yet', HEAD, HEAD + 1, 'newest block of ETH_MAINNET is 2000000'],
    ['more than a million', 0, 1_000_000, 'a replay may take 1000000 blocks'],
    ['a negative block', -1, 4, 'from_block must be at least 0'],
    ['half a block', 1.5, 4, 'from_block must be a whole number'],
    ['a text', '5', 6, 'from_block must be a whole number'],
    ['what no double holds', 0, 2 ** 53, 'to_block must be'],
    ['no end', 0, undefined, 'to_block is required'],
  ])('refuses %s', async (_title, from_block, to_block, message) => {
    const body = { webhook_id: webhook, from_block, to_block }
    const answer = await on.call('POST', '/api/replay-webhook', { body })
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError'])
    expect(answer.body.message).toContain(message)
    expect((await on.call('GET', '/api/replays')).body).toEqual({ data: [] })
    expect(on.seen.webhookChanges).toBe(0)
  })

  test('takes any block while no node has reported a head', async () => {
    const [service] = on.needs.services()
    if (service) service.pool.selection.head = null
    expect((await replay(HEAD, HEAD + 1)).status).toBe(200)
  })

  test('refuses a webhook that is paused, or whose network is gone', async () => {
    await on.update({ webhook_id: webhook, is_active: false })
    const paused = await replay(1, 2)
    expect([paused.status, paused.body.message]).toEqual([
      400,
      `webhook_id: ${webhook} is paused; unpause it first.`,
    ])
    await on.update({ webhook_id: webhook, is_active: true })
    on.needs.services = () => []
    const { status, body } = await replay(1, 2)
    expect([status, body.message]).toEqual([
      400,
      'network: ETH_MAINNET is not configured here; possible are: none.',
    ])
  })

  test('refuses a second one of a webhook while the first is running', async () => {
    const answers = await Promise.all([replay(1, 2), replay(1, 2), replay(3, 4)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    const message = `webhook_id: a replay of ${webhook} is running already.`
    const refused = answers.find(({ status }) => status === 400)
    expect(refused?.body).toEqual({ name: 'ValidationError', message })

    await on.call('POST', `/api/replays/${await newest()}/cancel`)
    expect((await replay(1, 2)).status).toBe(200)
  })
})

describe('the replays of a team', () => {
  test('are ten at once, and a million blocks together', async () => {
    const started: string[] = []
    for (let at = 0; at < 10; at++) {
      const { id } = await on.created()
      const answer = await replay(1, 100_000, id)
      expect(answer.status).toBe(200)
      started.push(answer.body.data.id)
    }
    const more = await replay(1, 1)
    expect([more.status, more.body]).toEqual([
      429,
      {
        name: 'TooManyRequests',
        message:
          'webhook_id: a team may have 10 replays running at once; wait until one has ended, or cancel one.',
      },
    ])
    await on.call('POST', `/api/replays/${started[0]}/cancel`)
    const long = await replay(1, 100_001)
    expect([long.status, long.body]).toEqual([
      400,
      {
        name: 'ValidationError',
        message:
          'from_block, to_block: all running replays of a team together may have 1000000 blocks to go, and 900000 are under way.',
      },
    ])
    expect((await replay(1, 100_000)).status).toBe(200)
  })
})

describe('a replay', () => {
  test('is cancelled, and stays so', async () => {
    const { id } = (await replay(100, 102)).body.data
    await step(id, 100, true)
    on.time.nowMs += 1000
    const { status, body } = await on.call('POST', `/api/replays/${id}/cancel`)
    const ended = { state: 'cancelled', delivered: 1, time_updated: START_MS + 1000 }
    expect([status, body.data.state]).toEqual([200, 'cancelled'])
    expect(body.data).toMatchObject(ended)
    on.time.nowMs += 1000
    expect((await on.call('POST', `/api/replays/${id}/cancel`)).body).toEqual(body)
  })

  test('that is done stays done', async () => {
    const { id } = (await replay(100, 100)).body.data
    await step(id, 100, true)
    const { status, body } = await on.call('POST', `/api/replays/${id}/cancel`)
    expect([status, body.data.state]).toEqual([200, 'done'])
  })

  test('stands in the list, newest first', async () => {
    const one = (await replay(1, 1)).body.data.id
    await step(one, 1, false)
    on.time.nowMs += 1
    const two = (await replay(2, 2)).body.data.id
    const { body } = await on.call('GET', '/api/replays')
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([two, one])
  })
})

test('what is not there, or is another team’s, is 404', async () => {
  const { id } = (await replay(1, 2)).body.data
  const token = on.other.token
  const body = { webhook_id: webhook, from_block: 1, to_block: 2 }
  const foreign = [
    await on.call('POST', '/api/replay-webhook', { body, token }),
    await on.call('GET', `/api/replays/${id}`, { token }),
    await on.call('POST', `/api/replays/${id}/cancel`, { token }),
    await on.call('GET', '/api/replays/rpl_0000000000000000'),
    await on.call('POST', '/api/replays/rpl_0000000000000000/cancel'),
  ]
  expect(foreign.map(({ status, body }) => `${status} ${body.message}`)).toEqual([
    `404 This team has no webhook ${webhook}.`,
    `404 This team has no replay ${id}.`,
    `404 This team has no replay ${id}.`,
    '404 This team has no replay rpl_0000000000000000.',
    '404 This team has no replay rpl_0000000000000000.',
  ])
  expect((await on.call('GET', '/api/replays', { token })).body).toEqual({ data: [] })
  expect((await read(id)).body.data.state).toBe('running')
})

function replay(from_block: number, to_block: number, webhook_id = webhook) {
  const body = { webhook_id, from_block, to_block }
  return on.call('POST', '/api/replay-webhook', { body })
}

function read(id: string) {
  return on.call('GET', `/api/replays/${id}`)
}

async function newest(): Promise<string> {
  return (await on.call('GET', '/api/replays')).body.data[0].id
}

/** One block further, as whoever replays does it. */
async function step(replayId: string, blockNumber: number, isDue: boolean) {
  const recorded = await recordReplayStep(on.needs.database, {
    replayId,
    webhookId: webhook,
    network: 'ETH_MAINNET',
    blockNumber,
    blockHash: `0x${blockNumber}`,
    sequenceNumber: blockNumber,
    due: isDue ? { data: '{}', bytes: 2, truncation: null } : null,
    atMs: START_MS + 9,
  })
  expect(recorded).toBe('recorded')
}

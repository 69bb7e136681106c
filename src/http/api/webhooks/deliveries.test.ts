import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { START_MS } from '../../../../tests/management-api.ts'
import {
  ACCEPTED,
  type WebhookApi,
  webhookApi,
} from '../../../../tests/support/deliveries/webhook-api.ts'
import { dueTo } from '../../../../tests/support/deliveries/webhook-store.ts'
import { dataBody } from '../../../core/delivery/envelope.ts'
import { pauseTeamOverLimit } from '../../../tables/usage/capacity-pause.ts'

const FIRST_SEQUENCE = 1_000_000_000_001

/** The text of a result, more digits than a double holds among it. */
const DATA = '{"block":{"gasLimit":1208925819614629174706175}}'

let on: WebhookApi
let webhook: string

beforeEach(async () => {
  on = await webhookApi()
  webhook = (await on.created()).id
  on.seen.webhookChanges = 0
})

afterEach(() => on.close())

describe('a delivery is shown', () => {
  test('while it waits, with the body that will be sent', async () => {
    const id = await delivered()
    const body = dataBody(
      {
        webhookId: webhook,
        deliveryId: id,
        createdAtMs: START_MS,
        network: 'ETH_MAINNET',
        sequenceNumber: FIRST_SEQUENCE,
        truncation: null,
      },
      DATA,
    )
    const summary = {
      id,
      webhook_id: webhook,
      network: 'ETH_MAINNET',
      kind: 'data',
      status: 'waiting',
      sequence_number: String(FIRST_SEQUENCE),
      block_number: 7,
      block_hash: '0x7',
      replay: false,
      rerun: false,
      superseded: false,
      attempts_made: 0,
      status_code: null,
      fault: null,
      took_ms: null,
      bytes: null,
      time_created: START_MS,
      time_due: START_MS,
      time_done: null,
    }
    expect((await list()).data).toEqual([summary])
    expect(await read(id)).toEqual({ ...summary, body, headers: null, attempts: [] })
    expect(body).toContain(DATA)
  })

  test('with a name that leads inside like one that does not exist', async () => {
    const id = await delivered()
    const refused = { ...ACCEPTED, status: null, fault: 'refused_address', address: null }
    await on.attempt(id, refused, { kind: 'retry', dueAtMs: START_MS + 15_000 })
    const shown = await read(id)
    expect(shown.attempts).toMatchObject([{ fault: 'dns', address: null }])
    expect(shown).toMatchObject({ fault: 'dns', status_code: null })
    expect((await list()).data).toMatchObject([{ fault: 'dns', status_code: null, took_ms: 6 }])
  })

  test('with each attempt, its status code and how long it took', async () => {
    const id = await delivered()
    const late = {
      ...ACCEPTED,
      status: null,
      fault: 'timeout',
      ms: { lookup: 1, connect: 4999, tls: 0, answer: 0, total: 5000 },
      bodyStart: '',
      address: null,
    }
    await on.attempt(id, late, { kind: 'retry', dueAtMs: START_MS + 15_000 })
    expect(await read(id)).toMatchObject({
      status: 'waiting',
      attempts_made: 1,
      status_code: null,
      fault: 'timeout',
      took_ms: 5000,
      time_due: START_MS + 15_000,
    })
    expect(await read(id)).toMatchObject((await list()).data[0])

    const again = { ...ACCEPTED, startedAtMs: START_MS + 15_000, queue: 'retry' } as const
    await on.attempt(id, again, { kind: 'delivered' })
    const shown = await read(id)
    expect(shown).toMatchObject({
      status: 'delivered',
      attempts_made: 2,
      status_code: 200,
      fault: null,
      took_ms: 6,
      bytes: 200,
      time_due: null,
      time_done: START_MS + 15_006,
    })
    expect(shown.attempts).toEqual([
      {
        time_started: START_MS + 5,
        status_code: null,
        fault: 'timeout',
        ms: { lookup: 1, connect: 4999, tls: 0, answer: 0, total: 5000 },
        response_start: '',
        address: null,
        queue: 'new',
      },
      {
        time_started: START_MS + 15_000,
        status_code: 200,
        fault: null,
        ms: { lookup: 1, connect: 2, tls: 0, answer: 3, total: 6 },
        response_start: 'thanks',
        address: '93.184.215.14',
        queue: 'retry',
      },
    ])
  })

  test('with what the destination wrote as it wrote it', async () => {
    const id = await delivered()
    const bodyStart = '"}]\n\u0000\u2028 {"id":"forged"}\n'
    await on.attempt(id, { ...ACCEPTED, bodyStart }, { kind: 'failed' })
    const { attempts } = await read(id)
    expect([attempts.length, attempts[0].response_start]).toEqual([1, bodyStart])
  })

  test('with the error for a body, when it is an error event', async () => {
    const message = 'Monthly capacity limit exceeded.'
    const { teamId, needs } = on
    await pauseTeamOverLimit(needs.database, { teamId, message, nowMs: START_MS })
    const [error] = (await list()).data
    expect(error).toMatchObject({
      kind: 'error',
      sequence_number: null,
      block_number: null,
      block_hash: null,
    })
    expect(JSON.parse((await read(error.id)).body)).toEqual({
      webhookId: webhook,
      id: error.id,
      createdAt: new Date(START_MS).toISOString(),
      type: 'GRAPHQL',
      event: { error: message },
    })
  })

  test('with what was cut of its result', async () => {
    const truncation = { fields: ['block.logs'], reason: 'over 10 MB' }
    const due = { ...dueTo(webhook), truncation }
    const { deliveries } = await on.event(7, null, [due])
    const { body } = await read(deliveries[0]?.id ?? '')
    expect(JSON.parse(body).event).toMatchObject({
      truncated: true,
      truncatedFields: ['block.logs'],
      truncationReason: 'over 10 MB',
    })
  })

  test('after its webhook was deleted: cancelled', async () => {
    const id = await delivered()
    await on.call('DELETE', `/api/delete-webhook?webhook_id=${webhook}`)
    expect(await read(id)).toMatchObject({ status: 'cancelled', time_due: null })
    expect((await list(`webhook_id=${webhook}`)).data.length).toBe(1)
  })
})

describe('the log', () => {
  let other: string
  let ids: string[]

  /** Three heights, newest last: each due to both webhooks. */
  beforeEach(async () => {
    other = (await on.created()).id
    ids = []
    for (const at of [0, 1, 2]) {
      const previous = at === 0 ? null : FIRST_SEQUENCE + at - 1
      const { deliveries } = await on.event(7 + at, previous, [dueTo(webhook, other)], at)
      ids.push(...deliveries.map(({ id }) => id))
    }
    await on.attempt(ids[0] ?? '', ACCEPTED, { kind: 'delivered' })
    await on.attempt(ids[2] ?? '', ACCEPTED, { kind: 'failed' })
  })

  test('is newest first', async () => {
    const heights = (await list()).data.map((it: { block_number: number }) => it.block_number)
    expect(heights).toEqual([9, 9, 8, 8, 7, 7])
  })

  test.each([
    ['webhook_id', () => `webhook_id=${webhook}`, [4, 2, 0]],
    ['status delivered', () => 'status=delivered', [0]],
    ['status failed', () => 'status=failed', [2]],
    ['status waiting', () => `status=waiting&webhook_id=${webhook}`, [4]],
    ['status cancelled', () => 'status=cancelled', []],
    ['block', () => `block=8&webhook_id=${other}`, [3]],
    ['attempts', () => 'attempts_min=1', [2, 0]],
    ['more attempts than there were', () => 'attempts_min=2', []],
    ['re-runs', () => 'rerun=true', []],
    ['no re-runs', () => `rerun=false&webhook_id=${webhook}`, [4, 2, 0]],
    ['a beginning', () => `after=${START_MS + 1}&webhook_id=${other}`, [5, 3]],
    ['an end', () => `before=${START_MS + 1}`, [1, 0]],
    ['dates', () => `after=2026-11-15&before=2026-11-15T00:30:00.001Z`, [1, 0]],
    ['times without anything between', () => 'after=2026-11-16&before=2026-11-15', []],
    ['all of them', () => `block=8&status=failed&webhook_id=${webhook}`, [2]],
    ['a block that nothing was delivered of', () => 'block=1', []],
    ['a webhook that is not there', () => 'webhook_id=wh_0000000000000000', []],
  ])('can be asked by %s', async (_title, query, expected) => {
    const found = (await list(query())).data.map((it: { id: string }) => it.id)
    expect(found).toEqual(expected.map((at) => ids[at] ?? ''))
  })

  test.each(['', `&webhook_id=`, '&status=waiting'])(
    'goes page by page, each once: %s',
    async (also) => {
      const filter = also.endsWith('webhook_id=') ? also + webhook : also
      const all = (await list(filter.slice(1))).data
      const seen: unknown[] = []
      let cursor = ''
      do {
        const page = await list(`limit=2${filter}${cursor && `&cursor=${cursor}`}`)
        expect(page.data.length).toBeLessThanOrEqual(2)
        seen.push(...page.data)
        cursor = page.pagination.cursors.after ?? ''
      } while (cursor)
      expect(seen).toEqual(all)
    },
  )

  test('has no cursor after the last page, even when that is full', async () => {
    expect((await list('limit=6')).pagination).toEqual({ cursors: {} })
    expect((await list('limit=5')).pagination.cursors.after).toBeString()
  })

  test.each([
    ['status=gone', 'status must be one of waiting, delivered, failed, cancelled'],
    ['block=-1', 'block must be at least 0'],
    ['block=0x7', 'block must be a whole number'],
    ['limit=0', 'limit must be at least 1'],
    ['limit=1001', 'limit must be at most 1000'],
    ['cursor=x', 'cursor must be what pagination.cursors.after'],
    ['cursor=1-%27', 'cursor must be what pagination.cursors.after'],
    ['attempts_min=0', 'attempts_min must be at least 1'],
    ['attempts_min=1001', 'attempts_min must be at most 1000'],
    ['attempts_min=many', 'attempts_min must be a whole number'],
    ['rerun=1', 'rerun must be one of true, false'],
    ['rerun=', 'rerun must be one of true, false'],
    ['after=9-1', 'after must be milliseconds since 1970'],
    ['after=', 'after must be milliseconds since 1970'],
    ['before=yesterday', 'before must be milliseconds since 1970'],
    ['before=2026-11-15T00:00:00', 'before must be milliseconds since 1970'],
    ['before=2026-13-45', 'before is not a moment in time'],
    ['after=2026-02-99', 'after is not a moment in time'],
    ['before=1&before=2', 'before is given more than once'],
  ])('refuses %s', async (query, message) => {
    const { status, body } = await on.call('GET', `/api/deliveries?${query}`)
    expect([status, body.name]).toEqual([400, 'ValidationError'])
    expect(body.message).toContain(message)
  })

  test('shows nothing to another team', async () => {
    const token = on.other.token
    expect((await on.call('GET', '/api/deliveries', { token })).body.data).toEqual([])
    for (const query of [`webhook_id=${webhook}`, 'block=8', `block=8&webhook_id=${webhook}`]) {
      const { body } = await on.call('GET', `/api/deliveries?${query}`, { token })
      expect(body.data).toEqual([])
    }
  })
})

/** A delivery of block 7 that is due; its id. */
async function delivered(): Promise<string> {
  const due = { data: DATA, bytes: DATA.length, truncation: null, webhookIds: [webhook] }
  const { deliveries } = await on.event(7, null, [due])
  return deliveries[0]?.id ?? ''
}

async function list(query = '') {
  const { status, body } = await on.call('GET', `/api/deliveries?${query}`)
  expect(status).toBe(200)
  return body
}

async function read(id: string) {
  return (await on.call('GET', `/api/deliveries/${id}`)).body.data
}

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { START_MS } from '../../../../tests/management-api.ts'
import {
  ACCEPTED,
  type WebhookApi,
  webhookApi,
} from '../../../../tests/support/deliveries/webhook-api.ts'
import { dueTo } from '../../../../tests/support/deliveries/webhook-store.ts'
import { verifyDelivery } from '../../../receiver/verify-delivery.ts'

const HOUR = 3_600_000

let on: WebhookApi
let webhook: { id: string; signing_key: string }

beforeEach(async () => {
  on = await webhookApi()
  webhook = await on.created()
})

afterEach(() => on.close())

describe('the headers of a delivery', () => {
  test('are not there before its first attempt', async () => {
    expect((await read(await delivered())).headers).toBeNull()
  })

  test('can be asked for as of now, before an attempt and after a rotation', async () => {
    const id = await delivered()
    for (const key of [webhook.signing_key, await rotated()]) {
      const { headers, body } = await read(id, '?sign=now')
      expect(headers['webhook-timestamp']).toBe(String(Math.floor(START_MS / 1000)))
      expect(await isTaken(body, headers, key)).toBe(true)
    }
  })

  test('are those of its last attempt, which a receiver takes', async () => {
    const id = await delivered()
    const refused = { ...ACCEPTED, status: 503, startedAtMs: START_MS + 5 }
    await on.attempt(id, refused, { kind: 'retry', dueAtMs: START_MS + 15_000 })
    await attempted(id, START_MS + 15_000)
    const { headers, body } = await read(id)
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String((START_MS + 15_000) / 1000),
    })
    expect(await isTaken(body, headers, webhook.signing_key)).toBe(true)
    expect(headers).not.toHaveProperty('x-headgate-replay')
  })

  test('are signed with both keys for a day after a rotation', async () => {
    const next = await rotated()
    const id = await delivered()
    await attempted(id, START_MS + 23 * HOUR)
    const { headers, body } = await read(id)
    expect(await isTaken(body, headers, next)).toBe(true)
    expect(await isTaken(body, headers, webhook.signing_key)).toBe(true)
    expect(headers).toHaveProperty('x-service-signature-previous')
  })

  test('are signed with the new key alone after that day', async () => {
    const next = await rotated()
    const id = await delivered()
    await attempted(id, START_MS + 25 * HOUR)
    const { headers, body } = await read(id)
    expect(await isTaken(body, headers, next)).toBe(true)
    expect(headers).not.toHaveProperty('x-service-signature-previous')
  })

  test('have no signature where the key was rotated since', async () => {
    const id = await delivered()
    await attempted(id, START_MS + 5)
    on.time.nowMs = START_MS + HOUR
    await rotated()
    const { headers } = await read(id)
    expect(Object.keys(headers).filter((name) => name.includes('signature'))).toEqual([])
    expect(headers['webhook-id']).toBe(id)
  })

  test('are those without a signature once the webhook is gone', async () => {
    const id = await delivered()
    await attempted(id, START_MS + 5)
    await on.call('DELETE', `/api/delete-webhook?webhook_id=${webhook.id}`)
    const { headers } = await read(id)
    expect(headers).not.toHaveProperty('x-service-signature')
  })
})

async function delivered(): Promise<string> {
  const recorded = await on.event(7, null, [dueTo(webhook.id)])
  return recorded.deliveries[0]?.id ?? ''
}

async function attempted(id: string, startedAtMs: number): Promise<void> {
  await on.attempt(id, { ...ACCEPTED, startedAtMs }, { kind: 'delivered' })
}

async function rotated(): Promise<string> {
  const body = { webhook_id: webhook.id }
  const answer = await on.call('POST', '/api/rotate-signing-key', { body })
  return answer.body.data.signing_key
}

async function read(id: string, asked = '') {
  return (await on.call('GET', `/api/deliveries/${id}${asked}`)).body.data
}

async function isTaken(body: string, headers: Record<string, string>, key: string) {
  const nowS = Number(headers['webhook-timestamp'])
  return (await verifyDelivery({ body, headers, signingKeys: key, nowMs: nowS * 1000 })).ok
}

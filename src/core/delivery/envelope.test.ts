import { describe, expect, test } from 'bun:test'
import { deliveryId } from './delivery-id.ts'
import { deliveryPriceCentiCu } from './delivery-price.ts'
import { capacityMessage, dataBody, errorBody } from './envelope.ts'

const ENVELOPE = {
  webhookId: 'wh_0123456789abcdef',
  deliveryId: 'whevt_fedcba9876543210',
  createdAtMs: Date.UTC(2026, 10, 15, 4, 5, 6, 70),
  network: 'ETH_MAINNET',
  sequenceNumber: 1_000_000_000_001,
  truncation: null,
}

describe('the body of a delivery', () => {
  test('has the members of the spec, the sequence number as decimal text', () => {
    expect(JSON.parse(dataBody(ENVELOPE, '{"block":{"logs":[]}}'))).toEqual({
      webhookId: 'wh_0123456789abcdef',
      id: 'whevt_fedcba9876543210',
      createdAt: '2026-11-15T04:05:06.070Z',
      type: 'GRAPHQL',
      event: {
        data: { block: { logs: [] } },
        sequenceNumber: '1000000000001',
        network: 'ETH_MAINNET',
      },
    })
  })

  test('says when its lists were cut', () => {
    const truncation = { fields: ['block.logs'], reason: 'a "limit"' }
    const body = JSON.parse(dataBody({ ...ENVELOPE, truncation }, '{}'))
    expect(body.event).toMatchObject({
      truncated: true,
      truncatedFields: ['block.logs'],
      truncationReason: 'a "limit"',
    })
  })
})

describe('the body of an error delivery', () => {
  test('tells to the letter that the month is used up, and has no data beside it', () => {
    const { webhookId, createdAtMs } = ENVELOPE
    const message = capacityMessage('https://gate.example')
    const body = errorBody({ webhookId, deliveryId: 'whevt_1', createdAtMs, message })
    expect(body).toBe(
      '{"webhookId":"wh_0123456789abcdef","id":"whevt_1","createdAt":"2026-11-15T04:05:06.070Z",' +
        '"type":"GRAPHQL","event":{"error":"Monthly capacity limit exceeded. Visit ' +
        'https://gate.example/settings/billing to upgrade your scaling policy for continued service."}}',
    )
  })

  test('is JSON whatever the message says', () => {
    const { webhookId, createdAtMs } = ENVELOPE
    const message = '"}}\n\u2028\ud800'
    const body = errorBody({ webhookId, deliveryId: 'whevt_1', createdAtMs, message })
    expect(JSON.parse(body).event).toEqual({ error: message })
  })
})

test('an accepted delivery costs 0.04 CU a byte, counted in hundredths', () => {
  expect(deliveryPriceCentiCu(0)).toBe(0)
  expect(deliveryPriceCentiCu(1)).toBe(4)
  expect(deliveryPriceCentiCu(10_000_001)).toBe(40_000_004)
})

describe('the id of a delivery', () => {
  test('is 16 lower-case alphanumerics, the same for the same webhook and event', () => {
    const id = deliveryId('wh_0123456789abcdef', 1_000_000_000_001)
    expect(id).toMatch(/^whevt_[0-9a-z]{16}$/)
    expect(deliveryId('wh_0123456789abcdef', 1_000_000_000_001)).toBe(id)
  })

  test('differs between webhooks and between events', () => {
    const ids = new Set<string>()
    for (let at = 0; at < 1000; at++) {
      ids.add(deliveryId('wh_0123456789abcdef', at))
      ids.add(deliveryId(`wh_${at}`, 1))
    }
    expect(ids.size).toBe(2000)
  })
})

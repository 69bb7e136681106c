import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { deliveryHeaders, hexSignature, standardSignature } from './signature.ts'

const KEY = 'whsec_0123456789abcdefghijklmn'
const OLD_KEY = 'whsec_zyxwvutsrqponmlkjihgfedc'
const DELIVERY = {
  keys: [KEY],
  deliveryId: 'whevt_fedcba9876543210',
  timestampS: 1_800_000_000,
  body: '{"event":{"data":"héllo"}}',
  previousSequence: null,
  replay: false,
} as const

/** What Standard Webhooks 1.0 says, written once more and without our code. */
function standardByHand(key: string, id: string, timestampS: number, body: string | Uint8Array) {
  const secret = Buffer.from(key.replace('whsec_', ''), 'base64')
  const signed = Buffer.concat([Buffer.from(`${id}.${timestampS}.`), Buffer.from(body)])
  return `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`
}

describe('the signatures of a delivery', () => {
  test('are those of a computation elsewhere', () => {
    // openssl dgst -sha256 -hmac whsec_0123456789abcdefghijklmn, and -mac HMAC -macopt hexkey:…
    expect(hexSignature(KEY, '{"a":1}')).toBe(
      '8bfbcb43235b70d31a0a2e777661826eb3abbad8b24aa2363865c22bea6541f8',
    )
    expect(standardSignature(KEY, 'whevt_fedcba9876543210', 1_800_000_000, '{"a":1}')).toBe(
      'v1,u6kP57yYbQSRiHlwXyHbp9lWvnlbCNk6Wwq9m82P+3c=',
    )
  })

  test('agree with node:crypto on any key and any bytes', () => {
    const chance = seededChance(4)
    for (let round = 0; round < 300; round++) {
      const letters = Array.from({ length: 24 }, () => chance.between(0, 35).toString(36))
      const key = `whsec_${letters.join('')}`
      const bytes = Uint8Array.from({ length: chance.between(0, 300) }, () =>
        chance.between(0, 255),
      )
      const body = chance.pick<string | Uint8Array>([bytes, `${bytes}€`])
      const timestampS = chance.between(0, 2 ** 33)
      expect(hexSignature(key, body)).toBe(createHmac('sha256', key).update(body).digest('hex'))
      expect(standardSignature(key, 'whevt_x', timestampS, body)).toBe(
        standardByHand(key, 'whevt_x', timestampS, body),
      )
    }
  })

  test('are of the bytes that are sent, whether those come as text or as bytes', () => {
    const bytes = new TextEncoder().encode(DELIVERY.body)
    expect(deliveryHeaders({ ...DELIVERY, body: bytes })).toEqual(deliveryHeaders(DELIVERY))
  })

  test('are never made of an id or a time that could be read in two ways', () => {
    expect(() => standardSignature(KEY, 'whevt.1', 5, '')).toThrow('broken invariant')
    expect(() => standardSignature(KEY, 'whevt_1', 1.5, '')).toThrow('broken invariant')
    expect(() => standardSignature('whsec_', 'whevt_1', 5, '')).toThrow('broken invariant')
    expect(() => standardSignature('secret', 'whevt_1', 5, '')).toThrow('broken invariant')
  })
})

describe('the headers of a delivery', () => {
  test('carry both signature schemes', () => {
    expect(deliveryHeaders(DELIVERY)).toEqual({
      'content-type': 'application/json',
      'user-agent': 'Headgate-Webhooks/1',
      'x-service-signature': createHmac('sha256', KEY).update(DELIVERY.body).digest('hex'),
      'webhook-id': 'whevt_fedcba9876543210',
      'webhook-timestamp': '1800000000',
      'webhook-signature': standardByHand(KEY, DELIVERY.deliveryId, 1_800_000_000, DELIVERY.body),
    })
  })

  test('are signed with both keys while a rotation is fresh', () => {
    const headers = deliveryHeaders({ ...DELIVERY, keys: [KEY, OLD_KEY] })
    expect(headers['x-service-signature']).toBe(hexSignature(KEY, DELIVERY.body))
    expect(headers['x-service-signature-previous']).toBe(hexSignature(OLD_KEY, DELIVERY.body))
    expect(headers['webhook-signature']?.split(' ')).toEqual(
      [KEY, OLD_KEY].map((key) =>
        standardByHand(key, DELIVERY.deliveryId, 1_800_000_000, DELIVERY.body),
      ),
    )
  })

  test('name the delivery before this one, and say when it is a replay', () => {
    const headers = deliveryHeaders({
      ...DELIVERY,
      previousSequence: 1_000_000_000_041,
      replay: true,
    })
    expect(headers['x-headgate-previous']).toBe('1000000000041')
    expect(headers['x-headgate-replay']).toBe('1')
  })
})

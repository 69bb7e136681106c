import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../tests/support/basics/seeded-chance.ts'
import {
  blockBody,
  SIGNING_KEY,
  signedHeaders,
} from '../../tests/support/deliveries/signed-delivery.ts'
import { errorBody } from '../core/delivery/envelope.ts'
import { deliveryHeaders } from '../core/delivery/signature.ts'
import { verifyDelivery } from './verify-delivery.ts'

const OLD_KEY = 'whsec_zyxwvutsrqponmlkjihgfedc'
const ID = 'whevt_fedcba9876543210'
const NOW = 1_800_000_000_000
const NOW_S = NOW / 1000
const BODY = blockBody(ID, 7, 1_000_000_000_001)
const HEADERS = signedHeaders({ body: BODY, id: ID, timestampS: NOW_S })
const REQUEST = { body: BODY, headers: HEADERS, signingKeys: SIGNING_KEY, nowMs: NOW }
const PLAIN = { 'x-service-signature': HEADERS['x-service-signature'] }

/** Why a request is refused, or "ok". */
async function verdict(change: Partial<Parameters<typeof verifyDelivery>[0]>): Promise<string> {
  const verified = await verifyDelivery({ ...REQUEST, ...change })
  return verified.ok ? 'ok' : verified.reason
}

describe('a delivery of the service', () => {
  test('is verified and read', async () => {
    expect(await verifyDelivery(REQUEST)).toEqual({
      ok: true,
      delivery: {
        kind: 'data',
        id: ID,
        webhookId: 'wh_0123456789abcdef',
        createdAt: '2026-11-15T04:05:06.070Z',
        isReplay: false,
        data: { block: { number: 7 } },
        sequenceNumber: '1000000000001',
        previousSequence: null,
        network: 'ETH_MAINNET',
        blockNumber: 7,
        isTruncated: false,
      },
      timestampS: NOW_S,
    })
  })

  test('is verified as the service itself signs it, keys rotated or not', async () => {
    const message = 'Monthly capacity limit exceeded. "…"'
    const body = errorBody({ webhookId: 'wh_1', deliveryId: ID, createdAtMs: NOW, message })
    const attempt = {
      deliveryId: ID,
      timestampS: NOW_S,
      body,
      previousSequence: 1_000_000_000_000,
      replay: true,
    }
    const headers = deliveryHeaders({ ...attempt, keys: [SIGNING_KEY, OLD_KEY] })
    for (const signingKeys of [SIGNING_KEY, OLD_KEY, [OLD_KEY, SIGNING_KEY]]) {
      const verified = await verifyDelivery({ ...REQUEST, body, headers, signingKeys })
      expect(verified).toMatchObject({ ok: true, delivery: { kind: 'error', error: message } })
    }
    const plain = {
      'x-service-signature': headers['x-service-signature'],
      'x-service-signature-previous': headers['x-service-signature-previous'],
    }
    for (const signingKeys of [SIGNING_KEY, OLD_KEY]) {
      expect(await verdict({ body, headers: plain, signingKeys, acceptUntimed: true })).toBe('ok')
    }
  })

  test('may come as bytes, with a Headers object, or with the lists of Node', async () => {
    const lists = Object.fromEntries(Object.entries(HEADERS).map(([name, one]) => [name, [one]]))
    const upper = Object.fromEntries(
      Object.entries(HEADERS).map(([name, one]) => [name.toUpperCase(), one]),
    )
    for (const headers of [new Headers(HEADERS), lists, upper]) {
      expect(await verdict({ headers, body: Buffer.from(BODY) })).toBe('ok')
    }
  })

  test('says what came before it and that it is a replay', async () => {
    const headers = { ...HEADERS, 'x-headgate-previous': '99', 'x-headgate-replay': '1' }
    const verified = await verifyDelivery({ ...REQUEST, headers })
    expect(verified).toMatchObject({ delivery: { previousSequence: '99', isReplay: true } })
  })
})

describe('a request is refused', () => {
  test.each([
    ['with another key', { signingKeys: OLD_KEY }, 'signature_mismatch'],
    ['with another body', { body: `${BODY} ` }, 'signature_mismatch'],
    ['with no body', { body: '' }, 'signature_mismatch'],
    ['older than five minutes', { nowMs: NOW + 300_001 }, 'timestamp_too_old'],
    ['at exactly five minutes it is not', { nowMs: NOW + 300_000 }, 'ok'],
    ['from the future', { nowMs: NOW - 300_001 }, 'timestamp_in_future'],
    ['a little from the future it is not', { nowMs: NOW - 300_000 }, 'ok'],
    ['older than asked for', { nowMs: NOW + 11_000, toleranceS: 10 }, 'timestamp_too_old'],
    ['without any header', { headers: {} }, 'header_missing'],
    ['with the signature alone that has no time', { headers: PLAIN }, 'header_missing'],
    ['not then, where that is asked for', { headers: PLAIN, acceptUntimed: true }, 'ok'],
    ['without any, even there', { headers: {}, acceptUntimed: true }, 'header_missing'],
  ] as const)('%s', async (_title, change, expected) => {
    expect(await verdict(change)).toBe(expected)
  })

  test.each([
    ['webhook-id', 'whevt_other', 'signature_mismatch'],
    ['webhook-id', `${ID}.${NOW_S}`, 'header_malformed'],
    ['webhook-id', '', 'header_malformed'],
    ['webhook-id', `${ID},${ID}`, 'header_malformed'],
    ['webhook-id', `${ID}, ${ID}`, 'header_repeated'],
    ['webhook-id', undefined, 'header_missing'],
    ['webhook-timestamp', `${NOW_S + 1}`, 'signature_mismatch'],
    ['webhook-timestamp', undefined, 'header_missing'],
    ['webhook-timestamp', '', 'header_malformed'],
    ['webhook-timestamp', `+${NOW_S}`, 'header_malformed'],
    ['webhook-timestamp', ` ${NOW_S}`, 'header_malformed'],
    ['webhook-timestamp', `${NOW_S}.5`, 'header_malformed'],
    ['webhook-timestamp', '1.8e9', 'header_malformed'],
    ['webhook-timestamp', 'Infinity', 'header_malformed'],
    ['webhook-timestamp', '9'.repeat(400), 'header_malformed'],
    ['webhook-timestamp', [`${NOW_S}`, `${NOW_S}`], 'header_repeated'],
    ['webhook-signature', undefined, 'header_missing'],
    ['webhook-signature', '', 'signature_mismatch'],
    ['webhook-signature', 'v1,', 'signature_mismatch'],
    ['webhook-signature', HEADERS['webhook-signature'].slice(0, -4), 'signature_mismatch'],
    ['webhook-signature', `${HEADERS['webhook-signature']}AAAA`, 'signature_mismatch'],
    ['webhook-signature', HEADERS['webhook-signature'].slice('v1,'.length), 'signature_mismatch'],
    ['webhook-signature', HEADERS['webhook-signature'].replace('v1', 'v1a'), 'signature_mismatch'],
    ['webhook-signature', `v1,${'A'.repeat(43)}=`, 'signature_mismatch'],
    ['webhook-signature', `${HEADERS['webhook-signature']}, v1,x`, 'header_repeated'],
    ['webhook-signature', `v2,x v1,y ${HEADERS['webhook-signature']}`, 'ok'],
    ['webhook-signature', `${HEADERS['webhook-signature']} `.repeat(5), 'signature_mismatch'],
    ['WEBHOOK-ID', ID, 'header_repeated'],
  ])('with the header %s as %p: %s', async (name, value, expected) => {
    const headers = { ...HEADERS, [name]: value } as Record<string, string>
    expect(await verdict({ headers })).toBe(expected)
    // A fault in the better scheme is not made up for by the lesser one.
    expect(await verdict({ headers, acceptUntimed: true })).toBe(expected)
  })

  test.each([
    [undefined, 'header_missing'],
    ['', 'signature_mismatch'],
    [PLAIN['x-service-signature'].toUpperCase(), 'signature_mismatch'],
    [PLAIN['x-service-signature'].slice(2), 'signature_mismatch'],
    [`${PLAIN['x-service-signature']}00`, 'signature_mismatch'],
    [`0${PLAIN['x-service-signature'].slice(1)}x`, 'signature_mismatch'],
    ['0'.repeat(64), 'signature_mismatch'],
    [[PLAIN['x-service-signature'], '0'.repeat(64)], 'header_repeated'],
  ])('with x-service-signature alone, as %p: %s', async (value, expected) => {
    const headers = { 'x-service-signature': value } as Record<string, string>
    expect(await verdict({ headers, acceptUntimed: true })).toBe(expected)
  })

  test('whenever one bit of anything that is signed has changed', async () => {
    const chance = seededChance(31)
    for (let round = 0; round < 500; round++) {
      const bytes = Buffer.from(BODY)
      bytes[chance.between(0, bytes.length - 1)]! ^= 1 << chance.between(0, 7)
      expect(await verdict({ body: bytes })).toBe('signature_mismatch')
    }
  })

  test.each([
    ['no JSON', '{'],
    ['nothing', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['no event', JSON.stringify({ ...JSON.parse(BODY), event: null })],
    ['an empty event', JSON.stringify({ ...JSON.parse(BODY), event: {} })],
    ['a number for the id', JSON.stringify({ ...JSON.parse(BODY), id: 5 })],
    ['another id than the header', JSON.stringify({ ...JSON.parse(BODY), id: 'whevt_2' })],
    ['a sequence number that is none', blockBody(ID, 7, '-1')],
    ['one with zeros in front', blockBody(ID, 7, '007')],
    ['one without end', blockBody(ID, 7, '9'.repeat(100))],
  ])('when what is signed is no delivery: %s', async (_title, body) => {
    const headers = signedHeaders({ body, id: ID, timestampS: NOW_S })
    expect(await verdict({ body, headers })).toBe('body_malformed')
  })
})

describe('a receiver that calls it wrongly learns so at once', () => {
  test.each([
    ['a parsed body', { body: JSON.parse(BODY) }, 'raw body'],
    ['no key', { signingKeys: [] }, 'signingKeys'],
    ['an empty key', { signingKeys: '' }, 'signing key'],
    ['a key without its prefix', { signingKeys: SIGNING_KEY.slice(6) }, 'signing key'],
    ['an unset variable', { signingKeys: [undefined as unknown as string] }, 'signing key'],
    ['an unset tolerance', { toleranceS: Number(undefined) }, 'toleranceS'],
    ['a tolerance below zero', { toleranceS: -1 }, 'toleranceS'],
    ['a tolerance without end', { toleranceS: Number.POSITIVE_INFINITY }, 'toleranceS'],
    ['a tolerance as text', { toleranceS: '300' as unknown as number }, 'toleranceS'],
  ])('%s', async (_title, change, message) => {
    const call = verifyDelivery({ ...REQUEST, ...change })
    const error = await call.catch((thrown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect(`${error}`).toContain(message)
    expect(`${error}`).not.toContain(SIGNING_KEY.slice(6))
  })
})

import { beforeEach, describe, expect, test } from 'bun:test'
import { type TestClock, testClock } from '../../../tests/support/basics/test-clock.ts'
import { newSigner, tokenOf } from '../../../tests/support/product/access-tokens.ts'
import { Rejection } from '../../core/errors.ts'
import { type Caller, type JwtSigner, unknownKey } from '../../gateway/app-directory.ts'
import { openJwtKey } from '../../gateway/jwt-key.ts'
import { type JwtCallers, openJwtCallers } from './jwt-callers.ts'

const KEY_ID = `jwk_${'k'.repeat(16)}`
const APP_ID = `app_${'a'.repeat(16)}`
const SIGNER = newSigner('ES256')
const CALLER = { app: { id: APP_ID } } as unknown as Caller

let clock: TestClock
let signers: Map<string, JwtSigner>
let asked: string[]
let callers: JwtCallers

beforeEach(() => {
  clock = testClock()
  const key = openJwtKey(SIGNER.publicKey)
  signers = new Map([[KEY_ID, { teamId: 'team_a', algorithm: 'ES256', key }]])
  asked = []
  const directory = {
    findSigner(keyId: string) {
      asked.push(keyId)
      return signers.get(keyId) ?? unknownKey()
    },
    findApp: (teamId: string, appId: string) =>
      teamId === 'team_a' && appId === APP_ID ? CALLER : unknownKey(),
  }
  callers = openJwtCallers({ clock, directory, publicUrl: 'https://gate.example' })
})

function claims(more: Readonly<Record<string, unknown>> = {}) {
  return { app: APP_ID, exp: clock.nowMs() / 1000 + 600, ...more }
}

function find(token: string, address = '192.0.2.1') {
  return callers.find(token, { address: () => address })
}

describe('a token', () => {
  test('stands for the app it names, until it expires', async () => {
    const token = tokenOf(SIGNER, KEY_ID, claims())
    expect(find(token)).toBe(CALLER)
    expect(find(token)).toBe(CALLER)
    await clock.advance(600_000)
    expect(find(token)).toMatchObject({ code: 'unauthorized', httpStatus: 401 })
    expect(find(token)).toHaveProperty('message', 'Must be authenticated! The JWT has expired.')
  })

  test('is refused as soon as its key is gone, however often it was good', () => {
    const token = tokenOf(SIGNER, KEY_ID, claims())
    expect(find(token)).toBe(CALLER)
    signers.clear()
    expect(find(token)).toHaveProperty('message', expect.stringContaining('not registered'))
  })

  test.each([
    ['an app of another team', { app: `app_${'b'.repeat(16)}` }, '("app")'],
    ['another audience', { aud: 'https://other.example' }, '"aud"'],
    ['no time of expiry', { exp: undefined }, '"exp"'],
  ])('for %s is refused', (_, more, reason) => {
    const refusal = find(tokenOf(SIGNER, KEY_ID, claims(more)))
    expect(refusal).toHaveProperty('message', expect.stringContaining(reason))
  })

  test('of a key that nobody could have is refused without a look at the tables', () => {
    for (const keyId of ['', 'x', `jwk_${'K'.repeat(16)}`, "' OR 1=1 --", 'k'.repeat(500)]) {
      expect(find(tokenOf(SIGNER, keyId, claims()))).toBeInstanceOf(Rejection)
    }
    expect(asked).toEqual([])
  })

  test('that says another algorithm than its key is refused by that', () => {
    const refusal = find(tokenOf(SIGNER, KEY_ID, claims(), { alg: 'HS256' }))
    expect(refusal).toHaveProperty('message', expect.stringContaining('signed with ES256'))
  })
})

describe('forged tokens', () => {
  const forger = newSigner('ES256')
  const forge = (jti: number) => tokenOf(forger, KEY_ID, claims({ jti }))

  test('are refused', () => {
    const token = forge(1)
    expect(find(token)).toHaveProperty('message', expect.stringContaining('wrong signature'))
    expect(find(token)).toHaveProperty('message', expect.stringContaining('wrong signature'))
  })

  test('of one address are verified only so many times, and others do not feel it', async () => {
    const good = tokenOf(SIGNER, KEY_ID, claims())
    expect(find(good)).toBe(CALLER)
    for (let at = 0; at < 200; at++) expect(find(forge(at))).toMatchObject({ httpStatus: 401 })
    const crowded = find(forge(200))
    expect(crowded).toMatchObject({ code: 'too_many_requests', facts: { retryAfterS: 10 } })
    expect(find(good)).toBe(CALLER)
    const fresh = tokenOf(SIGNER, KEY_ID, claims({ jti: 'fresh' }))
    expect(find(fresh)).toMatchObject({ code: 'too_many_requests' })
    expect(find(fresh, '192.0.2.2')).toBe(CALLER)
    await clock.advance(10_000)
    expect(find(forge(201))).toMatchObject({ httpStatus: 401 })
  })

  test('that are sent again and again count once', () => {
    const token = forge(1)
    for (let at = 0; at < 300; at++) expect(find(token)).toMatchObject({ httpStatus: 401 })
    expect(find(forge(2))).toMatchObject({ httpStatus: 401 })
  })
})

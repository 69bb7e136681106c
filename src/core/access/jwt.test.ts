import { describe, expect, test } from 'bun:test'
import { parseJwt } from './jwt.ts'
import { readJwtClaims } from './jwt-claims.ts'

const HEADER = { alg: 'EdDSA', kid: 'jwk_1' }
const CLAIMS = { app: `app_${'a'.repeat(16)}`, exp: 2000 }
const SIGNATURE = base64url(new Uint8Array(64).fill(7))

function base64url(content: object | string | Uint8Array): string {
  const bytes =
    content instanceof Uint8Array
      ? content
      : new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content))
  return bytes.toBase64({ alphabet: 'base64url', omitPadding: true })
}

function jwtOf(header: object | string | Uint8Array, claims: object | string = CLAIMS): string {
  return `${base64url(header)}.${base64url(claims)}.${SIGNATURE}`
}

describe('the text of a token', () => {
  test('is read part by part, and what was signed is kept as it was', () => {
    const text = jwtOf(HEADER)
    expect(parseJwt(text)).toEqual({
      algorithm: 'EdDSA',
      keyId: 'jwk_1',
      claims: CLAIMS,
      signed: text.slice(0, text.lastIndexOf('.')),
      signature: new Uint8Array(64).fill(7),
    })
  })

  const good = jwtOf(HEADER)
  const [header = '', claims = ''] = good.split('.')

  test.each([
    ['nothing', ''],
    ['dots', '..'],
    ['one part', header],
    ['two parts', `${header}.${claims}`],
    ['no signature', `${header}.${claims}.`],
    ['four parts', `${good}.${SIGNATURE}`],
    ['five parts, as if encrypted', `${good}.a.b`],
    ['padding', `${header}=.${claims}.${SIGNATURE}`],
    ['the other alphabet', `${header}.${claims}.${'+/'.repeat(20)}`],
    ['white space', `${header}.${claims}. ${SIGNATURE}`],
    ['bits behind the last byte', `${header}.${claims}.${SIGNATURE.slice(0, -1)}x`],
    ['one letter too few', `${header}.${claims}.${SIGNATURE.slice(0, -1)}`],
    ['a header that is no JSON', jwtOf('{')],
    ['a header that is a list', jwtOf([HEADER])],
    ['a header that is null', jwtOf('null')],
    ['a header that is no UTF-8', jwtOf(new Uint8Array([0x7b, 0xff, 0x7d]))],
    ['a header with a byte order mark', jwtOf(`\ufeff${JSON.stringify(HEADER)}`)],
    ['an alg that stands twice', jwtOf('{"alg":"none","kid":"jwk_1","alg":"EdDSA"}')],
    ['a kid that stands twice', jwtOf('{"alg":"EdDSA","kid":"a","k\\u0069d":"b"}')],
    ['an exp that stands twice', jwtOf(HEADER, '{"exp":1,"exp":2}')],
    ['no alg', jwtOf({ kid: 'jwk_1' })],
    ['an alg that is no text', jwtOf({ ...HEADER, alg: 7 })],
    ['no kid', jwtOf({ alg: 'EdDSA' })],
    ['a kid that is no text', jwtOf({ ...HEADER, kid: ['jwk_1'] })],
    ['an extension', jwtOf({ ...HEADER, crit: ['b64'], b64: false })],
    ['claims that are a text', jwtOf(HEADER, '"app"')],
    ['far too much', `${header}.${base64url('x'.repeat(9000))}.${SIGNATURE}`],
    ['a megabyte of dots', '.'.repeat(1_000_000)],
  ])('is refused with a reason: %s', (_, text) => expect(parseJwt(text)).toBeString())

  test('that is cut off before its signature is refused', () => {
    for (let length = 0; length <= good.lastIndexOf('.') + 1; length++) {
      expect(parseJwt(good.slice(0, length))).toBeString()
    }
  })

  test('nested as deeply as it can be does no harm', () => {
    expect(typeof parseJwt(jwtOf(HEADER, `{"a":${'['.repeat(1000)}${']'.repeat(1000)}}`))).toBe(
      'object',
    )
  })
})

describe('the claims of a token', () => {
  const NOW_S = 1000
  const read = (claims: object) => readJwtClaims({ ...CLAIMS, ...claims }, 'https://a', 1_000_000)

  test.each([
    {},
    { exp: NOW_S + 0.5 },
    { exp: NOW_S + 24 * 3600 },
    { exp: NOW_S + 24 * 3600 + 60 },
    { nbf: NOW_S + 60, iat: NOW_S + 60 },
    { aud: 'https://a' },
    { aud: ['https://b', 'https://a'] },
    { sub: 'user-1', iss: 'shop', jti: '7' },
  ])('%j are good', (claims) => {
    expect(read(claims)).toMatchObject({ appId: CLAIMS.app })
  })

  test.each([
    [{ exp: NOW_S }, 'expired'],
    [{ exp: 0 }, 'expired'],
    [{ exp: undefined }, '"exp"'],
    [{ exp: '2000' }, '"exp"'],
    [{ exp: -1 }, '"exp"'],
    [{ exp: Number.POSITIVE_INFINITY }, '"exp"'],
    [{ exp: 1e300 }, 'more than 24 hours'],
    [{ exp: NOW_S + 24 * 3600 + 61 }, 'more than 24 hours'],
    [{ exp: (NOW_S + 600) * 1000 }, 'more than 24 hours'],
    [{ nbf: NOW_S + 61 }, '"nbf"'],
    [{ nbf: 'soon' }, '"nbf"'],
    [{ iat: NOW_S + 61 }, '"iat"'],
    [{ iat: null }, '"iat"'],
    [{ aud: 'https://b' }, '"aud"'],
    [{ aud: [] }, '"aud"'],
    [{ aud: { 'https://a': 1 } }, '"aud"'],
    [{ aud: null }, '"aud"'],
    [{ app: undefined }, '"app"'],
    [{ app: 'app_1' }, '"app"'],
    [{ app: [CLAIMS.app] }, '"app"'],
    [{ app: `${CLAIMS.app}\n` }, '"app"'],
  ])('%j are refused with the reason %s', (claims, reason) => {
    expect(read(claims)).toContain(reason)
  })

  test('that lie in a prototype count for nothing', () => {
    expect(readJwtClaims(JSON.parse('{"__proto__":{"app":"x","exp":1}}'), '', 0)).toBeString()
  })
})

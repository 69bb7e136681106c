import { describe, expect, test } from 'bun:test'
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { type Jwt, parseJwt } from '../core/access/jwt.ts'
import { Rejection } from '../core/errors.ts'
import { isSignedBy, openJwtKey, readJwtKey } from './jwt-key.ts'

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 })
const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ED = generateKeyPairSync('ed25519')

type Pair = { publicKey: KeyObject; privateKey: KeyObject }

const KINDS: [algorithm: 'RS256' | 'ES256' | 'EdDSA', pair: Pair][] = [
  ['RS256', RSA],
  ['ES256', EC],
  ['EdDSA', ED],
]

function pemOf(key: KeyObject): string {
  return String(key.export({ format: 'pem', type: 'spki' }))
}

function signedBy(privateKey: KeyObject, alg: string, signature?: Uint8Array): Jwt {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg, kid: 'jwk_1' })}.${part({ app: 'app_1' })}`
  const hash = privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  const made =
    signature ??
    sign(hash, Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' as const })
  const jwt = parseJwt(`${signed}.${Buffer.from(made).toString('base64url')}`)
  if (typeof jwt === 'string') throw new Error(jwt)
  return jwt
}

describe.each(KINDS)('a key for %s', (algorithm, { publicKey, privateKey }) => {
  test('is the same, read as PEM or as JWK', () => {
    const read = readJwtKey(pemOf(publicKey))
    expect(read).toEqual({ algorithm, publicKey: pemOf(publicKey) })
    expect(readJwtKey({ ...publicKey.export({ format: 'jwk' }), kid: 'mine' })).toEqual(read)
    expect(readJwtKey(`\n${pemOf(publicKey)}\n\n`)).toEqual(read)
  })

  test('verifies what its private half has signed, and nothing else', () => {
    const key = openJwtKey(pemOf(publicKey))
    const jwt = signedBy(privateKey, algorithm)
    expect(isSignedBy(key, algorithm, jwt)).toBe(true)
    for (const at of [0, 31, 32, jwt.signature.length - 1]) {
      const signature = jwt.signature.slice()
      signature[at] = (signature[at] ?? 0) ^ 1
      expect(isSignedBy(key, algorithm, { ...jwt, signature })).toBe(false)
    }
    expect(isSignedBy(key, algorithm, { ...jwt, signed: `${jwt.signed}A` })).toBe(false)
  })

  test.each([1, 63, 65, 255, 1000])('takes no signature of %d bytes', (bytes) => {
    const key = openJwtKey(pemOf(publicKey))
    const jwt = signedBy(privateKey, algorithm, new Uint8Array(bytes))
    expect(isSignedBy(key, algorithm, jwt)).toBe(false)
  })

  test.each(['none', 'None', 'HS256', 'RS256', 'ES256', 'EdDSA', 'PS256', 'ES384', ''])(
    'takes no token that says alg %p unless it is its own',
    (alg) => {
      const key = openJwtKey(pemOf(publicKey))
      const { signed } = signedBy(privateKey, alg)
      const hmac = createHmac('sha256', pemOf(publicKey)).update(signed).digest()
      expect(isSignedBy(key, algorithm, signedBy(privateKey, alg, hmac))).toBe(false)
      expect(isSignedBy(key, algorithm, signedBy(privateKey, alg))).toBe(alg === algorithm)
    },
  )

  test('that is private is refused, and nothing of it is repeated', () => {
    const pem = String(privateKey.export({ format: 'pem', type: 'pkcs8' }))
    for (const given of [pem, `${pemOf(publicKey)}${pem}`, privateKey.export({ format: 'jwk' })]) {
      const read = readJwtKey(given as string | Record<string, unknown>)
      expect(read).toMatchObject({ code: 'validation' })
      expect((read as Rejection).message).toStartWith('public_key is a private key.')
    }
  })
})

const RSA_JWK = RSA.publicKey.export({ format: 'jwk' })
const EC_JWK = EC.publicKey.export({ format: 'jwk' })

test.each([
  ['an empty text', ''],
  ['no PEM', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA'],
  ['a certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'],
  ['two keys', pemOf(ED.publicKey) + pemOf(EC.publicKey)],
  ['a PEM without a key in it', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'],
  ['a PEM that is cut off', pemOf(RSA.publicKey).slice(0, 200)],
  ['short RSA', pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey)],
  ['P-384', pemOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey)],
  ['X25519', pemOf(generateKeyPairSync('x25519').publicKey)],
  ['a key of another use', { ...EC_JWK, use: 'enc' }],
  ['an alg that does not fit', { ...EC_JWK, alg: 'RS256' }],
  ['a shared secret', { kty: 'oct', k: 'AAAA' }],
  ['a point that is not on the curve', { ...EC_JWK, y: EC_JWK.x ?? '' }],
  ['a curve that does not fit', { ...EC_JWK, crv: 'secp256k1' }],
  ['an exponent as long as the modulus', { ...RSA_JWK, e: RSA_JWK.n ?? '' }],
  ['an exponent of one', { ...RSA_JWK, e: 'AQ' }],
  ['no modulus', { kty: 'RSA', n: '', e: 'AQAB' }],
  ['members that are no texts', { kty: 'EC', crv: 7, x: {}, y: [] }],
  ['an empty object', {}],
])('as a public key, %s is refused', (_, given) => {
  expect(readJwtKey(given)).toBeInstanceOf(Rejection)
})

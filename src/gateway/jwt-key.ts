import { createPublicKey, type JsonWebKeyInput, type KeyObject, verify } from 'node:crypto'
import type { Jwt } from '../core/access/jwt.ts'
import { Rejection } from '../core/errors.ts'
import type { JwtAlgorithm } from '../tables/accounts/jwt-keys.ts'

export type ReadKey = { algorithm: JwtAlgorithm; publicKey: string }

const RSA_BITS_MIN = 2048

/** A larger one only takes longer to verify. */
const RSA_BITS_MAX = 4096

/** The exponent decides how long a verification takes; all real ones are far below. */
const RSA_EXPONENT_MAX = 2n ** 32n

const PEM = /^\s*-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*$/

const ACCEPTED = 'RSA of 2048 to 4096 bits, EC on P-256, or Ed25519'

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e']

/** Reads a public key, PEM or JWK. Nothing of it is repeated in a refusal: it may be a secret. */
export function readJwtKey(given: string | Readonly<Record<string, unknown>>): ReadKey | Rejection {
  const key = typeof given === 'string' ? fromPem(given) : fromJwk(given)
  if (key instanceof Rejection) return key
  const algorithm = algorithmOf(key)
  if (algorithm === null) return wrong(`must be ${ACCEPTED}`)
  if (typeof given !== 'string' && given.alg !== undefined && given.alg !== algorithm) {
    return wrong(`has an "alg" that does not fit: tokens of this key are ${algorithm}`)
  }
  return { algorithm, publicKey: String(key.export({ format: 'pem', type: 'spki' })) }
}

/** Opens a stored key, once for all tokens that it verifies. */
export function openJwtKey(publicKey: string): KeyObject {
  return createPublicKey(publicKey)
}

/**
 * True when the key signed the token, by the key's own algorithm: whatever the token says, it is
 * never verified as something else. Takes some 65 µs.
 */
export function isSignedBy(key: KeyObject, algorithm: JwtAlgorithm, jwt: Jwt): boolean {
  if (jwt.algorithm !== algorithm) return false
  const signed = Buffer.from(jwt.signed)
  if (algorithm === 'EdDSA') return verify(null, signed, key, jwt.signature)
  if (algorithm === 'RS256') return verify('sha256', signed, key, jwt.signature)
  return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, jwt.signature)
}

function fromPem(text: string): KeyObject | Rejection {
  if (/PRIVATE KEY/i.test(text)) return privateKey()
  if (!PEM.test(text)) {
    return wrong(
      'must be one PEM block that begins with -----BEGIN PUBLIC KEY-----, or a JWK as an object',
    )
  }
  return opened(() => createPublicKey(text.trim()))
}

function fromJwk(jwk: Readonly<Record<string, unknown>>): KeyObject | Rejection {
  if (PRIVATE_MEMBERS.some((name) => Object.hasOwn(jwk, name))) return privateKey()
  if (jwk.use !== undefined && jwk.use !== 'sig') return wrong('has a "use" that is not "sig"')
  const members = PUBLIC_MEMBERS.filter((name) => Object.hasOwn(jwk, name))
  const key = Object.fromEntries(members.map((name) => [name, jwk[name]]))
  return opened(() => createPublicKey({ key: key as JsonWebKeyInput['key'], format: 'jwk' }))
}

function opened(open: () => KeyObject): KeyObject | Rejection {
  try {
    return open()
  } catch {
    return wrong(`is no public key that can be read: it must be ${ACCEPTED}`)
  }
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): JwtAlgorithm | null {
  const { modulusLength = 0, publicExponent = 0n, namedCurve } = asymmetricKeyDetails ?? {}
  if (asymmetricKeyType === 'ed25519') return 'EdDSA'
  if (asymmetricKeyType === 'ec') return namedCurve === 'prime256v1' ? 'ES256' : null
  const isRsa =
    asymmetricKeyType === 'rsa' &&
    modulusLength >= RSA_BITS_MIN &&
    modulusLength <= RSA_BITS_MAX &&
    publicExponent >= 3n &&
    publicExponent <= RSA_EXPONENT_MAX
  return isRsa ? 'RS256' : null
}

function privateKey(): Rejection {
  return wrong(
    'is a private key. It was not stored, but has left its place: make a new pair, keep the ' +
      'private half where you sign, and send the public half',
  )
}

function wrong(what: string): Rejection {
  return new Rejection('validation', `public_key ${what}.`)
}

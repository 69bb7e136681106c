import { memberNames } from '../json/json-scan.ts'

/** A JSON Web Token as it was sent, with nothing of it verified. */
export type Jwt = {
  algorithm: string
  keyId: string
  claims: Readonly<Record<string, unknown>>
  /** The bytes that were signed. */
  signed: string
  signature: Uint8Array
}

/** Ours are some hundred characters long; user data may make them longer. */
const JWT_CHARS_MAX = 4096

const PART = /^[A-Za-z0-9_-]+$/

/** A JWS in compact form by RFC 7515, or why it is none. Strict: one text, one reading. */
export function parseJwt(text: string): Jwt | string {
  if (text.length > JWT_CHARS_MAX) return `is longer than ${JWT_CHARS_MAX} characters`
  const parts = text.split('.')
  const [headerPart = '', claimsPart = '', signaturePart = ''] = parts
  if (parts.length !== 3) return 'is not three parts with dots between them'
  const header = readObject(headerPart)
  const claims = readObject(claimsPart)
  const signature = readBytes(signaturePart)
  if (!header) return 'has a header that is no JSON object in base64url'
  if (!claims) return 'has claims that are no JSON object in base64url'
  if (!signature) return 'has no signature in base64url'

  const { alg, kid, crit } = header
  if (typeof alg !== 'string') return 'has no "alg" in its header'
  if (typeof kid !== 'string') return 'has no "kid" in its header'
  // An extension that must be understood, and we have none.
  if (crit !== undefined) return 'has a "crit" in its header, which is not supported'
  const signed = `${headerPart}.${claimsPart}`
  return { algorithm: alg, keyId: kid, claims, signed, signature }
}

/** A member that stands twice means one thing to one reader and another to the next. */
function readObject(part: string): Record<string, unknown> | null {
  const bytes = readBytes(part)
  if (!bytes) return null
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    const names = memberNames(text)
    if (new Set(names).size !== names.length) return null
    return value as Record<string, unknown>
  } catch {
    return null
  }
}

/** Without padding, and with no bit set behind the last byte: each value has one spelling. */
function readBytes(part: string): Uint8Array | null {
  if (!PART.test(part)) return null
  try {
    const bytes = Uint8Array.fromBase64(part, { alphabet: 'base64url' })
    return bytes.toBase64({ alphabet: 'base64url', omitPadding: true }) === part ? bytes : null
  } catch {
    return null
  }
}

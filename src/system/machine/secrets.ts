import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import { assert, Failure } from '../../core/errors.ts'
import type { Entropy } from '../../ports/entropy.ts'
import type { DerivedKeys, SealedPlace, Secrets } from '../../ports/secrets.ts'

const CIPHER = 'aes-256-gcm'
const SECRET_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Names the form, so that another can follow without guessing; it is authenticated too. */
const VERSION = 'v2.'

/** The label keeps this key apart from any other use of the secret. */
const DERIVED = 'headgate derived key\n'

/** Sealed texts are `v2.` and, in base64url, the nonce, the ciphertext and the tag. */
export function openSecrets(secret: Uint8Array, entropy: Entropy): Secrets & DerivedKeys {
  assert(secret.length === SECRET_BYTES, 'the secret of the instance has 32 bytes')
  // A copy, because the caller may wipe its own.
  const key = Uint8Array.from(secret)

  const seal = (plain: string, place: SealedPlace) => {
    // 96 random bits are safe for the 2^32 texts that NIST allows one key.
    const nonce = entropy.bytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    cipher.setAAD(Buffer.from(VERSION + place))
    const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
    return VERSION + Buffer.concat([nonce, text, cipher.getAuthTag()]).toString('base64url')
  }

  const open = (sealed: string, place: SealedPlace) => {
    const parts = readSealed(sealed)
    const decipher = createDecipheriv(CIPHER, key, parts.nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(VERSION + place))
    decipher.setAuthTag(parts.tag)
    try {
      return Buffer.concat([decipher.update(parts.text), decipher.final()]).toString('utf8')
    } catch (error) {
      const reason = 'changed, or of another place or secret'
      throw new Failure('secret_unreadable', { reason }, error)
    }
  }

  return {
    seal,
    open,
    derive: (purpose) =>
      Uint8Array.from(createHmac('sha256', key).update(DERIVED).update(purpose).digest()),
  }
}

function readSealed(sealed: string): { nonce: Buffer; text: Buffer; tag: Buffer } {
  const encoded = sealed.slice(VERSION.length)
  const bytes = Buffer.from(encoded, 'base64url')
  // Decoding passes over what is not base64; only encoding it back shows that nothing changed.
  const whole = sealed.startsWith(VERSION) && bytes.toString('base64url') === encoded
  if (!whole || bytes.length < NONCE_BYTES + TAG_BYTES) {
    throw new Failure('secret_unreadable', { reason: 'not a sealed text' })
  }
  return {
    nonce: bytes.subarray(0, NONCE_BYTES),
    text: bytes.subarray(NONCE_BYTES, -TAG_BYTES),
    tag: bytes.subarray(-TAG_BYTES),
  }
}

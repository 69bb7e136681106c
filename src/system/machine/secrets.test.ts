import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { Failure } from '../../core/errors.ts'
import type { Entropy } from '../../ports/entropy.ts'
import { appKeyPlace, signingKeyPlace } from '../../ports/secrets.ts'
import { openSecrets } from './secrets.ts'

const ENTROPY: Entropy = {
  bytes: (length) => randomBytes(length),
  alphanumeric: () => '',
  fraction: () => 0,
}

const PLACE = appKeyPlace('app_0123456789abcdef')
const ELSEWHERE = appKeyPlace('app_fedcba9876543210')

/** AES-256-GCM with the secret below, the nonce 00 01 .. 0b and `v1.` as associated data. */
const OF_V1 = 'v1.AAECAwQFBgcICQoLee_JEW15-SISy7R5oy0nTFyK1b9y2RwCXWk'

const SECRET = new Uint8Array(32).fill(7)
const secrets = openSecrets(SECRET, ENTROPY)

test.each([[''], ['k'], ['0123456789abcdefghijklmnopqrstuv'], ['Grüße 😀'], ['x'.repeat(100_000)]])(
  'a sealed text opens to what it was (%#)',
  (plain) => {
    expect(secrets.open(secrets.seal(plain, PLACE), PLACE)).toBe(plain)
  },
)

test('sealing the same text twice gives two texts, and neither shows it', () => {
  const [one, two] = [secrets.seal('my-app-key', PLACE), secrets.seal('my-app-key', PLACE)]
  expect(one).not.toBe(two)
  expect(Buffer.from(one.slice(3), 'base64url').toString('latin1')).not.toContain('my-app-key')
})

test('a text sealed before a restart opens after it', () => {
  const sealed = secrets.seal('key', PLACE)
  expect(openSecrets(Uint8Array.from(SECRET), ENTROPY).open(sealed, PLACE)).toBe('key')
})

test('a text keeps its form from version to version', () => {
  // The nonce 00 01 .. 0b, and `v2.` and the place as associated data.
  const fixed = openSecrets(SECRET, {
    ...ENTROPY,
    bytes: (n) => Uint8Array.from({ length: n }, (_, i) => i),
  })
  const sealed = 'v2.AAECAwQFBgcICQoLee_JEW15-SISy_HONGUz3lYVusp3MVXLelc'
  expect(fixed.seal('an app key', PLACE)).toBe(sealed)
  expect(secrets.open(sealed, PLACE)).toBe('an app key')
})

test('a text sealed by an early version, for no place, does not open', () => {
  expect(() => secrets.open(OF_V1, PLACE)).toThrow(Failure)
  expect(() => secrets.open(OF_V1.replace('v1.', 'v2.'), PLACE)).toThrow(Failure)
})

test('the secret may be wiped by its owner afterwards', () => {
  const mine = Uint8Array.from(SECRET)
  const opened = openSecrets(mine, ENTROPY)
  const sealed = opened.seal('key', PLACE)
  mine.fill(0)
  expect(opened.open(sealed, PLACE)).toBe('key')
})

describe('what cannot be trusted is refused', () => {
  test('every change of any single character', () => {
    const sealed = secrets.seal('key', PLACE)
    for (let index = 0; index < sealed.length; index++) {
      for (const other of ['A', 'z', '_', '!', ' ', '=']) {
        if (sealed[index] === other) continue
        const changed = sealed.slice(0, index) + other + sealed.slice(index + 1)
        expect(() => secrets.open(changed, PLACE)).toThrow(Failure)
      }
    }
  })

  test('every shorter and some longer texts', () => {
    const sealed = secrets.seal('key', PLACE)
    for (let length = 0; length < sealed.length; length++) {
      expect(() => secrets.open(sealed.slice(0, length), PLACE)).toThrow(Failure)
    }
    for (const tail of ['A', '=', '\n', sealed]) {
      expect(() => secrets.open(sealed + tail, PLACE)).toThrow(Failure)
    }
  })

  test('another secret, with a failure that says so and shows neither', () => {
    const sealed = secrets.seal('my-app-key', PLACE)
    const other = openSecrets(new Uint8Array(32).fill(8), ENTROPY)
    const failure = thrownBy(() => other.open(sealed, PLACE))
    expect(failure).toMatchObject({ code: 'secret_unreadable' })
    expect(JSON.stringify(failure) + String(failure)).not.toContain('my-app-key')
  })

  test('a version it does not know', () => {
    const unknown = secrets.seal('key', PLACE).replace('v2.', 'v3.')
    expect(() => secrets.open(unknown, PLACE)).toThrow(Failure)
  })

  test('another row, another table', () => {
    const sealed = secrets.seal('key', PLACE)
    for (const place of [ELSEWHERE, signingKeyPlace('app_0123456789abcdef')]) {
      expect(thrownBy(() => secrets.open(sealed, place))).toMatchObject({
        code: 'secret_unreadable',
      })
    }
  })
})

test.each([[0], [16], [31], [33]])('a secret of %d bytes is refused', (length) => {
  expect(() => openSecrets(new Uint8Array(length), ENTROPY)).toThrow('32 bytes')
})

function thrownBy(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

test('a derived key is the same after a restart, and another for another purpose or secret', () => {
  const derived = secrets.derive('page keys').toHex()
  expect(derived).toHaveLength(64)
  expect(openSecrets(Uint8Array.from(SECRET), ENTROPY).derive('page keys').toHex()).toBe(derived)
  expect(secrets.derive('other keys').toHex()).not.toBe(derived)
  const other = openSecrets(new Uint8Array(32).fill(8), ENTROPY)
  expect(other.derive('page keys').toHex()).not.toBe(derived)
  expect(derived).not.toContain(SECRET.toHex())
})

import { describe, expect, test } from 'bun:test'
import { type PageKey, pageKeyError, readPageKey, writePageKey } from './page-key.ts'

const SECRET = new Uint8Array(32).fill(1)
const KEY: PageKey = {
  snapshot: '00112233445566778899aabbccddeeff',
  slot: 18_446_744_073_709_551_615n,
  after: Uint8Array.from({ length: 32 }, (_, at) => 255 - at),
  queryHash: 'ab'.repeat(32),
  expiresAtMs: 1_700_000_600_000,
}
const NOW_MS = 1_700_000_000_000

describe('a page key', () => {
  test('comes back as it was given', () => {
    expect(readPageKey(SECRET, writePageKey(SECRET, KEY), NOW_MS)).toEqual(KEY)
    const small = { ...KEY, snapshot: '', slot: 0n, after: new Uint8Array(32) }
    expect(readPageKey(SECRET, writePageKey(SECRET, small), NOW_MS)).toEqual(small)
  })

  test('is text that needs no escape anywhere, and short', () => {
    const text = writePageKey(SECRET, KEY)
    expect(text).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(text.length).toBeLessThan(200)
  })

  test('lives until its end, and not a moment longer', () => {
    const text = writePageKey(SECRET, KEY)
    expect(readPageKey(SECRET, text, KEY.expiresAtMs - 1)).toEqual(KEY)
    expect(readPageKey(SECRET, text, KEY.expiresAtMs)).toBe('expired')
    expect(readPageKey(SECRET, text, Number.MAX_SAFE_INTEGER)).toBe('expired')
  })

  test('of another instance is foreign, expired or not', () => {
    const text = writePageKey(new Uint8Array(32).fill(2), KEY)
    expect(readPageKey(SECRET, text, NOW_MS)).toBe('foreign')
    expect(readPageKey(SECRET, text, KEY.expiresAtMs)).toBe('foreign')
  })

  test('with any character changed is foreign', () => {
    const text = writePageKey(SECRET, KEY)
    for (let at = 0; at < text.length; at++) {
      for (const other of ['A', '_', '=', ' ', '/', 'é', '']) {
        if (text[at] === other) continue
        const changed = text.slice(0, at) + other + text.slice(at + 1)
        expect(readPageKey(SECRET, changed, NOW_MS)).toBe('foreign')
      }
    }
  })

  test('with any bit changed is foreign', () => {
    const bytes = Buffer.from(writePageKey(SECRET, KEY), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(readPageKey(SECRET, changed.toString('base64url'), NOW_MS)).toBe('foreign')
    }
  })

  test('cut short, drawn out or made up is foreign', () => {
    const text = writePageKey(SECRET, KEY)
    for (let length = 0; length < text.length; length++) {
      expect(readPageKey(SECRET, text.slice(0, length), NOW_MS)).toBe('foreign')
    }
    for (const made of [`${text}A`, `${text}=`, ` ${text}`, text + text, 'null', '\ud800']) {
      expect(readPageKey(SECRET, made, NOW_MS)).toBe('foreign')
    }
    expect(readPageKey(SECRET, 'A'.repeat(3_000_000), NOW_MS)).toBe('foreign')
  })

  test('signed by us in another form is expired or foreign, never misread', () => {
    const bytes = Buffer.from(writePageKey(SECRET, KEY), 'base64url')
    const resigned = (change: (body: Buffer) => Buffer): string => {
      const body = change(Buffer.from(bytes.subarray(0, -32)))
      const hasher = new Bun.CryptoHasher('sha256', SECRET).update('headgate page key\n')
      return Buffer.concat([body, hasher.update(body).digest()]).toString('base64url')
    }
    expect(
      readPageKey(
        SECRET,
        resigned((body) => body),
        NOW_MS,
      ),
    ).toEqual(KEY)
    const otherVersion = resigned((body) => {
      body[0] = 2
      return body
    })
    expect(readPageKey(SECRET, otherVersion, NOW_MS)).toBe('expired')
    const wrongLength = resigned((body) => {
      body[1] = 15
      return body
    })
    expect(readPageKey(SECRET, wrongLength, NOW_MS)).toBe('foreign')
  })

  test.each([
    ['a long id', { ...KEY, snapshot: '00'.repeat(17) }],
    ['an id that is no hex', { ...KEY, snapshot: 'zz' }],
    ['half a byte', { ...KEY, snapshot: '0' }],
    ['a short public key', { ...KEY, after: new Uint8Array(31) }],
    ['a hash of another kind', { ...KEY, queryHash: 'ab' }],
  ])('is not made of %s: that is a bug of ours', (_title, key) => {
    expect(() => writePageKey(SECRET, key)).toThrow('broken invariant')
  })
})

test('a refused key is named as the caller knows it', () => {
  expect(pageKeyError('expired', 1)).toEqual({
    code: -32602,
    message: 'pageKey has expired',
    dataText: null,
  })
  expect(pageKeyError('expired', 2).message).toBe('paginationKey has expired')
  expect(pageKeyError('foreign', 1).code).toBe(-32602)
  expect(pageKeyError('foreign', 1).message).toContain('pageKey')
  expect(pageKeyError('foreign', 2).message).toContain('paginationKey')
})

import { expect, test } from 'bun:test'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { keccakDigits } from './keccak-digits.ts'
import { INPUT_BLOCKS_MAX, RATE_BYTES } from './keccak-module.ts'

/** Published with the submission of Keccak, and used all over Ethereum. */
test.each([
  ['', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
  ['616263', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
  ['c0', '1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'],
  ['80', '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'],
])('the hash of %j is the published one', (digits, hash) => {
  expect(keccakDigits(digits)).toBe(hash)
})

test('the hash is right around the ends of its blocks and chunks, one after the other', () => {
  const chunk = INPUT_BLOCKS_MAX * RATE_BYTES
  const sizes = [1, 55, 135, 136, 137, 271, 272, 273, chunk - 1, chunk, chunk + 1, 2 * chunk + 135]
  for (const size of sizes) {
    const bytes = Uint8Array.from({ length: size }, (_, at) => (at * 31 + size) % 251)
    expect(keccakDigits(bytes.toHex())).toBe(keccak_256(bytes).toHex())
  }
})

test('digits that are none are refused, and leave nothing behind', () => {
  for (const digits of ['zz', 'abc', `${'00'.repeat(200)}x0`]) {
    expect(() => keccakDigits(digits)).toThrow(SyntaxError)
  }
  expect(keccakDigits('616263')).toStartWith('4e03657a')
})

import { expect, test } from 'bun:test'
import { hashKey } from './hash-key.ts'

// The first two are the examples of FIPS 180-4.
test.each([
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['é', '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c'],
])('the hash of a key is its SHA-256 in lower-case hex (%#)', (text, hash) => {
  expect(hashKey(text)).toBe(hash)
})

/** With two bits a key, in one word, one absent key in fifty passes. */
const BITS_PER_KEY = 16
const BITS_MIN = 8192

/** Addresses and the topics made of them differ in their last characters. */
const CHARS_READ = 10

/**
 * Says of most keys at once that they are not in a large map. Nearly all keys of a block are
 * in no filter, and to learn that from a map of 100,000 keys takes four or five reads from all
 * over the memory; here it takes one. Its errors are false positives only. `keys` gives all keys
 * that belong in it, for when it must be rebuilt.
 */
export function openBloomFilter(keys: () => Iterable<string>) {
  let bits = new Uint32Array(BITS_MIN / 32)
  let count = 0
  /** Deleted keys whose bits are still set, since other keys may share them. */
  let stale = 0

  function rebuild(size: number): void {
    bits = new Uint32Array(size / 32)
    stale = 0
    for (const key of keys()) setBits(bits, key)
  }

  return {
    add: (key: string): void => {
      count++
      if (count * BITS_PER_KEY > bits.length * 32) rebuild(bits.length * 64)
      setBits(bits, key)
    },
    /** Notes that one of the keys is gone; the filter does not need to know which. */
    delete: (): void => {
      count--
      stale++
      // Rebuilt seldom enough to cost little, soon enough for the bits to mean something.
      if (stale * BITS_PER_KEY > bits.length * 32) rebuild(bits.length * 32)
    },
    mayHave: (key: string): boolean => {
      const hash = hashOf(key)
      const mask = maskOf(hash)
      return (bits[(hash >>> 10) & (bits.length - 1)]! & mask) === mask
    },
  }
}

function setBits(bits: Uint32Array, key: string): void {
  const hash = hashOf(key)
  const word = (hash >>> 10) & (bits.length - 1)
  bits[word] = bits[word]! | maskOf(hash)
}

function maskOf(hash: number): number {
  return (1 << (hash & 31)) | (1 << ((hash >>> 5) & 31))
}

function hashOf(key: string): number {
  let hash = 0
  for (let at = key.length - CHARS_READ; at < key.length; at++) {
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x9e3779b1)
  }
  return hash ^ (hash >>> 15)
}

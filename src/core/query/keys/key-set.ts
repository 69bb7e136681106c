import {
  type ExtendibleHashSet,
  eachHashOf,
  hashSetAdd,
  hashSetDelete,
  hashSetHas,
  hashSetHasHash,
  openExtendibleHashSet,
} from './extendible-hash-set.ts'
import {
  ADDRESS_WORDS,
  BYTES32_WORDS,
  hashReadKey,
  type KeySeed,
  PUBLIC_SEED,
  readKey,
} from './read-key.ts'

export type KeySet = ReturnType<typeof openKeySet>

/**
 * A live set of addresses or 32-byte words, as `0x` text. Ten million addresses take
 * about 350 MB and a change moves at most some thousand keys. A text that is no such key
 * is never in it.
 */
export function openKeySet(seed: KeySeed = PUBLIC_SEED) {
  let addresses: ExtendibleHashSet | null = null
  let words32: ExtendibleHashSet | null = null

  function setOf(words: number): ExtendibleHashSet | null {
    return words === ADDRESS_WORDS ? addresses : words === BYTES32_WORDS ? words32 : null
  }

  return {
    get size(): number {
      return (addresses?.count ?? 0) + (words32?.count ?? 0)
    },
    /** False when it was there already, or is no key. */
    add: (key: string): boolean => {
      const words = readKey(key)
      if (words === 0) return false
      if (words === ADDRESS_WORDS) addresses ??= openExtendibleHashSet(words)
      else words32 ??= openExtendibleHashSet(words)
      return hashSetAdd(setOf(words)!, hashReadKey(words, seed))
    },
    delete: (key: string): boolean => {
      const words = readKey(key)
      const set = setOf(words)
      return set !== null && hashSetDelete(set, hashReadKey(words, seed))
    },
    has: (key: string): boolean => {
      const words = readKey(key)
      const set = setOf(words)
      return set !== null && hashSetHas(set, hashReadKey(words, seed))
    },
    /** Whether the key that was read last is in it; for asking many sets about one key. */
    hasReadKey: (words: number, hash: number): boolean => {
      const set = setOf(words)
      return set !== null && hashSetHas(set, hash)
    },
    hasHash: (hash: number): boolean =>
      [addresses, words32].some((set) => set !== null && hashSetHasHash(set, hash)),
    eachHash: (visit: (hash: number) => void): void => {
      for (const set of [addresses, words32]) if (set) eachHashOf(set, visit)
    },
  }
}

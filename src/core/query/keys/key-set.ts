import {
  eachTableHash,
  type KeyTable,
  openKeyTable,
  tableAdd,
  tableDelete,
  tableHas,
  tableHasHash,
} from './key-table.ts'
import {
  ADDRESS_WORDS,
  BYTES32_WORDS,
  hashRead,
  type KeySeed,
  OPEN_SEED,
  readKey,
} from './key-words.ts'

/**
 * A live set of addresses or 32-byte words, as `0x` text. Ten million addresses take
 * about 350 MB and a change moves at most some thousand keys. What is no such key is
 * never in it.
 */
export type KeySet = {
  readonly size: number
  /** False when it was there already, or is no key. */
  add(key: string): boolean
  /** False when it was not there. */
  delete(key: string): boolean
  has(key: string): boolean
  /** Whether the key that was read last is in it; for asking many sets about one key. */
  hasRead(words: number, hash: number): boolean
  /** Whether any of its keys has this hash. */
  hasHash(hash: number): boolean
  eachHash(visit: (hash: number) => void): void
}

export function openKeySet(seed: KeySeed = OPEN_SEED): KeySet {
  let addresses: KeyTable | null = null
  let words32: KeyTable | null = null

  function tableOf(words: number): KeyTable | null {
    return words === ADDRESS_WORDS ? addresses : words === BYTES32_WORDS ? words32 : null
  }

  return {
    get size() {
      return (addresses?.count ?? 0) + (words32?.count ?? 0)
    },
    add: (key) => {
      const words = readKey(key)
      if (words === 0) return false
      if (words === ADDRESS_WORDS) addresses ??= openKeyTable(words)
      else words32 ??= openKeyTable(words)
      return tableAdd(tableOf(words)!, hashRead(words, seed))
    },
    delete: (key) => {
      const words = readKey(key)
      const table = tableOf(words)
      return table !== null && tableDelete(table, hashRead(words, seed))
    },
    has: (key) => {
      const words = readKey(key)
      const table = tableOf(words)
      return table !== null && tableHas(table, hashRead(words, seed))
    },
    hasRead: (words, hash) => {
      const table = tableOf(words)
      return table !== null && tableHas(table, hash)
    },
    hasHash: (hash) =>
      [addresses, words32].some((table) => table !== null && tableHasHash(table, hash)),
    eachHash: (visit) => {
      for (const table of [addresses, words32]) if (table) eachTableHash(table, visit)
    },
  }
}

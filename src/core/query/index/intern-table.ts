import { type SmallSet, smallSetItems, smallSetWith, smallSetWithout } from '../keys/small-set.ts'

/**
 * Values of which equal ones are kept once, found by a key text that can be made from each of
 * them. Only a hash of the text is kept: a hundred thousand filters would else be in memory twice.
 */
export type InternTable<T extends object> = {
  find(key: string): T | undefined
  add(key: string, value: T): void
  remove(value: T): void
  size(): number
}

export function openInternTable<T extends object>(keyOf: (value: T) => string): InternTable<T> {
  const byHash = new Map<number, SmallSet<T>>()
  let size = 0
  return {
    find: (key) => {
      for (const value of smallSetItems(byHash.get(hashOf(key)))) {
        if (keyOf(value) === key) return value
      }
      return undefined
    },
    add: (key, value) => {
      const hash = hashOf(key)
      byHash.set(hash, smallSetWith(byHash.get(hash), value))
      size++
    },
    remove: (value) => {
      const hash = hashOf(keyOf(value))
      const rest = smallSetWithout(byHash.get(hash), value)
      if (rest === undefined) byHash.delete(hash)
      else byHash.set(hash, rest)
      size--
    },
    size: () => size,
  }
}

/** 53 bits of two multiplicative hashes. Equal hashes are told apart, so they need no secret. */
function hashOf(text: string): number {
  let one = 0x9e3779b9
  let other = 0x85ebca6b
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    one = Math.imul(one ^ code, 0x9e3779b1)
    other = Math.imul(other ^ code, 0x5f356495)
  }
  one ^= other >>> 15
  other ^= one >>> 13
  return (other & 0x1fffff) * 0x1_0000_0000 + (one >>> 0)
}

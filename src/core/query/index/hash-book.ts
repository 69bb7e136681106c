import { type Bag, bagItems, bagWith, bagWithout } from '../keys/bag.ts'

/**
 * Things found by a text that can be told from each of them. Only a hash of the text
 * is kept: a hundred thousand filters and the like would else be in memory twice.
 */
export type HashBook<T extends object> = {
  find(text: string): T | undefined
  add(text: string, thing: T): void
  remove(thing: T): void
  size(): number
}

export function openHashBook<T extends object>(textOf: (thing: T) => string): HashBook<T> {
  const byHash = new Map<number, Bag<T>>()
  let size = 0
  return {
    find: (text) => {
      for (const thing of bagItems(byHash.get(hashOf(text)))) {
        if (textOf(thing) === text) return thing
      }
      return undefined
    },
    add: (text, thing) => {
      const hash = hashOf(text)
      byHash.set(hash, bagWith(byHash.get(hash), thing))
      size++
    },
    remove: (thing) => {
      const hash = hashOf(textOf(thing))
      const rest = bagWithout(byHash.get(hash), thing)
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

/**
 * Any number of things in as little memory as their number allows: most keys have
 * one query and most queries one webhook, and a Set for each would cost more than
 * all the rest. The things are plain objects, neither arrays nor sets.
 */
export type Bag<T extends object> = T | T[] | Set<T>

/** Up to here looking through is as fast as hashing. */
const ARRAY_MAX = 8

export function bagWith<T extends object>(bag: Bag<T> | undefined, thing: T): Bag<T> {
  if (bag === undefined) return thing
  if (bag instanceof Set) return bag.add(thing)
  if (!Array.isArray(bag)) return bag === thing ? bag : [bag, thing]
  if (bag.includes(thing)) return bag
  if (bag.length === ARRAY_MAX) return new Set(bag).add(thing)
  bag.push(thing)
  return bag
}

export function bagWithout<T extends object>(
  bag: Bag<T> | undefined,
  thing: T,
): Bag<T> | undefined {
  if (bag === undefined || bag === thing) return undefined
  if (bag instanceof Set) {
    bag.delete(thing)
    return bag.size > ARRAY_MAX / 2 ? bag : [...bag]
  }
  if (!Array.isArray(bag)) return bag
  const rest = bag.filter((other) => other !== thing)
  return rest.length > 1 ? rest : rest[0]
}

export function bagSize(bag: Bag<object> | undefined): number {
  if (bag === undefined) return 0
  return bag instanceof Set ? bag.size : Array.isArray(bag) ? bag.length : 1
}

export function bagItems<T extends object>(bag: Bag<T> | undefined): Iterable<T> {
  if (bag === undefined) return []
  return bag instanceof Set || Array.isArray(bag) ? bag : [bag]
}

/**
 * A set in as little memory as its size allows: most keys have one query and most queries one
 * webhook, and a Set for each would cost more than all the rest. Items are plain objects,
 * neither arrays nor sets.
 */
export type SmallSet<T extends object> = T | T[] | Set<T>

/** Up to this size a linear search is as fast as hashing. */
const ARRAY_MAX = 8

export function smallSetWith<T extends object>(set: SmallSet<T> | undefined, item: T): SmallSet<T> {
  if (set === undefined) return item
  if (set instanceof Set) return set.add(item)
  if (!Array.isArray(set)) return set === item ? set : [set, item]
  if (set.includes(item)) return set
  if (set.length === ARRAY_MAX) return new Set(set).add(item)
  set.push(item)
  return set
}

export function smallSetWithout<T extends object>(
  set: SmallSet<T> | undefined,
  item: T,
): SmallSet<T> | undefined {
  if (set === undefined || set === item) return undefined
  if (set instanceof Set) {
    set.delete(item)
    return set.size > ARRAY_MAX / 2 ? set : [...set]
  }
  if (!Array.isArray(set)) return set
  const rest = set.filter((other) => other !== item)
  return rest.length > 1 ? rest : rest[0]
}

export function smallSetSize(set: SmallSet<object> | undefined): number {
  if (set === undefined) return 0
  return set instanceof Set ? set.size : Array.isArray(set) ? set.length : 1
}

export function smallSetItems<T extends object>(set: SmallSet<T> | undefined): Iterable<T> {
  if (set === undefined) return []
  return set instanceof Set || Array.isArray(set) ? set : [set]
}

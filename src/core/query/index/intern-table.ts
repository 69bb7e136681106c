/**
 * Values of which equal ones are kept once, found by a key text that can be made from each of
 * them. Only a hash of the text is kept: a hundred thousand filters would else be in memory twice.
 */
export type InternTable<T extends object> = ReturnType<typeof openInternTable<T>>

const SLOTS_MIN = 16

/** Beyond it, too many keys share a run of slots. */
const FULL_SHARE = 0.75

/** Twice as many slots would stand empty for long in a large table. */
const GROWTH = 1.3

/**
 * A hash table with open addressing: the runtime's Map would take three times the memory.
 * `hashOf` gives 32 bits.
 */
export function openInternTable<T extends object>(
  keyOf: (value: T) => string,
  hashOf: (key: string) => number = hashText,
) {
  let slots = emptySlots<T>(SLOTS_MIN)
  let hashes = new Uint32Array(SLOTS_MIN)
  let size = 0

  function next(slot: number): number {
    return slot + 1 === slots.length ? 0 : slot + 1
  }

  function distance(from: number, to: number): number {
    return to < from ? to - from + slots.length : to - from
  }

  /** The slot of the value that is looked for, or the free one at which the search ends. */
  function slotOf(hash: number, isSought: (value: T) => boolean): number {
    let at = homeOf(hash, slots.length)
    for (let value = slots[at]; value; value = slots[at]) {
      if (hashes[at] === hash && isSought(value)) break
      at = next(at)
    }
    return at
  }

  function put(hash: number, value: T): void {
    const at = slotOf(hash, () => false)
    slots[at] = value
    hashes[at] = hash
  }

  function grow(): void {
    const [values, valueHashes] = [slots, hashes]
    slots = emptySlots<T>(Math.ceil(values.length * GROWTH))
    hashes = new Uint32Array(slots.length)
    for (const [at, value] of values.entries()) if (value) put(valueHashes[at] ?? 0, value)
  }

  /** Moves up what stands after the slot only because it was taken, so that searches reach it. */
  function free(slot: number): void {
    let freed = slot
    for (let at = next(slot); slots[at]; at = next(at)) {
      const hash = hashes[at] ?? 0
      if (distance(homeOf(hash, slots.length), at) < distance(freed, at)) continue
      slots[freed] = slots[at] ?? null
      hashes[freed] = hash
      freed = at
    }
    slots[freed] = null
  }

  return {
    find: (key: string): T | undefined =>
      slots[slotOf(hashOf(key), (value) => keyOf(value) === key)] ?? undefined,
    /** For a key that is not there. */
    add(key: string, value: T): void {
      if (++size > slots.length * FULL_SHARE) grow()
      put(hashOf(key), value)
    },
    remove(value: T): void {
      const at = slotOf(hashOf(keyOf(value)), (other) => other === value)
      if (!slots[at]) return
      free(at)
      size--
    },
    keys: (): Iterable<string> =>
      slots
        .values()
        .filter((value) => value !== null)
        .map(keyOf),
    size: () => size,
  }
}

function homeOf(hash: number, slots: number): number {
  return Math.floor((hash * slots) / 0x1_0000_0000)
}

function emptySlots<T>(count: number): (T | null)[] {
  return Array<T | null>(count).fill(null)
}

/** Two multiplicative hashes in 32 bits. Equal hashes are told apart, so they need no secret. */
function hashText(text: string): number {
  let one = 0x9e3779b9
  let other = 0x85ebca6b
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    one = Math.imul(one ^ code, 0x9e3779b1)
    other = Math.imul(other ^ code, 0x5f356495)
  }
  one ^= other >>> 15
  other ^= one >>> 13
  return (one ^ other) >>> 0
}

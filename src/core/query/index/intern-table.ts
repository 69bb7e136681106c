/**
 * Values of which equal ones are kept once, found by a key text that can be made from each of
 * them. Only a hash of the text is kept: a hundred thousand filters would else be in memory twice.
 */
export type InternTable<T extends object> = {
  find(key: string): T | undefined
  /** For a key that is not there. */
  add(key: string, value: T): void
  remove(value: T): void
  size(): number
}

/** A power of two, as are all later numbers of slots. */
const SLOTS_MIN = 16

/** Beyond it, too many keys share a run of slots. */
const FULL_SHARE = 0.75

/** A hash table with open addressing: the runtime's Map would take three times the memory. */
export function openInternTable<T extends object>(keyOf: (value: T) => string): InternTable<T> {
  let slots = emptySlots<T>(SLOTS_MIN)
  let hashes = new Uint32Array(SLOTS_MIN)
  let size = 0

  /** The slot of the value that is looked for, or the free one at which the search ends. */
  function slotOf(hash: number, isSought: (value: T) => boolean): number {
    let at = hash & (slots.length - 1)
    for (let value = slots[at]; value; value = slots[at]) {
      if (hashes[at] === hash && isSought(value)) break
      at = (at + 1) & (slots.length - 1)
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
    slots = emptySlots<T>(values.length * 2)
    hashes = new Uint32Array(slots.length)
    for (const [at, value] of values.entries()) if (value) put(valueHashes[at] ?? 0, value)
  }

  /** Moves up what stands after the slot only because it was taken, so that searches reach it. */
  function free(slot: number): void {
    const mask = slots.length - 1
    let freed = slot
    for (let at = (slot + 1) & mask; slots[at]; at = (at + 1) & mask) {
      const hash = hashes[at] ?? 0
      if (((at - hash) & mask) < ((at - freed) & mask)) continue
      slots[freed] = slots[at] ?? null
      hashes[freed] = hash
      freed = at
    }
    slots[freed] = null
  }

  return {
    find: (key) => slots[slotOf(hashOf(key), (value) => keyOf(value) === key)] ?? undefined,
    add(key, value) {
      if (++size > slots.length * FULL_SHARE) grow()
      put(hashOf(key), value)
    },
    remove(value) {
      const at = slotOf(hashOf(keyOf(value)), (other) => other === value)
      if (!slots[at]) return
      free(at)
      size--
    },
    size: () => size,
  }
}

function emptySlots<T>(count: number): (T | null)[] {
  return Array<T | null>(count).fill(null)
}

/** Two multiplicative hashes in 32 bits. Equal hashes are told apart, so they need no secret. */
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
  return (one ^ other) >>> 0
}

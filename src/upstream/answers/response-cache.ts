/** An answer that may be given again: the node's own text and who gave it. */
export type Kept = { text: string; upstream: string }

export type ResponseCache<T extends Kept = Kept> = {
  get(key: string): T | undefined
  set(key: string, kept: T): void
  clear(): void
  readonly bytes: number
}

/** What a Map entry, its key and the objects around a text cost beside the text itself. */
const ENTRY_BYTES = 200

/** One answer must not push out everything else. */
const SHARE_MAX = 1 / 16

/** So many answers kept without one of them being asked for again, and keeping gets choosy. */
const UNUSED_KEPT_MAX = 1000
const SEEN_SLOTS = 1 << 16

/**
 * Keeps at most `bytesMax`. Two generations instead of a list by last use: a hit
 * costs one look-up, and what was not asked for during a whole generation goes.
 * While nothing is asked for twice, only what is seen a second time is kept: a
 * flood of unique calls would fill memory with what nobody wants, and the garbage
 * collector would cost more than the cache saves.
 */
export function openResponseCache<T extends Kept = Kept>(bytesMax: number): ResponseCache<T> {
  const seen = openSeen()
  let young = new Map<string, T>()
  let old = new Map<string, T>()
  let youngBytes = 0
  let oldBytes = 0
  let unusedKept = 0

  const put = (key: string, kept: T) => {
    const bytes = weight(key, kept)
    if (bytes > bytesMax * SHARE_MAX) return
    if (youngBytes + bytes > bytesMax / 2) {
      old = young
      oldBytes = youngBytes
      young = new Map()
      youngBytes = 0
    }
    const before = young.get(key)
    youngBytes += before ? bytes - weight(key, before) : bytes
    young.set(key, kept)
  }

  return {
    get(key) {
      const recent = young.get(key)
      const found = recent ?? old.get(key)
      if (!found) return undefined
      unusedKept = 0
      if (!recent) put(key, found)
      return found
    },
    set(key, kept) {
      if (unusedKept >= UNUSED_KEPT_MAX && !seen.again(key)) return
      unusedKept++
      put(key, kept)
    },
    clear() {
      if (young.size > 0) young = new Map()
      if (old.size > 0) old = new Map()
      youngBytes = 0
      oldBytes = 0
    },
    get bytes() {
      return youngBytes + oldBytes
    },
  }
}

/** Remembers which keys came by lately: one fingerprint a slot, the newer one stays. */
function openSeen() {
  const slots = new Uint32Array(SEEN_SLOTS)
  return {
    again(key: string): boolean {
      const mark = Bun.hash.crc32(key)
      const slot = mark & (SEEN_SLOTS - 1)
      if (slots[slot] === mark) return true
      slots[slot] = mark
      return false
    },
  }
}

function weight(key: string, kept: Kept): number {
  return key.length + kept.text.length + ENTRY_BYTES
}

import { openTwoGenerationMap } from '../../core/two-generation-map.ts'

/** An answer that may be given again: the node's own text and who gave it. */
export type CacheEntry = { text: string; upstream: string }

export type ResponseCache<T extends CacheEntry = CacheEntry> = {
  get(key: string): T | undefined
  set(key: string, entry: T): void
  clear(): void
  readonly bytes: number
}

/** The cost of a Map entry, its key and the objects around a text beside the text itself. */
const ENTRY_BYTES = 200

/** One answer must not push out everything else. */
const SHARE_MAX = 1 / 16

/** After this many answers cached without one of them being asked for again, it gets choosy. */
const UNUSED_MAX = 1000
const SEEN_SLOTS = 1 << 16

/**
 * Caches at most `bytesMax`. While nothing is asked for twice, only what is seen a second time is
 * cached: a flood of unique calls would fill memory with what nobody wants, and the garbage
 * collector would cost more than the cache saves.
 */
export function openResponseCache<T extends CacheEntry = CacheEntry>(
  bytesMax: number,
): ResponseCache<T> {
  const entries = openTwoGenerationMap<string, T>({ weightMax: bytesMax / 2, weigh })
  const seen = openSeen()
  let unused = 0

  return {
    get(key) {
      const entry = entries.get(key)
      if (entry) unused = 0
      return entry
    },
    set(key, entry) {
      if (unused >= UNUSED_MAX && !seen.again(key)) return
      unused++
      if (weigh(key, entry) <= bytesMax * SHARE_MAX) entries.set(key, entry)
    },
    clear: entries.clear,
    get bytes() {
      return entries.weight
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

function weigh(key: string, entry: CacheEntry): number {
  return key.length + entry.text.length + ENTRY_BYTES
}

/** An answer that may be given again: the node's own text and who gave it. */
export type Kept = { text: string; upstream: string }

export type ResponseCache = {
  get(key: string): Kept | undefined
  set(key: string, kept: Kept): void
  clear(): void
  readonly bytes: number
}

/** What a Map entry, its key and the objects around a text cost beside the text itself. */
const ENTRY_BYTES = 200

/** One answer must not push out everything else. */
const SHARE_MAX = 1 / 16

/**
 * Keeps at most `bytesMax`. Two generations instead of a list by last use: a hit
 * costs one look-up, and what was not asked for during a whole generation goes.
 */
export function openResponseCache(bytesMax: number): ResponseCache {
  let young = new Map<string, Kept>()
  let old = new Map<string, Kept>()
  let youngBytes = 0
  let oldBytes = 0

  const put = (key: string, kept: Kept) => {
    const bytes = weight(key, kept)
    if (bytes > bytesMax * SHARE_MAX) return
    if (youngBytes + bytes > bytesMax / 2) {
      old = young
      oldBytes = youngBytes
      young = new Map()
      youngBytes = 0
    }
    if (!young.has(key)) youngBytes += bytes
    young.set(key, kept)
  }

  return {
    get(key) {
      const recent = young.get(key)
      if (recent) return recent
      const older = old.get(key)
      if (older) put(key, older)
      return older
    },
    set: put,
    clear() {
      young = new Map()
      old = new Map()
      youngBytes = 0
      oldBytes = 0
    },
    get bytes() {
      return youngBytes + oldBytes
    },
  }
}

function weight(key: string, kept: Kept): number {
  return key.length + kept.text.length + ENTRY_BYTES
}

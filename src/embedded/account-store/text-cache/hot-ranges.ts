import { compareBounds, type KeyRange } from './cached-ranges.ts'
import type { TextCacheRules } from './text-cache.ts'

/** Keys of a program that were read row by row, at this slot last. */
export type HotRange = KeyRange & { program: number; slot: number }

/** Where callers read so much that ready text is worth its room. */
export type HotRanges = {
  note(hotRange: HotRange, rows: number, bytes: number): void
  /** All since the last time. */
  take(): HotRange[]
  /** The programs are gone. */
  forget(programs: readonly number[]): void
}

/** Walks that are noted apart; the ranges of one are joined as it goes on. */
const HOT_RANGES_MAX = 64

/** Longer records are read nearly as quickly from their rows. */
const RECORD_BYTES_MAX = 16 * 1024

export function openHotRanges(rules: TextCacheRules): HotRanges {
  let hotRanges: HotRange[] = []
  return {
    note(hotRange, rows, bytes) {
      if (bytes < rules.hotBytesMin || bytes > rows * RECORD_BYTES_MAX) return
      const before = hotRanges.find(
        ({ program, upTo }) =>
          program === hotRange.program && compareBounds(upTo, hotRange.after) === 0,
      )
      if (before) Object.assign(before, { upTo: hotRange.upTo, slot: hotRange.slot })
      else hotRanges.push({ ...hotRange })
      if (hotRanges.length > HOT_RANGES_MAX) hotRanges.shift()
    },
    take() {
      const taken = hotRanges
      hotRanges = []
      return taken
    },
    forget(programs) {
      hotRanges = hotRanges.filter(({ program }) => !programs.includes(program))
    },
  }
}

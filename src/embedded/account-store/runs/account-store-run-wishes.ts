import type { RunRules } from './account-store-run-book.ts'
import { compareBounds, type KeyRange } from './account-store-run-tiles.ts'

/** Keys of a program that were read row by row, at this slot last. */
export type RunWish = KeyRange & { program: number; slot: number }

/** Where callers read so much that ready text is worth its room. */
export type RunWishes = {
  note(wish: RunWish, rows: number, bytes: number): void
  /** All since the last time. */
  take(): RunWish[]
  /** The programs are gone. */
  forget(programs: readonly number[]): void
}

/** Walks that are noted apart; the ranges of one are joined as it goes on. */
const WISHES_MAX = 64

/** Longer records are read nearly as quickly from their rows. */
const RECORD_BYTES_MAX = 16 * 1024

export function openRunWishes(rules: RunRules): RunWishes {
  let wishes: RunWish[] = []
  return {
    note(wish, rows, bytes) {
      if (bytes < rules.wishBytesMin || bytes > rows * RECORD_BYTES_MAX) return
      const before = wishes.find(
        ({ program, upTo }) => program === wish.program && compareBounds(upTo, wish.after) === 0,
      )
      if (before) Object.assign(before, { upTo: wish.upTo, slot: wish.slot })
      else wishes.push({ ...wish })
      if (wishes.length > WISHES_MAX) wishes.shift()
    },
    take() {
      const taken = wishes
      wishes = []
      return taken
    },
    forget(programs) {
      wishes = wishes.filter(({ program }) => !programs.includes(program))
    },
  }
}

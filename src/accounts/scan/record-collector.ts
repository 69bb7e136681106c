import { compareKeys } from '../../core/solana/compare-keys.ts'
import type { RecordListener } from '../../core/solana/reply/reply-cut.ts'
import type { PageContext } from '../../core/solana/request/page-form.ts'
import type { RecordLog } from '../record-log/record-log.ts'

/** The records from the answers of one upstream, and what they show of it. */
export type RecordCollector = {
  listener: RecordListener
  readonly context: PageContext
  /** So far every key was above the one before it. */
  readonly isSorted: boolean
  /** An answer spoke of another slot than the one before it, or of none. */
  readonly slotMoved: boolean
}

const NOTHING = new Uint8Array()

/** `keysOnly` leaves the records themselves out. */
export function openRecordCollector(log: RecordLog, keysOnly: boolean): RecordCollector {
  let context: PageContext | null = null
  let slotMoved = false
  let isSorted = true
  let last: Uint8Array | null = null
  return {
    get context() {
      return context ?? { slot: null, apiVersion: null }
    },
    get isSorted() {
      return isSorted
    },
    get slotMoved() {
      return slotMoved
    },
    listener: {
      envelope(given) {
        slotMoved ||= context !== null && (given.slot === null || given.slot !== context.slot)
        context ??= given
      },
      record(bytes, key) {
        isSorted &&= last === null || compareKeys(last, key) < 0
        last = key
        log.add(keysOnly ? NOTHING : bytes, key)
      },
      error() {},
    },
  }
}

import { compareKeys } from '../../core/solana/compare-keys.ts'
import type { Clock } from '../../ports/clock.ts'
import { KEY_BYTES, ROW_BYTES } from './record-rows.ts'

/** Keys are as good as random, so that their first two bytes split them evenly. */
const BUCKETS = 65_536

/** Then others get their turn: less than a millisecond of sorting. */
const BUCKETS_AT_ONCE = 2048

/**
 * The order in which rows stand by their keys; null when two have the same. Others are let
 * through in between, since there may be millions of rows.
 */
export async function sortRows(clock: Clock, rows: Uint8Array): Promise<Uint32Array | null> {
  const count = rows.length / ROW_BYTES
  const ends = bucketEnds(rows, count)
  const order = new Uint32Array(count)
  const free = Uint32Array.from(ends.subarray(0, BUCKETS))
  for (let row = 0; row < count; row++) {
    const bucket = bucketOf(rows, row)
    order[free[bucket] as number] = row
    free[bucket] = (free[bucket] as number) + 1
  }
  const keyOf = (row: number) => rows.subarray(row * ROW_BYTES, row * ROW_BYTES + KEY_BYTES)
  const compare = (a: number, b: number) => compareKeys(keyOf(a), keyOf(b))
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    if (bucket % BUCKETS_AT_ONCE === 0) await clock.sleep(0)
    const from = ends[bucket] as number
    const to = ends[bucket + 1] as number
    if (to - from < 2) continue
    order.subarray(from, to).sort(compare)
    for (let at = from + 1; at < to; at++) {
      if (compare(order[at - 1] as number, order[at] as number) === 0) return null
    }
  }
  return order
}

/** Where each bucket begins, and behind the last of them where it ends. */
function bucketEnds(rows: Uint8Array, count: number): Uint32Array {
  const ends = new Uint32Array(BUCKETS + 1)
  for (let row = 0; row < count; row++) {
    const next = bucketOf(rows, row) + 1
    ends[next] = (ends[next] as number) + 1
  }
  for (let bucket = 1; bucket <= BUCKETS; bucket++) {
    ends[bucket] = (ends[bucket] as number) + (ends[bucket - 1] as number)
  }
  return ends
}

function bucketOf(rows: Uint8Array, row: number): number {
  const at = row * ROW_BYTES
  return ((rows[at] as number) << 8) | (rows[at + 1] as number)
}

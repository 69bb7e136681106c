import { assert, Failure } from '../../core/errors.ts'
import { compareKeys } from '../../core/solana/compare-keys.ts'
import type { Clock } from '../../ports/clock.ts'
import { type ByteLog, type LogRoom, openByteLog } from './byte-log.ts'
import { KEY_BYTES, openRowWriter, ROW_BYTES, readRows } from './record-rows.ts'

/**
 * The records of one scan, byte for byte as they came, each with a comma behind it, beside a
 * row for each that says where it is. Read while it grows, by any number of readers.
 */
export type RecordLog = ReturnType<typeof openRecordLog>

/** A shorter answer touches the disk only when its later pages are kept, or a reader is slow. */
const RECORDS_IN_MEMORY_BYTES_MAX = 4 * 1024 * 1024

const ROWS_IN_MEMORY_BYTES_MAX = 1024 * 1024

/** Sorted in memory, at 48 bytes each. Nodes of the last years sort by themselves. */
const SORTED_ROWS_MAX = 4_000_000

const COMMA = Uint8Array.of(44)

/** Keys are as good as random, so that their first two bytes split them evenly. */
const BUCKETS = 65_536

/** Then others get their turn: less than a millisecond of sorting. */
const BUCKETS_AT_ONCE = 2048

export function openRecordLog(clock: Clock, room: LogRoom) {
  const records = openByteLog(room, RECORDS_IN_MEMORY_BYTES_MAX)
  let rows = openByteLog(room, ROWS_IN_MEMORY_BYTES_MAX)
  let count = 0
  let state: 'growing' | 'whole' | Failure = 'growing'
  const rowOf = openRowWriter()
  const growth = openBell()

  const end = (failure?: Failure) => {
    if (state !== 'growing') return
    state = failure ?? 'whole'
    growth.ring()
  }

  return {
    get count() {
      return count
    },
    get bytes() {
      return records.bytes + rows.bytes
    },
    /** growing: more may come. whole: that was all. A failure: it broke off. */
    get state() {
      return state
    },
    add(record: Uint8Array, key: Uint8Array) {
      assert(state === 'growing', 'nothing is added to a log that has ended')
      rows.append(rowOf(key, records.bytes, record.length))
      records.append(record)
      records.append(COMMA)
      count++
    },
    /** Wakes the readers that wait for more. */
    announce: () => growth.ring(),
    end,
    /** Resolves when there is more, or an end; throws where it broke off. */
    async grown(known: number) {
      while (state === 'growing' && count <= known) await growth.next()
      if (state instanceof Failure) throw state
    },
    async settled() {
      await records.settled()
      await rows.settled()
    },
    rows: async (from: number, to: number) =>
      readRows(await rows.read(from * ROW_BYTES, to * ROW_BYTES)),
    read: (from: number, to: number) => records.read(from, to),
    /** Finds the first of rows sorted by key that is not below `key`. */
    find: (key: Uint8Array) => findRow(rows, count, key),
    /** Puts the rows in the order of their keys; false when two have the same. */
    async sort() {
      const before = rows
      const sorted = await sortedRows(clock, room, before, count)
      if (sorted === null) return false
      rows = sorted
      await before.remove()
      return true
    },
    unload() {
      records.unload()
      rows.unload()
    },
    async remove() {
      end(new Failure('upstream_answered_badly'))
      await Promise.all([records.remove(), rows.remove()])
    },
  }
}

async function findRow(rows: ByteLog, count: number, key: Uint8Array): Promise<number> {
  let low = 0
  let high = count
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const at = middle * ROW_BYTES
    const there = await rows.read(at, at + KEY_BYTES)
    if (compareKeys(there, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

async function sortedRows(
  clock: Clock,
  room: LogRoom,
  rows: ByteLog,
  count: number,
): Promise<ByteLog | null> {
  if (count > SORTED_ROWS_MAX)
    throw new Failure('spill_failed', { reason: 'too many records to sort' })
  const unsorted = await rows.read(0, count * ROW_BYTES)
  const order = await sortRows(clock, unsorted)
  if (order === null) return null
  const sorted = openByteLog(room, ROWS_IN_MEMORY_BYTES_MAX)
  try {
    for (let at = 0; at < count; at++) {
      const from = (order[at] as number) * ROW_BYTES
      sorted.append(unsorted.subarray(from, from + ROW_BYTES))
      if (at % ROWS_COPIED_AT_ONCE === 0) await sorted.settled()
    }
    await sorted.settled()
    return sorted
  } catch (thrown) {
    await sorted.remove()
    throw thrown
  }
}

const ROWS_COPIED_AT_ONCE = 4096

function openBell() {
  let bell = Promise.withResolvers<void>()
  return {
    next: () => bell.promise,
    ring() {
      bell.resolve()
      bell = Promise.withResolvers<void>()
    },
  }
}

/** The order of rows by key; null when two are equal. Yields, for there may be millions. */
async function sortRows(clock: Clock, rows: Uint8Array): Promise<Uint32Array | null> {
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

import type { WireDelivery } from '../../../api/wire.ts'

/**
 * A stretch of the log as the service pages it. Its rows are dropped while nobody is near them,
 * and its cursor brings them back.
 */
export type LogSegment = {
  /** Where it begins; null for the newest. */
  cursor: string | null
  limit: number
  rows: WireDelivery[] | null
  count: number
}

/** The log as one list of rows, of which only those near the reader are held. */
export type LogSegments = {
  count(): number
  rowAt(at: number): WireDelivery | undefined
  /** The place of a row that is held; -1 for others. */
  placeOf(id: string): number
  /** The segments that have rows from `from` up to `to`, with where each begins. */
  between(from: number, to: number): { segment: LogSegment; start: number }[]
  all(): readonly LogSegment[]
  append(segment: LogSegment): void
  /** Puts rows into a segment whose rows were dropped, or replaces them. */
  fill(segment: LogSegment, rows: WireDelivery[]): void
  drop(segment: LogSegment): void
  /** Changes a row that is held; false where none has its id. */
  replace(row: WireDelivery): boolean
  /** Puts a row among the newest, by when it was created; false where it belongs below them. */
  insert(row: WireDelivery): boolean
}

export function openSegments(first: LogSegment): LogSegments {
  const segments = [first]
  const homes = new Map<string, LogSegment>()
  let starts: number[] = []
  let total = 0
  const recount = () => {
    total = 0
    starts = segments.map((segment) => {
      const start = total
      total += segment.count
      return start
    })
  }
  const hold = (segment: LogSegment, rows: WireDelivery[]) => {
    for (const { id } of segment.rows ?? []) homes.delete(id)
    for (const { id } of rows) homes.set(id, segment)
    segment.rows = rows
    segment.count = rows.length
    recount()
  }
  hold(first, first.rows ?? [])
  const indexOf = (at: number) => lastNotAbove(starts, at)
  return {
    count: () => total,
    all: () => segments,
    rowAt: (at) => segments[indexOf(at)]?.rows?.[at - (starts[indexOf(at)] ?? 0)],
    placeOf(id) {
      const segment = homes.get(id)
      if (!segment) return -1
      const start = starts[segments.indexOf(segment)] ?? 0
      return start + (segment.rows ?? []).findIndex((row) => row.id === id)
    },
    between: (from, to) =>
      segments
        .map((segment, at) => ({ segment, start: starts[at] ?? 0 }))
        .filter(({ segment, start }) => start < to && start + segment.count > from),
    append(segment) {
      segments.push(segment)
      hold(segment, segment.rows ?? [])
    },
    fill: hold,
    drop(segment) {
      for (const { id } of segment.rows ?? []) homes.delete(id)
      segment.rows = null
    },
    replace(row) {
      const rows = homes.get(row.id)?.rows
      const at = rows?.findIndex(({ id }) => id === row.id) ?? -1
      if (!rows || at < 0) return false
      rows[at] = row
      return true
    },
    insert(row) {
      const rows = first.rows ?? []
      const found = rows.findIndex((other) => !isNewer(other, row))
      if (found < 0 && rows.length > 0) return false
      hold(first, rows.toSpliced(Math.max(0, found), 0, row))
      return true
    },
  }
}

/** True when a row stands above another in the log. */
export function isNewer(one: WireDelivery, other: WireDelivery): boolean {
  if (one.time_created !== other.time_created) return one.time_created > other.time_created
  return Number(one.sequence_number ?? 0) > Number(other.sequence_number ?? 0)
}

/** The place of the last of ascending numbers that is not above a value. */
function lastNotAbove(ascending: readonly number[], value: number): number {
  let low = 0
  let high = ascending.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((ascending[middle] ?? 0) <= value) low = middle
    else high = middle - 1
  }
  return low
}

import type { WireDelivery } from '../../../api/wire.ts'
import { isNewer, type LogSegment, type LogSegments, openSegments } from './log-segments.ts'

type LogPage = { data: readonly WireDelivery[]; pagination: { cursors: { after?: string } } }

type Needs = {
  /** Reads a page of the log from the service. */
  read(cursor: string | null, limit: number): Promise<LogPage>
  /** True when a delivery that was heard of belongs here. */
  isMeant(delivery: WireDelivery): boolean
  changed(): void
}

/** A log of any length, of which the rows near the reader are held. */
export type DeliveryLog = {
  state(): LogState
  rowAt(at: number): WireDelivery | undefined
  placeOf(id: string): number
  /** The reader sees these rows: what is near is loaded ahead, what is far is dropped. */
  look(from: number, to: number): void
  hear(deliveries: readonly WireDelivery[]): void
  /** While held, rows do not move: newer ones gather. */
  hold(isHeld: boolean): void
  /** Reads the newest, now or anew. */
  restart(): void
  /** Some were missed: the newest are read anew, once the list is not held any more. */
  miss(): void
  /** Reads the newest anew without moving anything: something about them has changed. */
  refresh(): void
  /** Goes on after a fault, or after a long stretch without a match. */
  goOn(): void
  close(): void
}

export type LogState = {
  /** Rows that are known, held or dropped. */
  count: number
  isLoading: boolean
  /** The oldest row is among them. */
  isWhole: boolean
  /** Many pages in a row had nothing that matches; the reader decides whether to go on. */
  isPausing: boolean
  newer: number
  /** More are newer than are counted. */
  isMoreNewer: boolean
  error: unknown
  /** Ids of rows that came in just now. */
  arrived: ReadonlySet<string>
}

type Inside = {
  needs: Needs
  segments: LogSegments
  /** Where the next page begins; null after the last, undefined before the first. */
  next: string | null | undefined
  view: { from: number; to: number }
  isHeld: boolean
  isClosed: boolean
  /** Pages in a row that had nothing. */
  emptyPages: number
  error: unknown
  underWay: Set<LogSegment | 'top' | 'end'>
  newer: Map<string, WireDelivery>
  isMoreNewer: boolean
  arrived: Set<string>
  /** Counts restarts: an answer to a question from before one is dropped. */
  life: number
}

/** The first page is small, so that it is there at once. */
const FIRST_ROWS = 100
const PAGE_ROWS = 500

/** Rows below the reader that are there already: some seconds of the fastest scrolling. */
const AHEAD_ROWS = 1500

/** Rows on each side of the reader that stay held: with those ahead, some thousands in all. */
const KEPT_ROWS = 3000

/** Beyond this, browsers cannot place rows any more. */
const ROWS_MAX = 400_000

/** Newer rows that are counted one by one while the list is held. */
const NEWER_MAX = 1000

/** Rows that came in live; beyond this the newest page is read anew. */
const HEAD_ROWS_MAX = 1000

const EMPTY_PAGES_MAX = 10
const ARRIVED_MS = 2000

export function openDeliveryLog(needs: Needs): DeliveryLog {
  const log: Inside = {
    needs,
    segments: openSegments(firstSegment([])),
    next: undefined,
    view: { from: 0, to: 0 },
    isHeld: false,
    isClosed: false,
    emptyPages: 0,
    error: undefined,
    underWay: new Set(),
    newer: new Map(),
    isMoreNewer: false,
    arrived: new Set(),
    life: 0,
  }
  return {
    state: () => stateOf(log),
    rowAt: (at) => log.segments.rowAt(at),
    placeOf: (id) => log.segments.placeOf(id),
    look(from, to) {
      log.view = { from, to }
      dropFar(log)
      loadNear(log)
    },
    hear: (deliveries) => hear(log, deliveries),
    hold(isHeld) {
      log.isHeld = isHeld
      if (!isHeld) release(log)
    },
    restart: () => void restart(log),
    miss() {
      log.isMoreNewer = true
      if (!log.isHeld) release(log)
      tell(log)
    },
    refresh: () => void refresh(log),
    goOn() {
      log.error = undefined
      log.emptyPages = 0
      if (log.next === undefined) void restart(log)
      else loadNear(log)
    },
    close() {
      log.isClosed = true
    },
  }
}

function stateOf(log: Inside): LogState {
  return {
    count: log.segments.count(),
    isLoading: log.next === undefined && log.error === undefined,
    isWhole: isWhole(log),
    isPausing: log.emptyPages >= EMPTY_PAGES_MAX && !isWhole(log),
    newer: log.newer.size,
    isMoreNewer: log.isMoreNewer,
    error: log.error,
    arrived: log.arrived,
  }
}

function isWhole({ next, segments }: Inside): boolean {
  return next === null || segments.count() >= ROWS_MAX
}

/** Reads a page and uses it, unless the same is under way already. */
async function withPage(
  log: Inside,
  what: LogSegment | 'top' | 'end',
  from: { cursor: string | null; limit: number },
  use: (page: LogPage) => void,
): Promise<void> {
  if (log.underWay.has(what) || log.isClosed) return
  log.underWay.add(what)
  const { life } = log
  const isMeant = () => life === log.life && !log.isClosed
  try {
    const page = await log.needs.read(from.cursor, from.limit)
    if (isMeant()) use(page)
  } catch (thrown) {
    if (isMeant()) log.error = thrown
  }
  if (isMeant()) log.underWay.delete(what)
  tell(log)
  loadNear(log)
}

function restart(log: Inside): Promise<void> {
  return withPage(log, 'top', firstSegment([]), (page) => {
    log.life++
    log.underWay.clear()
    log.newer.clear()
    log.isMoreNewer = false
    log.emptyPages = 0
    log.error = undefined
    log.segments = openSegments(firstSegment([...page.data]))
    log.next = page.pagination.cursors.after ?? null
  })
}

function refresh(log: Inside): Promise<void> {
  return withPage(log, 'top', firstSegment([]), (page) => {
    for (const row of page.data) log.segments.replace(row)
  })
}

function extend(log: Inside, cursor: string): Promise<void> {
  return withPage(log, 'end', { cursor, limit: PAGE_ROWS }, (page) => {
    const rows = [...page.data]
    log.segments.append({ cursor, limit: PAGE_ROWS, rows, count: rows.length })
    log.next = page.pagination.cursors.after ?? null
    log.emptyPages = rows.length === 0 ? log.emptyPages + 1 : 0
  })
}

function refill(log: Inside, segment: LogSegment): Promise<void> {
  return withPage(log, segment, segment, (page) => log.segments.fill(segment, [...page.data]))
}

function loadNear(log: Inside): void {
  const { view, segments, next } = log
  if (log.error !== undefined || log.isClosed) return
  const isNear = view.to + AHEAD_ROWS >= segments.count() && log.emptyPages < EMPTY_PAGES_MAX
  if (isNear && next != null && !isWhole(log)) void extend(log, next)
  for (const { segment } of segments.between(view.from - PAGE_ROWS, view.to + PAGE_ROWS)) {
    if (segment.rows === null) void refill(log, segment)
  }
}

function dropFar({ segments, view }: Inside): void {
  const near = segments.between(view.from - KEPT_ROWS, view.to + KEPT_ROWS)
  const kept = new Set(near.map(({ segment }) => segment))
  for (const segment of segments.all()) {
    const isFar = segment.cursor !== null && segment.rows !== null && !kept.has(segment)
    if (isFar) segments.drop(segment)
  }
}

function hear(log: Inside, deliveries: readonly WireDelivery[]): void {
  if (log.next === undefined) return
  for (const row of deliveries) {
    if (log.segments.replace(row) || !log.needs.isMeant(row)) continue
    if (log.isHeld) gather(log, row)
    else arrive(log, row)
  }
  const isLong = (log.segments.all()[0]?.count ?? 0) > HEAD_ROWS_MAX
  if (isLong && !log.isHeld) void restart(log)
  tell(log)
}

function gather(log: Inside, row: WireDelivery): void {
  const { newer, segments } = log
  const top = segments.rowAt(0)
  if (top && !isNewer(row, top)) return
  if (newer.has(row.id) || newer.size < NEWER_MAX) newer.set(row.id, row)
  else log.isMoreNewer = true
}

function arrive({ segments, arrived }: Inside, row: WireDelivery): void {
  if (!segments.insert(row)) return
  arrived.add(row.id)
  setTimeout(() => arrived.delete(row.id), ARRIVED_MS)
}

function release(log: Inside): void {
  if (log.isMoreNewer) {
    void restart(log)
    return
  }
  if (log.newer.size === 0) return
  for (const row of log.newer.values()) arrive(log, row)
  log.newer.clear()
  tell(log)
}

function tell({ isClosed, needs }: Inside): void {
  if (!isClosed) needs.changed()
}

function firstSegment(rows: WireDelivery[]): LogSegment {
  return { cursor: null, limit: FIRST_ROWS, rows, count: rows.length }
}

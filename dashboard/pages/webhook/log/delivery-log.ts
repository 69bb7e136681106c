import type { Delivery } from '@headgate/client'

type LogPage = { data: readonly Delivery[]; pagination: { cursors: { after?: string } } }

type Needs = {
  read(cursor: string | null, limit: number): Promise<LogPage>
  /** True when a delivery that was heard of belongs here. */
  isMeant(delivery: Delivery): boolean
  changed(): void
}

export type DeliveryLog = ReturnType<typeof openDeliveryLog>

type Inside = {
  needs: Needs
  /** Newest first. */
  rows: Delivery[]
  byId: Map<string, Delivery>
  /** How many of them came in live. */
  live: number
  /** Where the next page begins; null after the last, undefined before the first. */
  next: string | null | undefined
  seenTo: number
  isHeld: boolean
  isClosed: boolean
  /** Pages in a row that had nothing. */
  emptyPages: number
  error: unknown
  underWay: Set<'top' | 'end'>
  newer: Map<string, Delivery>
  /** More are newer than are counted. */
  isMoreNewer: boolean
  /** Ids of rows that came in just now. */
  arrived: Set<string>
  /** Counts restarts: an answer to a question from before one is dropped. */
  life: number
}

/** The first page is small, so that it is there at once. */
const FIRST_ROWS = 100
const PAGE_ROWS = 500

/** Rows below the reader that are there already: some seconds of the fastest scrolling. */
const AHEAD_ROWS = 1500

/** Beyond this, browsers cannot place rows any more. */
const ROWS_MAX = 400_000

/** Newer rows that are counted one by one while the list is held. */
const NEWER_MAX = 1000

/** Rows that came in live; beyond this the newest page is read anew. */
const LIVE_ROWS_MAX = 1000

const EMPTY_PAGES_MAX = 10
const ARRIVED_MS = 2000

/** A log of any length, read as far as the reader has come and a little further. */
export function openDeliveryLog(needs: Needs) {
  const log: Inside = {
    needs,
    rows: [],
    byId: new Map(),
    live: 0,
    next: undefined,
    seenTo: 0,
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
    rowAt: (at: number) => log.rows[at],
    placeOf: (id: string) => log.rows.findIndex((row) => row.id === id),
    /** The reader sees the rows up to this one; those that follow are loaded ahead. */
    look(to: number) {
      log.seenTo = to
      loadAhead(log)
    },
    hear: (deliveries: readonly Delivery[]) => hear(log, deliveries),
    /** While held, rows do not move: newer ones gather. */
    hold(isHeld: boolean) {
      log.isHeld = isHeld
      if (!isHeld) release(log)
    },
    restart: () => void restart(log),
    /** Some were missed: the newest are read anew, once the list is not held any more. */
    miss() {
      log.isMoreNewer = true
      if (!log.isHeld) release(log)
      tell(log)
    },
    /** Reads the newest anew without moving anything: something about them has changed. */
    refresh: () => void refresh(log),
    /** Goes on after a fault, or after a long stretch without a match. */
    goOn() {
      log.error = undefined
      log.emptyPages = 0
      if (log.next === undefined) void restart(log)
      else loadAhead(log)
    },
    close() {
      log.isClosed = true
    },
  }
}

function stateOf(log: Inside) {
  const { rows, newer, isMoreNewer, error, arrived } = log
  return {
    count: rows.length,
    isLoading: log.next === undefined && error === undefined,
    /** The oldest row is among them. */
    isWhole: isWhole(log),
    /** Many pages in a row had nothing that matches; the reader decides whether to go on. */
    isPausing: log.emptyPages >= EMPTY_PAGES_MAX && !isWhole(log),
    newer: newer.size,
    isMoreNewer,
    error,
    arrived,
  }
}

function isWhole({ next, rows }: Inside): boolean {
  return next === null || rows.length >= ROWS_MAX
}

/** Reads a page and uses it, unless the same is under way already. */
async function withPage(
  log: Inside,
  what: 'top' | 'end',
  cursor: string | null,
  use: (page: LogPage) => void,
): Promise<void> {
  if (log.underWay.has(what) || log.isClosed) return
  log.underWay.add(what)
  const { life } = log
  const isMeant = () => life === log.life && !log.isClosed
  try {
    const page = await log.needs.read(cursor, cursor === null ? FIRST_ROWS : PAGE_ROWS)
    if (isMeant()) use(page)
  } catch (thrown) {
    if (isMeant()) log.error = thrown
  }
  if (isMeant()) log.underWay.delete(what)
  tell(log)
  loadAhead(log)
}

function restart(log: Inside): Promise<void> {
  return withPage(log, 'top', null, (page) => {
    log.life++
    log.underWay.clear()
    log.newer.clear()
    log.isMoreNewer = false
    log.emptyPages = 0
    log.error = undefined
    log.rows = []
    log.byId.clear()
    log.live = 0
    append(log, page)
  })
}

function refresh(log: Inside): Promise<void> {
  return withPage(log, 'top', null, (page) => {
    for (const row of page.data) replace(log, row)
  })
}

function append(log: Inside, { data, pagination }: LogPage): void {
  for (const row of data) {
    log.rows.push(row)
    log.byId.set(row.id, row)
  }
  log.next = pagination.cursors.after ?? null
}

/** Changes a row that is held; false where none has its id. */
function replace({ byId }: Inside, row: Delivery): boolean {
  const known = byId.get(row.id)
  if (known) Object.assign(known, row)
  return known !== undefined
}

function loadAhead(log: Inside): void {
  const { seenTo, rows, next } = log
  if (log.error !== undefined || log.isClosed) return
  const isNear = seenTo + AHEAD_ROWS >= rows.length && log.emptyPages < EMPTY_PAGES_MAX
  if (!isNear || next == null || isWhole(log)) return
  void withPage(log, 'end', next, (page) => {
    append(log, page)
    log.emptyPages = page.data.length === 0 ? log.emptyPages + 1 : 0
  })
}

function hear(log: Inside, deliveries: readonly Delivery[]): void {
  if (log.next === undefined) return
  for (const row of deliveries) {
    if (replace(log, row) || !log.needs.isMeant(row)) continue
    if (log.isHeld) gather(log, row)
    else arrive(log, row)
  }
  if (log.live > LIVE_ROWS_MAX && !log.isHeld) void restart(log)
  tell(log)
}

function gather(log: Inside, row: Delivery): void {
  const { newer, rows } = log
  if (rows[0] && !isNewer(row, rows[0])) return
  if (newer.has(row.id) || newer.size < NEWER_MAX) newer.set(row.id, row)
  else log.isMoreNewer = true
}

/** Puts a row in by when it was created, unless that is before all that were read. */
function arrive(log: Inside, row: Delivery): void {
  const { rows, byId, arrived } = log
  const at = rows.findIndex((other) => !isNewer(other, row))
  if (at < 0 && rows.length > 0) return
  rows.splice(Math.max(0, at), 0, row)
  byId.set(row.id, row)
  log.live++
  arrived.add(row.id)
  setTimeout(() => arrived.delete(row.id), ARRIVED_MS)
}

function isNewer(one: Delivery, other: Delivery): boolean {
  if (one.time_created !== other.time_created) return one.time_created > other.time_created
  return Number(one.sequence_number ?? 0) > Number(other.sequence_number ?? 0)
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

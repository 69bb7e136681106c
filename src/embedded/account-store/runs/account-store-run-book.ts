import { type AccountFile, OPEN_END } from '../account-store-file.ts'
import { type Extent, type Extents, openExtents } from './account-store-run-extents.ts'
import {
  isIn,
  type KeyRange,
  putTile,
  type StoredRun,
  type Tile,
  type Tiles,
  tileOf,
  vacancyIn,
} from './account-store-run-tiles.ts'

/**
 * A run is the ready text of all accounts of a program whose keys are in a range, as it is shown
 * from one slot until another: none of them began, ended or changed in between. So the range
 * holds the keys between its accounts too.
 */
export type Run = KeyRange & { slotFrom: number; ends: Uint32Array; text: Uint8Array }

/** The runs of one writer: what each change makes of them is written with that change. */
export type RunBook = {
  rules: RunRules
  /** What an account is from this slot on is not what it was thought to be. */
  changed(program: number, pubkey: Uint8Array, slot: number): void
  hasRuns(program: number): boolean
  /** The first range among these keys that has no run and deserves one at this slot. */
  vacancy(program: number, within: KeyRange, slot: number): KeyRange | null
  /** False when there is no room for it. */
  add(program: number, run: Run, slot: number): boolean
  /** Forgets what ended at this slot or before; false when there is more of that. */
  prune(program: number, slot: number): boolean
  forget(program: number): void
  /** What was written with them is not there any more: all is looked up again. */
  forgetAll(): void
}

export type RunRules = {
  /** What the text of one takes, unless a single record is longer. */
  runBytes: number
  /** Less than that is not worth a run. */
  wishBytesMin: number
  /** All of a network's; its file is never longer. */
  bytesMax: number
  /** What is outdated this soon after it was made is left alone for so long. */
  restlessSlots: number
  restSlots: number
}

export const RUN_RULES: RunRules = {
  runBytes: 128 * 1024,
  wishBytesMin: 16 * 1024,
  bytesMax: 4 * 1024 ** 3,
  // Ten minutes, and an hour.
  restlessSlots: 1_500,
  restSlots: 9_000,
}

type ProgramRuns = {
  tiles: Tiles
  /** Those that are shown of earlier slots alone. */
  ended: StoredRun[]
  /** No earlier than where the last of them ended. */
  endedTo: number
}

type Book = {
  file: AccountFile
  rules: RunRules
  programs: Map<number, ProgramRuns>
  /** Null until they are looked up. */
  extents: Extents | null
}

type RunRow = {
  id: bigint
  after_key: Uint8Array
  upto_key: Uint8Array
  slot_from: bigint
  slot_to: bigint
  place: bigint
  text_bytes: bigint
  records: bigint
}

/** What is kept in memory of each takes a few hundred bytes. */
const TILES_MAX = 200_000
/** Runs that go at once; a reader waits no longer than for these. */
const PRUNED_AT_ONCE = 64

export function openRunBook(file: AccountFile, rules: RunRules): RunBook {
  const book: Book = { file, rules, programs: new Map(), extents: null }
  return {
    rules,
    changed: (program, pubkey, slot) => changed(book, runsOf(book, program), pubkey, slot),
    hasRuns(program) {
      const { tiles, ended } = runsOf(book, program)
      return tiles.length > 0 || ended.length > 0
    },
    vacancy(program, within, slot) {
      const { tiles } = runsOf(book, program)
      if (tiles.length >= TILES_MAX) return null
      return vacancyIn(tiles, within, ({ restsUntilSlot }) => slot >= restsUntilSlot)
    },
    add: (program, run, slot) => add(book, program, run, slot),
    prune: (program, slot) => prune(book, runsOf(book, program), slot),
    forget(program) {
      file.run('DELETE FROM runs WHERE program = ?', program)
      book.programs.delete(program)
      book.extents = null
    },
    forgetAll() {
      book.programs.clear()
      book.extents = null
    },
  }
}

function changed(book: Book, runs: ProgramRuns, pubkey: Uint8Array, slot: number): void {
  // Seldom: a late word about a slot that others have ended behind.
  if (slot < runs.endedTo) {
    runs.ended = runs.ended.filter(
      (run) => run.slotTo <= slot || !isIn(run, pubkey) || endAt(book, run, slot),
    )
  }
  const tile = tileOf(runs.tiles, pubkey)
  if (!tile?.run) return
  if (endAt(book, tile.run, slot)) putEnded(runs, tile.run)
  tile.run = null
  const isRestless = slot - tile.madeAtSlot < book.rules.restlessSlots
  if (isRestless) tile.restsUntilSlot = slot + book.rules.restSlots
}

/** True while there is a slot left at which it is shown. */
function endAt(book: Book, run: StoredRun, slot: number): boolean {
  if (slot <= run.slotFrom) {
    remove(book, run)
    return false
  }
  run.slotTo = slot
  book.file.run('UPDATE runs SET slot_to = ? WHERE id = ?', slot, run.id)
  return true
}

function putEnded(runs: ProgramRuns, run: StoredRun): void {
  runs.ended.push(run)
  runs.endedTo = Math.max(runs.endedTo, run.slotTo)
}

/** Its place is free from the next transaction on: if this one fails, all is looked up again. */
function remove(book: Book, { id, extent }: StoredRun): void {
  extentsOf(book).give(extent)
  book.file.run('DELETE FROM runs WHERE id = ?', id)
}

function add(book: Book, program: number, run: Run, slot: number): boolean {
  const { after, upTo, slotFrom, ends, text } = run
  const bytes = text.length + ends.byteLength
  const place = extentsOf(book).take(bytes)
  if (place === null) return false
  book.file.texts.write(place, text)
  book.file.texts.write(place + text.length, new Uint8Array(ends.buffer))
  const [row] = book.file.rows<{ id: bigint }>(
    `INSERT INTO runs (program, after_key, upto_key, slot_from, slot_to, place, text_bytes, records)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    program,
    after,
    upTo,
    slotFrom,
    OPEN_END,
    place,
    text.length,
    ends.length,
  )
  const id = Number(row?.id)
  const stored = { id, after, upTo, slotFrom, slotTo: OPEN_END, extent: { place, bytes } }
  const tile: Tile = { after, upTo, run: stored, madeAtSlot: slot, restsUntilSlot: 0 }
  putTile(runsOf(book, program).tiles, tile)
  return true
}

function prune(book: Book, runs: ProgramRuns, slot: number): boolean {
  const gone = new Set(runs.ended.filter(({ slotTo }) => slotTo <= slot).slice(0, PRUNED_AT_ONCE))
  if (gone.size === 0) return true
  for (const run of gone) remove(book, run)
  runs.ended = runs.ended.filter((run) => !gone.has(run))
  return gone.size < PRUNED_AT_ONCE
}

function runsOf(book: Book, program: number): ProgramRuns {
  const known = book.programs.get(program)
  if (known) return known
  const runs: ProgramRuns = { tiles: [], ended: [], endedTo: 0 }
  const rows = book.file.rows<RunRow>(
    'SELECT * FROM runs WHERE program = ? ORDER BY upto_key, id',
    program,
  )
  for (const row of rows) {
    const run = storedRun(row)
    const { after, upTo, slotFrom } = run
    if (run.slotTo < OPEN_END) putEnded(runs, run)
    else runs.tiles.push({ after, upTo, run, madeAtSlot: slotFrom, restsUntilSlot: 0 })
  }
  book.programs.set(program, runs)
  return runs
}

function storedRun(row: RunRow): StoredRun {
  return {
    id: Number(row.id),
    after: row.after_key,
    upTo: row.upto_key,
    slotFrom: Number(row.slot_from),
    slotTo: Number(row.slot_to),
    extent: extentOf(row),
  }
}

function extentsOf(book: Book): Extents {
  if (book.extents) return book.extents
  const rows = book.file.rows<RunRow>('SELECT * FROM runs')
  book.extents = openExtents(rows.map(extentOf), book.rules.bytesMax)
  return book.extents
}

/** Behind the text stands where each record ends in it. */
function extentOf({ place, text_bytes, records }: RunRow): Extent {
  const bytes = Number(text_bytes) + Number(records) * Uint32Array.BYTES_PER_ELEMENT
  return { place: Number(place), bytes }
}

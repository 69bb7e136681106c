import { type AccountFile, OPEN_END } from '../account-store-file.ts'
import {
  type CachedRange,
  type CachedRanges,
  isIn,
  type KeyRange,
  putRange,
  rangeOf,
  type StoredText,
  uncachedIn,
} from './cached-ranges.ts'
import { type Extent, type FreeSpace, openFreeSpace } from './free-space.ts'

/**
 * The ready text of all accounts of a program whose keys are in a range, as it is shown
 * from one slot until another: none of them began, ended or changed in between. So the range
 * holds the keys between its accounts too.
 */
export type CachedText = KeyRange & { slotFrom: number; ends: Uint32Array; text: Uint8Array }

/** The texts of one writer: what each change makes of them is written with that change. */
export type TextCache = {
  rules: TextCacheRules
  /** Ends the texts that show an account otherwise than it is from this slot on. */
  changed(program: number, pubkey: Uint8Array, slot: number): void
  hasTexts(program: number): boolean
  /** The first range among these keys that has no text and deserves one at this slot. */
  uncached(program: number, within: KeyRange, slot: number): KeyRange | null
  /** False when there is no room for it. */
  add(program: number, cached: CachedText, slot: number): boolean
  /** Forgets what ended at this slot or before; false when there is more of that. */
  prune(program: number, slot: number): boolean
  forget(program: number): void
  /** Forgets all that is known: what was written with it is not there any more. */
  forgetAll(): void
}

export type TextCacheRules = {
  /** The length of one text, unless a single record is longer. */
  textBytes: number
  /** Less than that is not worth a text. */
  hotBytesMin: number
  /** All of a network's; its file is never longer. */
  bytesMax: number
  /** A range outdated this soon after it was made is volatile, and left alone for so long. */
  volatileSlots: number
  restSlots: number
}

export const TEXT_CACHE_RULES: TextCacheRules = {
  textBytes: 128 * 1024,
  hotBytesMin: 16 * 1024,
  bytesMax: 4 * 1024 ** 3,
  // Ten minutes, and an hour.
  volatileSlots: 1_500,
  restSlots: 9_000,
}

type ProgramTexts = {
  ranges: CachedRanges
  /** The texts that are shown of earlier slots alone. */
  ended: StoredText[]
  /** No earlier than where the last of them ended. */
  endedTo: number
}

type CacheState = {
  file: AccountFile
  rules: TextCacheRules
  programs: Map<number, ProgramTexts>
  /** Null until they are looked up. */
  extents: FreeSpace | null
}

type TextRow = {
  id: bigint
  after_key: Uint8Array
  upto_key: Uint8Array
  slot_from: bigint
  slot_to: bigint
  place: bigint
  text_bytes: bigint
  records: bigint
}

/** Each range takes a few hundred bytes of memory. */
const RANGES_MAX = 200_000
/** Texts that go at once; a reader waits no longer than for these. */
const PRUNED_AT_ONCE = 64

export function openTextCache(file: AccountFile, rules: TextCacheRules): TextCache {
  const cache: CacheState = { file, rules, programs: new Map(), extents: null }
  return {
    rules,
    changed: (program, pubkey, slot) => changed(cache, textsOf(cache, program), pubkey, slot),
    hasTexts(program) {
      const { ranges, ended } = textsOf(cache, program)
      return ranges.length > 0 || ended.length > 0
    },
    uncached(program, within, slot) {
      const { ranges } = textsOf(cache, program)
      if (ranges.length >= RANGES_MAX) return null
      return uncachedIn(ranges, within, ({ restsUntilSlot }) => slot >= restsUntilSlot)
    },
    add: (program, cached, slot) => add(cache, program, cached, slot),
    prune: (program, slot) => prune(cache, textsOf(cache, program), slot),
    forget(program) {
      file.run('DELETE FROM texts WHERE program = ?', program)
      cache.programs.delete(program)
      cache.extents = null
    },
    forgetAll() {
      cache.programs.clear()
      cache.extents = null
    },
  }
}

function changed(cache: CacheState, texts: ProgramTexts, pubkey: Uint8Array, slot: number): void {
  // Seldom: a late word about a slot that others have ended behind.
  if (slot < texts.endedTo) {
    texts.ended = texts.ended.filter(
      (cached) => cached.slotTo <= slot || !isIn(cached, pubkey) || endAt(cache, cached, slot),
    )
  }
  const range = rangeOf(texts.ranges, pubkey)
  if (!range?.cached) return
  if (endAt(cache, range.cached, slot)) putEnded(texts, range.cached)
  range.cached = null
  const isVolatile = slot - range.madeAtSlot < cache.rules.volatileSlots
  if (isVolatile) range.restsUntilSlot = slot + cache.rules.restSlots
}

/** True while there is a slot left at which it is shown. */
function endAt(cache: CacheState, cached: StoredText, slot: number): boolean {
  if (slot <= cached.slotFrom) {
    remove(cache, cached)
    return false
  }
  cached.slotTo = slot
  cache.file.run('UPDATE texts SET slot_to = ? WHERE id = ?', slot, cached.id)
  return true
}

function putEnded(texts: ProgramTexts, cached: StoredText): void {
  texts.ended.push(cached)
  texts.endedTo = Math.max(texts.endedTo, cached.slotTo)
}

/** Its place is free from the next transaction on: if this one fails, all is looked up again. */
function remove(cache: CacheState, { id, extent }: StoredText): void {
  extentsOf(cache).give(extent)
  cache.file.run('DELETE FROM texts WHERE id = ?', id)
}

function add(cache: CacheState, program: number, cached: CachedText, slot: number): boolean {
  const { after, upTo, slotFrom, ends, text } = cached
  const bytes = text.length + ends.byteLength
  const place = extentsOf(cache).take(bytes)
  if (place === null) return false
  cache.file.texts.write(place, text)
  cache.file.texts.write(place + text.length, new Uint8Array(ends.buffer))
  const [row] = cache.file.rows<{ id: bigint }>(
    `INSERT INTO texts (program, after_key, upto_key, slot_from, slot_to, place, text_bytes, records)
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
  const range: CachedRange = { after, upTo, cached: stored, madeAtSlot: slot, restsUntilSlot: 0 }
  putRange(textsOf(cache, program).ranges, range)
  return true
}

function prune(cache: CacheState, texts: ProgramTexts, slot: number): boolean {
  const gone = new Set(texts.ended.filter(({ slotTo }) => slotTo <= slot).slice(0, PRUNED_AT_ONCE))
  if (gone.size === 0) return true
  for (const cached of gone) remove(cache, cached)
  texts.ended = texts.ended.filter((cached) => !gone.has(cached))
  return gone.size < PRUNED_AT_ONCE
}

function textsOf(cache: CacheState, program: number): ProgramTexts {
  const known = cache.programs.get(program)
  if (known) return known
  const texts: ProgramTexts = { ranges: [], ended: [], endedTo: 0 }
  const rows = cache.file.rows<TextRow>(
    'SELECT * FROM texts WHERE program = ? ORDER BY upto_key, id',
    program,
  )
  for (const row of rows) {
    const cached = storedText(row)
    const { after, upTo, slotFrom } = cached
    if (cached.slotTo < OPEN_END) putEnded(texts, cached)
    else texts.ranges.push({ after, upTo, cached, madeAtSlot: slotFrom, restsUntilSlot: 0 })
  }
  cache.programs.set(program, texts)
  return texts
}

function storedText(row: TextRow): StoredText {
  return {
    id: Number(row.id),
    after: row.after_key,
    upTo: row.upto_key,
    slotFrom: Number(row.slot_from),
    slotTo: Number(row.slot_to),
    extent: extentOf(row),
  }
}

function extentsOf(cache: CacheState): FreeSpace {
  if (cache.extents) return cache.extents
  const rows = cache.file.rows<TextRow>('SELECT * FROM texts')
  cache.extents = openFreeSpace(rows.map(extentOf), cache.rules.bytesMax)
  return cache.extents
}

/** Behind the text stands where each record ends in it. */
function extentOf({ place, text_bytes, records }: TextRow): Extent {
  const bytes = Number(text_bytes) + Number(records) * Uint32Array.BYTES_PER_ELEMENT
  return { place: Number(place), bytes }
}

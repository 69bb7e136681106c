import { KEY_WORDS } from './key-words.ts'

/**
 * Open addressing by linear probing. A slot is the key's hash (0 where free) and its
 * words: whole keys, since a fingerprint could be forged and would match a stranger.
 */
type Shard = {
  slots: Uint32Array
  capacity: number
  count: number
  /** How many low bits of the hash all of its keys share. */
  depth: number
}

/**
 * Keys of one width in shards, by the low bits of their hash (extendible hashing).
 * A full shard splits alone, so no single addition ever moves more than one shard.
 */
export type KeyTable = {
  words: number
  /** Two to the power of `depth` places; a shard of less depth stands in several. */
  shards: Shard[]
  depth: number
  count: number
}

const CAPACITY_MIN = 8
const SHARD_KEYS_MAX = 4096
/** 65,536 shards hold far more than a variable may; from there on shards just grow. */
const DEPTH_MAX = 16
const LOAD_MAX = 0.8
const GROWTH = 1.3
/** Below this load a shard gives memory back. */
const LOAD_MIN = 0.25

export function openKeyTable(words: number): KeyTable {
  return { words, shards: [openShard(words, 0, CAPACITY_MIN)], depth: 0, count: 0 }
}

/** Whether the table has the key in KEY_WORDS, whose hash this is. */
export function tableHas(table: KeyTable, hash: number): boolean {
  const shard = table.shards[hash & ((1 << table.depth) - 1)]!
  return findSlot(shard, table.words, hash) >= 0
}

/** Whether any key of this hash is there. */
export function tableHasHash(table: KeyTable, hash: number): boolean {
  const { slots, capacity } = table.shards[hash & ((1 << table.depth) - 1)]!
  const stride = table.words + 1
  let slot = homeOf(hash, capacity)
  for (; slots[slot * stride] !== 0; slot = slot + 1 === capacity ? 0 : slot + 1) {
    if (slots[slot * stride] === hash) return true
  }
  return false
}

export function eachTableHash(table: KeyTable, visit: (hash: number) => void): void {
  const stride = table.words + 1
  for (const { slots } of new Set(table.shards)) {
    for (let at = 0; at < slots.length; at += stride) {
      if (slots[at] !== 0) visit(slots[at]!)
    }
  }
}

/** Adds the key in KEY_WORDS; false when it was there. */
export function tableAdd(table: KeyTable, hash: number): boolean {
  let shard = table.shards[hash & ((1 << table.depth) - 1)]!
  if (findSlot(shard, table.words, hash) >= 0) return false
  while (shard.count >= SHARD_KEYS_MAX && shard.depth < DEPTH_MAX) {
    split(table, shard, hash)
    shard = table.shards[hash & ((1 << table.depth) - 1)]!
  }
  if (shard.count + 1 > shard.capacity * LOAD_MAX) {
    resize(shard, table.words, Math.ceil(shard.capacity * GROWTH))
  }
  place(shard, table.words, hash, KEY_WORDS, 0)
  table.count++
  return true
}

/** Deletes the key in KEY_WORDS; false when it was not there. */
export function tableDelete(table: KeyTable, hash: number): boolean {
  const shard = table.shards[hash & ((1 << table.depth) - 1)]!
  const slot = findSlot(shard, table.words, hash)
  if (slot < 0) return false
  closeGap(shard, table.words, slot)
  shard.count--
  table.count--
  if (shard.capacity > CAPACITY_MIN && shard.count < shard.capacity * LOAD_MIN) {
    resize(shard, table.words, Math.max(CAPACITY_MIN, shard.capacity >> 1))
  }
  return true
}

function openShard(words: number, depth: number, capacity: number): Shard {
  return { slots: new Uint32Array(capacity * (words + 1)), capacity, count: 0, depth }
}

/** The high bits choose the slot, because all keys of a shard share the low ones. */
function homeOf(hash: number, capacity: number): number {
  return Math.floor((hash * capacity) / 0x1_0000_0000)
}

function findSlot(shard: Shard, words: number, hash: number): number {
  const { slots, capacity } = shard
  const stride = words + 1
  let slot = homeOf(hash, capacity)
  for (;;) {
    const at = slot * stride
    const found = slots[at]!
    if (found === 0) return -1
    if (found === hash && sameWords(slots, at + 1, words)) return slot
    slot = slot + 1 === capacity ? 0 : slot + 1
  }
}

function sameWords(slots: Uint32Array, at: number, words: number): boolean {
  for (let word = 0; word < words; word++) {
    if (slots[at + word] !== KEY_WORDS[word]) return false
  }
  return true
}

function place(shard: Shard, words: number, hash: number, from: Uint32Array, at: number): void {
  const { slots, capacity } = shard
  const stride = words + 1
  let slot = homeOf(hash, capacity)
  while (slots[slot * stride] !== 0) slot = slot + 1 === capacity ? 0 : slot + 1
  const to = slot * stride
  slots[to] = hash
  for (let word = 0; word < words; word++) slots[to + 1 + word] = from[at + word]!
  shard.count++
}

/** Moves later keys of the chain up, so that deleting leaves no marks that slow the search. */
function closeGap(shard: Shard, words: number, gap: number): void {
  const { slots, capacity } = shard
  const stride = words + 1
  let free = gap
  let slot = gap
  for (;;) {
    slot = slot + 1 === capacity ? 0 : slot + 1
    const mark = slots[slot * stride]!
    if (mark === 0) break
    const home = homeOf(mark, capacity)
    const reachable = free <= slot ? free < home && home <= slot : free < home || home <= slot
    if (reachable) continue
    slots.copyWithin(free * stride, slot * stride, (slot + 1) * stride)
    free = slot
  }
  slots[free * stride] = 0
}

function resize(shard: Shard, words: number, capacity: number): void {
  const old = shard.slots
  const stride = words + 1
  shard.slots = new Uint32Array(capacity * stride)
  shard.capacity = capacity
  shard.count = 0
  for (let at = 0; at < old.length; at += stride) {
    if (old[at] !== 0) place(shard, words, old[at]!, old, at + 1)
  }
}

/** Parts a full shard by the next bit of its keys' hashes. */
function split(table: KeyTable, shard: Shard, hash: number): void {
  const { words } = table
  if (shard.depth === table.depth) {
    table.shards = [...table.shards, ...table.shards]
    table.depth++
  }
  const depth = shard.depth + 1
  const capacity = Math.ceil((shard.count / 2 / LOAD_MAX) * GROWTH)
  const halves = [openShard(words, depth, capacity), openShard(words, depth, capacity)] as const
  const stride = words + 1
  for (let at = 0; at < shard.slots.length; at += stride) {
    const mark = shard.slots[at]!
    if (mark === 0) continue
    const half = halves[(mark >>> shard.depth) & 1]!
    if (half.count + 1 > half.capacity * LOAD_MAX) {
      resize(half, words, Math.ceil(half.capacity * GROWTH))
    }
    place(half, words, mark, shard.slots, at + 1)
  }
  const shared = hash & ((1 << shard.depth) - 1)
  for (let at = shared; at < table.shards.length; at += 1 << shard.depth) {
    table.shards[at] = halves[(at >>> shard.depth) & 1]!
  }
}

import { KEY_WORDS } from './read-key.ts'

/**
 * A small hash set with open addressing and linear probing. A slot holds the key's hash (0 where
 * free) and its words: whole keys, since a fingerprint could be forged.
 */
type Bucket = {
  slots: Uint32Array
  capacity: number
  count: number
  /** The local depth: how many low bits of the hash all of its keys share. */
  depth: number
}

/**
 * Keys of one width in buckets by the low bits of their hash (extendible hashing). A full bucket
 * splits alone, so no single addition ever moves more than one bucket.
 */
export type ExtendibleHashSet = {
  words: number
  /** Two to the power of `depth` references; a bucket of less depth has several. */
  directory: Bucket[]
  depth: number
  count: number
}

const CAPACITY_MIN = 8
const BUCKET_KEYS_MAX = 4096
/** 65,536 buckets hold far more than a variable may; from there on buckets just grow. */
const DEPTH_MAX = 16
const LOAD_MAX = 0.8
const GROWTH = 1.3
/** Below this load a bucket gives memory back. */
const LOAD_MIN = 0.25

export function openExtendibleHashSet(words: number): ExtendibleHashSet {
  return { words, directory: [openBucket(words, 0, CAPACITY_MIN)], depth: 0, count: 0 }
}

/** Whether the set has the key in KEY_WORDS, whose hash this is. */
export function hashSetHas(set: ExtendibleHashSet, hash: number): boolean {
  const bucket = set.directory[hash & ((1 << set.depth) - 1)]!
  return findSlot(bucket, set.words, hash) >= 0
}

export function hashSetHasHash(set: ExtendibleHashSet, hash: number): boolean {
  const { slots, capacity } = set.directory[hash & ((1 << set.depth) - 1)]!
  const stride = set.words + 1
  let slot = homeOf(hash, capacity)
  for (; slots[slot * stride] !== 0; slot = slot + 1 === capacity ? 0 : slot + 1) {
    if (slots[slot * stride] === hash) return true
  }
  return false
}

export function eachHashOf(set: ExtendibleHashSet, visit: (hash: number) => void): void {
  const stride = set.words + 1
  for (const { slots } of new Set(set.directory)) {
    for (let at = 0; at < slots.length; at += stride) {
      if (slots[at] !== 0) visit(slots[at]!)
    }
  }
}

/** Adds the key in KEY_WORDS; false when it was there. */
export function hashSetAdd(set: ExtendibleHashSet, hash: number): boolean {
  let bucket = set.directory[hash & ((1 << set.depth) - 1)]!
  if (findSlot(bucket, set.words, hash) >= 0) return false
  while (bucket.count >= BUCKET_KEYS_MAX && bucket.depth < DEPTH_MAX) {
    split(set, bucket, hash)
    bucket = set.directory[hash & ((1 << set.depth) - 1)]!
  }
  if (bucket.count + 1 > bucket.capacity * LOAD_MAX) {
    resize(bucket, set.words, Math.ceil(bucket.capacity * GROWTH))
  }
  insert(bucket, set.words, hash, KEY_WORDS, 0)
  set.count++
  return true
}

/** Deletes the key in KEY_WORDS; false when it was not there. */
export function hashSetDelete(set: ExtendibleHashSet, hash: number): boolean {
  const bucket = set.directory[hash & ((1 << set.depth) - 1)]!
  const slot = findSlot(bucket, set.words, hash)
  if (slot < 0) return false
  closeGap(bucket, set.words, slot)
  bucket.count--
  set.count--
  if (bucket.capacity > CAPACITY_MIN && bucket.count < bucket.capacity * LOAD_MIN) {
    resize(bucket, set.words, Math.max(CAPACITY_MIN, bucket.capacity >> 1))
  }
  return true
}

function openBucket(words: number, depth: number, capacity: number): Bucket {
  return { slots: new Uint32Array(capacity * (words + 1)), capacity, count: 0, depth }
}

/** The high bits choose the slot, because all keys of a bucket share the low ones. */
function homeOf(hash: number, capacity: number): number {
  return Math.floor((hash * capacity) / 0x1_0000_0000)
}

function findSlot(bucket: Bucket, words: number, hash: number): number {
  const { slots, capacity } = bucket
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

function insert(bucket: Bucket, words: number, hash: number, from: Uint32Array, at: number): void {
  const { slots, capacity } = bucket
  const stride = words + 1
  let slot = homeOf(hash, capacity)
  while (slots[slot * stride] !== 0) slot = slot + 1 === capacity ? 0 : slot + 1
  const to = slot * stride
  slots[to] = hash
  for (let word = 0; word < words; word++) slots[to + 1 + word] = from[at + word]!
  bucket.count++
}

/** Moves later keys of the chain up, so that deleting leaves no tombstones. */
function closeGap(bucket: Bucket, words: number, gap: number): void {
  const { slots, capacity } = bucket
  const stride = words + 1
  let free = gap
  let slot = gap
  for (;;) {
    slot = slot + 1 === capacity ? 0 : slot + 1
    const keyHash = slots[slot * stride]!
    if (keyHash === 0) break
    const home = homeOf(keyHash, capacity)
    const reachable = free <= slot ? free < home && home <= slot : free < home || home <= slot
    if (reachable) continue
    slots.copyWithin(free * stride, slot * stride, (slot + 1) * stride)
    free = slot
  }
  slots[free * stride] = 0
}

function resize(bucket: Bucket, words: number, capacity: number): void {
  const old = bucket.slots
  const stride = words + 1
  bucket.slots = new Uint32Array(capacity * stride)
  bucket.capacity = capacity
  bucket.count = 0
  for (let at = 0; at < old.length; at += stride) {
    if (old[at] !== 0) insert(bucket, words, old[at]!, old, at + 1)
  }
}

function split(set: ExtendibleHashSet, bucket: Bucket, hash: number): void {
  const { words } = set
  if (bucket.depth === set.depth) {
    set.directory = [...set.directory, ...set.directory]
    set.depth++
  }
  const depth = bucket.depth + 1
  const capacity = Math.ceil((bucket.count / 2 / LOAD_MAX) * GROWTH)
  const halves = [openBucket(words, depth, capacity), openBucket(words, depth, capacity)] as const
  const stride = words + 1
  for (let at = 0; at < bucket.slots.length; at += stride) {
    const keyHash = bucket.slots[at]!
    if (keyHash === 0) continue
    const half = halves[(keyHash >>> bucket.depth) & 1]!
    if (half.count + 1 > half.capacity * LOAD_MAX) {
      resize(half, words, Math.ceil(half.capacity * GROWTH))
    }
    insert(half, words, keyHash, bucket.slots, at + 1)
  }
  const shared = hash & ((1 << bucket.depth) - 1)
  for (let at = shared; at < set.directory.length; at += 1 << bucket.depth) {
    set.directory[at] = halves[(at >>> bucket.depth) & 1]!
  }
}

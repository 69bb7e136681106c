import { keccakDigits } from './keccak-digits.ts'
import { numberDigits, rlpBytes, rlpList } from './rlp.ts'

/** One value of the trie; `path` has the digits of its key, one a nibble. */
type Entry = { path: string; value: string }

const CHILDREN = 16
const HASH_DIGITS = 64
const EMPTY = rlpBytes('')

/** The root of the Merkle-Patricia trie that has each value under the RLP of its place. */
export function trieRoot(values: readonly string[]): string {
  if (values.length === 0) return keccakDigits(EMPTY)
  const entries = values.map((value, at) => ({ path: rlpBytes(numberDigits(at)), value }))
  // Places are in order but for the first, whose key is 0x80: it comes after place 127.
  const first = entries.shift()
  if (first) entries.splice(Math.min(127, entries.length), 0, first)
  return keccakDigits(nodeOf(entries, 0, entries.length, 0))
}

/** The node over the entries from `from` to before `to`, which agree up to `depth`. */
function nodeOf(entries: readonly Entry[], from: number, to: number, depth: number): string {
  const first = entries[from]
  const last = entries[to - 1]
  if (!first || !last) return EMPTY
  if (first === last) {
    return rlpList(rlpBytes(compact(first.path.slice(depth), true)) + rlpBytes(first.value))
  }
  // In order, all agree as far as the first and the last do.
  const fork = agreeUpTo(first.path, last.path, depth)
  const branch = branchOf(entries, from, to, fork)
  if (fork === depth) return branch
  return rlpList(rlpBytes(compact(first.path.slice(depth, fork), false)) + refOf(branch))
}

function branchOf(entries: readonly Entry[], from: number, to: number, depth: number): string {
  let members = ''
  let at = from
  for (let nibble = 0; nibble < CHILDREN; nibble++) {
    const digit = nibble.toString(16)
    const start = at
    while (at < to && entries[at]?.path[depth] === digit) at++
    members += start === at ? EMPTY : refOf(nodeOf(entries, start, at, depth + 1))
  }
  // No key begins with another, so a branch has no value of its own.
  return rlpList(members + EMPTY)
}

/** A node in its parent: itself where it is short, else its hash. */
function refOf(node: string): string {
  return node.length < HASH_DIGITS ? node : rlpBytes(keccakDigits(node))
}

/** A path in bytes, with a nibble before it that tells a leaf and an odd length. */
function compact(path: string, isLeaf: boolean): string {
  const flag = isLeaf ? 2 : 0
  return path.length % 2 === 0 ? `${flag}0${path}` : `${flag + 1}${path}`
}

function agreeUpTo(one: string, other: string, from: number): number {
  let at = from
  while (one[at] === other[at]) at++
  return at
}

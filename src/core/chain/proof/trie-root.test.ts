import { expect, test } from 'bun:test'
import { concat, type Hex, keccak256, numberToHex, toRlp } from 'viem'
import { rlpBytes } from './rlp.ts'
import { trieRoot } from './trie-root.ts'

type Values = Map<string, Hex>
type Node = Hex | (Hex | Node)[]

/** The definition of the yellow paper, word by word, without any order of the keys. */
function nodeOf(values: Values): Node {
  const [first] = values
  if (!first) return '0x'
  if (values.size === 1) return [compact(first[0], true), first[1]]
  const shared = sharedPrefix([...values.keys()])
  if (shared.length > 0) return [compact(shared, false), refOf(nodeOf(below(values, shared)))]
  const children = [...'0123456789abcdef'].map((digit) => refOf(nodeOf(below(values, digit))))
  return [...children, '0x']
}

function below(values: Values, prefix: string): Values {
  const inside = [...values].filter(([path]) => path.startsWith(prefix))
  return new Map(inside.map(([path, value]) => [path.slice(prefix.length), value]))
}

function sharedPrefix([first = '', ...others]: string[]): string {
  let length = first.length
  while (!others.every((path) => path.startsWith(first.slice(0, length)))) length--
  return first.slice(0, length)
}

function compact(path: string, isLeaf: boolean): Hex {
  const isOdd = path.length % 2 === 1
  return `0x${(isLeaf ? 2 : 0) + (isOdd ? 1 : 0)}${isOdd ? '' : '0'}${path}`
}

function refOf(node: Node): Hex | Node {
  if (node === '0x') return node
  const encoded = toRlp(node as Hex)
  return encoded.length < 2 + 64 ? node : keccak256(encoded)
}

function expectedRoot(values: readonly Hex[]): string {
  const keys = values.map((_, at) => toRlp(at === 0 ? '0x' : numberToHex(at)).slice(2))
  const node = nodeOf(new Map(keys.map((key, at) => [key, values[at] ?? '0x'])))
  return keccak256(toRlp(node as Hex)).slice(2)
}

/** Around where keys grow longer, and around where branches fill up. */
const COUNTS = [0, 1, 2, 3, 15, 16, 17, 18, 127, 128, 129, 130, 255, 256, 257, 300]

test.each(COUNTS)('the root of %d values is that of the definition', (count) => {
  // Short ones stand in their parents, long ones are hashed.
  for (const bytes of [1, 40]) {
    const values = Array.from({ length: count }, (_, at): Hex => {
      return concat([numberToHex(at + 1, { size: 2 }), `0x${'5a'.repeat(bytes)}`])
    })
    expect(trieRoot(values.map((value) => value.slice(2)))).toBe(expectedRoot(values))
  }
})

test.each(['', '00', '7f', '80', 'ab'.repeat(55), 'ab'.repeat(56), 'ab'.repeat(300)])(
  'bytes are encoded as others encode them: %#',
  (digits) => expect(`0x${rlpBytes(digits)}`).toBe(toRlp(`0x${digits}`)),
)

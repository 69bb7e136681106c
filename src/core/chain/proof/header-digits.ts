import type { RawObject } from '../block.ts'
import { bytesDigits, fixedDigits, isAbsent, rlpQuantity, UnreadableMember } from './raw-members.ts'
import { rlpBytes, rlpList } from './rlp.ts'

type Encode = (value: unknown, member: string) => string

const fixed =
  (byteCount: number): Encode =>
  (value, member) =>
    rlpBytes(fixedDigits(value, member, byteCount))

const HASH = fixed(32)

const bytes: Encode = (value, member) => rlpBytes(bytesDigits(value, member))

/** The members of a header in the order of its hash. */
const MEMBERS: readonly (readonly [member: string, encode: Encode])[] = [
  ['parentHash', HASH],
  ['sha3Uncles', HASH],
  ['miner', fixed(20)],
  ['stateRoot', HASH],
  ['transactionsRoot', HASH],
  ['receiptsRoot', HASH],
  // Any length: the hash covers it, and EIP-7668 would make it empty.
  ['logsBloom', bytes],
  ['difficulty', rlpQuantity],
  ['number', rlpQuantity],
  ['gasLimit', rlpQuantity],
  ['gasUsed', rlpQuantity],
  ['timestamp', rlpQuantity],
  ['extraData', bytes],
  ['mixHash', HASH],
  ['nonce', fixed(8)],
]

/** Members that forks added, one after the other; a header has those up to its own fork. */
const LATER_MEMBERS: readonly (readonly [member: string, encode: Encode])[] = [
  ['baseFeePerGas', rlpQuantity],
  ['withdrawalsRoot', HASH],
  ['blobGasUsed', rlpQuantity],
  ['excessBlobGas', rlpQuantity],
  ['parentBeaconBlockRoot', HASH],
  ['requestsHash', HASH],
  ['blockAccessListHash', HASH],
  ['slotNumber', rlpQuantity],
]

/** Members of a block that its hash does not cover, or covers through a root. */
const OUTSIDE = ['hash', 'size', 'uncles', 'transactions', 'withdrawals', 'totalDifficulty']

/** The miner once more, under the name that some nodes add. */
const ALIASES = ['author']

const KNOWN = new Set([
  ...[...MEMBERS, ...LATER_MEMBERS].map(([member]) => member),
  ...OUTSIDE,
  ...ALIASES,
])

/** The node's own words may be anything; a name of a member is short. */
const NAME = /^[A-Za-z][A-Za-z0-9]{0,39}$/

/** The RLP of a header in hex digits. Throws UnreadableMember. */
export function headerDigits(raw: RawObject): string {
  let members = ''
  for (const [member, encode] of MEMBERS) members += encode(raw[member], member)
  let isComplete = false
  for (const [member, encode] of LATER_MEMBERS) {
    if (isAbsent(raw[member])) isComplete = true
    // Without this check, a node could show one member under the name of a later one.
    else if (isComplete) throw new UnreadableMember(member)
    else members += encode(raw[member], member)
  }
  return rlpList(members)
}

/** A name that no header had when this was written: a fork may have added it. */
export function unknownMember(raw: RawObject): string | null {
  const isNew = (member: string) => NAME.test(member) && !KNOWN.has(member)
  return Object.keys(raw).find((member) => isNew(member) && !isAbsent(raw[member])) ?? null
}

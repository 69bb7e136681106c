import { quantityToNumber } from '../../hex.ts'
import type { RawObject } from '../block.ts'
import {
  bytesDigits,
  fixedDigits,
  isAbsent,
  quantity,
  quantityDigits,
  rlpListOf,
  rlpQuantity,
  smallQuantity,
  UnreadableMember,
} from './raw-members.ts'
import { rlpBytes, rlpList } from './rlp.ts'

export type TransactionDigits = {
  type: number
  bytes: string
  signed: string
  /** Which of two points the signature means. */
  parity: 0 | 1
}

type Encode = (value: unknown, member: string) => string

const bytes: Encode = (value, member) => rlpBytes(bytesDigits(value, member))

const hash: Encode = (value, member) => rlpBytes(fixedDigits(value, member, 32))

const address: Encode = (value, member) => rlpBytes(fixedDigits(value, member, 20))

/** Nobody where a contract is created. */
const receiver: Encode = (value, member) =>
  isAbsent(value) ? rlpBytes('') : address(value, member)

const accessList: Encode = (value, member) =>
  rlpListOf(value, member, (entry) =>
    rlpList(
      address(entry.address, member) +
        rlpListOf(entry.storageKeys, member, (key) => hash(key, member)),
    ),
  )

const AUTHORIZATION = ['chainId', 'address', 'nonce', 'yParity', 'r', 's']

const authorizationList: Encode = (value, member) =>
  rlpListOf(value, member, (entry) =>
    rlpList(
      AUTHORIZATION.map((name) =>
        (name === 'address' ? address : rlpQuantity)(entry[name] ?? aliasOf(entry, name), name),
      ).join(''),
    ),
  )

/** Some nodes have the parity under its older name alone. */
function aliasOf(entry: RawObject, name: string): unknown {
  return name === 'yParity' ? entry.v : undefined
}

const ENCODE: Readonly<Record<string, Encode>> = {
  chainId: rlpQuantity,
  nonce: rlpQuantity,
  gasPrice: rlpQuantity,
  maxPriorityFeePerGas: rlpQuantity,
  maxFeePerGas: rlpQuantity,
  gas: rlpQuantity,
  to: receiver,
  value: rlpQuantity,
  input: bytes,
  accessList,
  maxFeePerBlobGas: rlpQuantity,
  blobVersionedHashes: (value, member) => rlpListOf(value, member, (one) => hash(one, member)),
  authorizationList,
}

const COMMON = ['gas', 'to', 'value', 'input']
const PRICED = ['chainId', 'nonce', 'maxPriorityFeePerGas', 'maxFeePerGas', ...COMMON, 'accessList']

/** The members that a sender signs, by the type of the transaction, in order. */
const SIGNED: readonly (readonly string[])[] = [
  ['nonce', 'gasPrice', ...COMMON],
  ['chainId', 'nonce', 'gasPrice', ...COMMON, 'accessList'],
  PRICED,
  [...PRICED, 'maxFeePerBlobGas', 'blobVersionedHashes'],
  [...PRICED, 'authorizationList'],
]

/** Every transaction may name these, as derived where it does not sign them. */
const DERIVED = new Set(['gasPrice', 'chainId'])

/** The first type with a price of its own for the block to take from. */
const PRICED_TYPE = 2

/** Where v also tells the chain, it begins with this. */
const CHAIN_V_MIN = 35n
const PLAIN_V = 27n

/** Null where the type is none that is known. Throws UnreadableMember. */
export function transactionDigits(raw: RawObject): TransactionDigits | null {
  const type = isAbsent(raw.type) ? 0 : (quantityToNumber(raw.type) ?? -1)
  const members = SIGNED[type]
  if (!members) return null
  refuseForeign(raw, members)
  let signed = ''
  for (const member of members) signed += ENCODE[member]?.(raw[member], member) ?? ''
  const signature = rlpQuantity(raw.r, 'r') + rlpQuantity(raw.s, 's')
  if (type === 0) return plainDigits(raw, signed, signature)
  const parity = parityOf(raw)
  const prefix = `0${type}`
  return {
    type,
    bytes: prefix + rlpList(signed + rlpBytes(parity === 0 ? '' : '01') + signature),
    signed: prefix + rlpList(signed),
    parity,
  }
}

export function gasPricePaid(raw: RawObject, type: number, header: RawObject): bigint {
  if (type < PRICED_TYPE) return quantity(raw, 'gasPrice')
  const offered = quantity(header, 'baseFeePerGas') + quantity(raw, 'maxPriorityFeePerGas')
  const most = quantity(raw, 'maxFeePerGas')
  return offered < most ? offered : most
}

function plainDigits(raw: RawObject, signed: string, signature: string): TransactionDigits {
  const v = quantity(raw, 'v')
  const isChains = v >= CHAIN_V_MIN
  const parity = isChains ? (v - CHAIN_V_MIN) % 2n : v - PLAIN_V
  if (parity !== 0n && parity !== 1n) throw new UnreadableMember('v')
  const chainId = isChains ? (v - CHAIN_V_MIN) / 2n : null
  if (!isAbsent(raw.yParity) && quantity(raw, 'yParity') !== parity) {
    throw new UnreadableMember('yParity')
  }
  const isOther = chainId !== null && !isAbsent(raw.chainId) && quantity(raw, 'chainId') !== chainId
  if (isOther) throw new UnreadableMember('chainId')
  const chain = chainId === null ? '' : `${rlpQuantity(`0x${chainId.toString(16)}`, 'v')}8080`
  return {
    type: 0,
    bytes: rlpList(signed + rlpBytes(quantityDigits(raw.v, 'v')) + signature),
    signed: rlpList(signed + chain),
    parity: parity === 0n ? 0 : 1,
  }
}

/** Nodes name it `yParity`, `v` or both. */
function parityOf(raw: RawObject): 0 | 1 {
  const named = ['yParity', 'v'].filter((member) => !isAbsent(raw[member]))
  const said = new Set(named.map((member) => smallQuantity(raw, member)))
  const [parity] = said
  if (said.size !== 1 || (parity !== 0 && parity !== 1)) throw new UnreadableMember('v')
  return parity
}

/** A member that the type does not have is covered by no root: it must not be there. */
function refuseForeign(raw: RawObject, members: readonly string[]): void {
  for (const member of Object.keys(ENCODE)) {
    const value = raw[member]
    if (isAbsent(value) || members.includes(member) || DERIVED.has(member)) continue
    if (!Array.isArray(value) || value.length > 0) throw new UnreadableMember(member)
  }
}

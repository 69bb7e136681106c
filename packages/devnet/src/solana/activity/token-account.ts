import {
  type Account,
  decodeBase58,
  newAccount,
  PROGRAMS,
  type RentExempt,
} from '../solana-account.ts'
import { bytesOf, u8, u64 } from '../solana-bytes.ts'
import { extension, type SampleMint } from './sample-mints.ts'

type Holding = {
  pubkey: string
  mint: SampleMint
  owner: string
  amount: bigint
  isFrozen?: boolean
  delegate?: string
}

const TOKEN_ACCOUNT_BYTES = 165
const OWNER_AT = 32
const AMOUNT_AT = 64
const DELEGATE_TAG_AT = 72
const DELEGATE_AT = 76
const STATE_AT = 108
const DELEGATED_AMOUNT_AT = 121
const INITIALIZED = 1
const FROZEN = 2

const KIND_ACCOUNT = 2
const TRANSFER_FEE_AMOUNT = 2
const IMMUTABLE_OWNER = 7

/** Accounts of Token-2022 have extensions, as its program makes them. */
const TAIL_2022 = bytesOf(u8(KIND_ACCOUNT), extension(IMMUTABLE_OWNER))
const TAIL_WITH_FEE = bytesOf(TAIL_2022, extension(TRANSFER_FEE_AMOUNT, u64(0n)))

export function tokenAccount(holding: Holding, rentExempt: RentExempt): Account {
  const { pubkey, mint, owner, amount, isFrozen = false, delegate } = holding
  const tail = tailOf(mint)
  const data = new Uint8Array(TOKEN_ACCOUNT_BYTES + tail.length)
  const view = new DataView(data.buffer)
  data.set(mint.key)
  data.set(decodeBase58(owner), OWNER_AT)
  view.setBigUint64(AMOUNT_AT, amount, true)
  data[STATE_AT] = isFrozen ? FROZEN : INITIALIZED
  if (delegate !== undefined) {
    view.setUint32(DELEGATE_TAG_AT, 1, true)
    data.set(decodeBase58(delegate), DELEGATE_AT)
    view.setBigUint64(DELEGATED_AMOUNT_AT, amount / 2n, true)
  }
  data.set(tail, TOKEN_ACCOUNT_BYTES)
  return newAccount(pubkey, rentExempt(BigInt(data.length)), mint.program, data)
}

export function amountIn({ data }: Account): bigint {
  return viewOf(data).getBigUint64(AMOUNT_AT, true)
}

export function isFrozen({ data }: Account): boolean {
  return data[STATE_AT] === FROZEN
}

export function withAmount(account: Account, amount: bigint): Account {
  const data = new Uint8Array(account.data)
  viewOf(data).setBigUint64(AMOUNT_AT, amount, true)
  return { ...account, data }
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength)
}

function tailOf({ program, fee }: SampleMint): Uint8Array {
  if (program === PROGRAMS.token) return new Uint8Array()
  return fee === null ? TAIL_2022 : TAIL_WITH_FEE
}

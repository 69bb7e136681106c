import type { Account } from '../../../../../src/core/solana/account.ts'
import { PROGRAM_KEYS, sameKey } from '../../../../../src/core/solana/programs.ts'
import { bytesOf, u8, u64 } from '../solana-bytes.ts'
import { extension, type SampleMint } from './sample-mints.ts'
import { RENT_EXEMPT_EPOCH, type RentExempt } from './wallet-account.ts'

type Holding = {
  pubkey: Uint8Array
  mint: SampleMint
  owner: Uint8Array
  amount: bigint
  isFrozen?: boolean
  delegate?: Uint8Array
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

/** A token account, byte by byte as its program would have made it. */
export function tokenAccount(holding: Holding, rentExempt: RentExempt): Account {
  const { pubkey, mint, owner, amount, isFrozen = false, delegate } = holding
  const tail = tailOf(mint)
  const data = new Uint8Array(TOKEN_ACCOUNT_BYTES + tail.length)
  const view = new DataView(data.buffer)
  data.set(mint.key)
  data.set(owner, OWNER_AT)
  view.setBigUint64(AMOUNT_AT, amount, true)
  data[STATE_AT] = isFrozen ? FROZEN : INITIALIZED
  if (delegate !== undefined) {
    view.setUint32(DELEGATE_TAG_AT, 1, true)
    data.set(delegate, DELEGATE_AT)
    view.setBigUint64(DELEGATED_AMOUNT_AT, amount / 2n, true)
  }
  data.set(tail, TOKEN_ACCOUNT_BYTES)
  return {
    pubkey,
    owner: mint.program,
    lamports: rentExempt(BigInt(data.length)),
    rentEpoch: RENT_EXEMPT_EPOCH,
    executable: false,
    data,
  }
}

export function amountIn({ data }: Account): bigint {
  return viewOf(data).getBigUint64(AMOUNT_AT, true)
}

export function ownerIn({ data }: Account): Uint8Array {
  return data.slice(OWNER_AT, OWNER_AT + 32)
}

export function mintIn({ data }: Account): Uint8Array {
  return data.slice(0, 32)
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

function tailOf({ program, hasFee }: SampleMint): Uint8Array {
  if (sameKey(program, PROGRAM_KEYS.splToken)) return new Uint8Array()
  return hasFee ? TAIL_WITH_FEE : TAIL_2022
}

import type { Account } from '../../../../../src/core/solana/account.ts'
import { PROGRAM_KEYS } from '../../../../../src/core/solana/programs.ts'
import { bytesOf, u8, u16, u32, u64 } from '../solana-bytes.ts'
import { FAUCET } from '../solana-genesis.ts'
import { keyPairOf } from '../solana-message.ts'
import { RENT_EXEMPT_EPOCH, type RentExempt } from './wallet-account.ts'

/** A mint that the accounts of a living ledger are of. */
export type SampleMint = {
  key: Uint8Array
  program: Uint8Array
  decimals: number
  /** Accounts of a mint without one are never frozen. */
  freezes: boolean
  /** A fee is withheld from transfers, for which each of its accounts has a place. */
  hasFee: boolean
  /** Extensions of the mint's account. */
  extensions: readonly Uint8Array[]
}

const { splToken: TOKEN, splToken2022: TOKEN_2022 } = PROGRAM_KEYS

/** The kinds of extensions, as Token-2022 counts them. */
const TRANSFER_FEE_CONFIG = 1
const MINT_CLOSE_AUTHORITY = 3
const INTEREST_BEARING = 10
const PERMANENT_DELEGATE = 12
const METADATA_POINTER = 18
const TOKEN_METADATA = 19

const FEE_BASIS_POINTS = 25
const FEE_MAX = 1_000_000_000n
const INTEREST_BASIS_POINTS = 450
/** The start of 2026, since when the interest runs. */
const INTEREST_SINCE = 1_767_225_600n

/** Behind the 82 bytes of a mint there is room up to the length of an account, then its kind. */
const MINT_ROOM_BYTES = 165 - 82
const KIND_MINT = 1

/** Two of each sort that is met often; a documented address each. */
export const SAMPLE_MINTS: readonly SampleMint[] = [
  mint(0, { decimals: 6 }),
  mint(1, { decimals: 9 }),
  mint(2, { decimals: 8, freezes: false }),
  mint(3, { decimals: 0 }),
  mint(4, { program: TOKEN_2022, decimals: 9 }),
  mint(5, { program: TOKEN_2022, decimals: 6, hasFee: true }, (key) => [
    feeExtension(),
    extension(METADATA_POINTER, FAUCET.key, key),
    metadata(key, 'Headgate Fee', 'HGF', 'https://example.com/headgate-fee.json'),
  ]),
  mint(6, { program: TOKEN_2022, decimals: 2 }, () => [
    extension(MINT_CLOSE_AUTHORITY, FAUCET.key),
    extension(PERMANENT_DELEGATE, FAUCET.key),
    interestExtension(),
  ]),
]

/** The account of a mint of which so much has been made. */
export function sampleMintAccount(
  one: SampleMint,
  supply: bigint,
  rentExempt: RentExempt,
): Account {
  const authority = bytesOf(u32(1), FAUCET.key)
  const freeze = one.freezes ? authority : new Uint8Array(authority.length)
  const base = bytesOf(authority, u64(supply), u8(one.decimals), u8(1), freeze)
  const room = bytesOf(new Uint8Array(MINT_ROOM_BYTES), u8(KIND_MINT), ...one.extensions)
  const data = one.extensions.length === 0 ? base : bytesOf(base, room)
  return {
    pubkey: one.key,
    owner: one.program,
    lamports: rentExempt(BigInt(data.length)),
    rentEpoch: RENT_EXEMPT_EPOCH,
    executable: false,
    data,
  }
}

function mint(
  number: number,
  facts: Partial<SampleMint>,
  extensions: (key: Uint8Array) => Uint8Array[] = () => [],
): SampleMint {
  const { key } = keyPairOf(`headgate devnet mint ${number}`)
  const usual = { program: TOKEN, decimals: 6, freezes: true, hasFee: false }
  return { ...usual, ...facts, key, extensions: extensions(key) }
}

/** A kind, a length, and the state itself. */
export function extension(kind: number, ...state: readonly Uint8Array[]): Uint8Array {
  const whole = bytesOf(...state)
  return bytesOf(u16(kind), u16(whole.length), whole)
}

function feeExtension(): Uint8Array {
  const fee = bytesOf(u64(0n), u64(FEE_MAX), u16(FEE_BASIS_POINTS))
  const withheld = u64(0n)
  return extension(TRANSFER_FEE_CONFIG, FAUCET.key, FAUCET.key, withheld, fee, fee)
}

function interestExtension(): Uint8Array {
  const [rate, since] = [u16(INTEREST_BASIS_POINTS), u64(INTEREST_SINCE)]
  return extension(INTEREST_BEARING, FAUCET.key, since, rate, since, rate)
}

function metadata(key: Uint8Array, ...texts: readonly string[]): Uint8Array {
  const written = texts.map((text) => bytesOf(u32(text.length), Buffer.from(text)))
  const additional = u32(0)
  return extension(TOKEN_METADATA, FAUCET.key, key, ...written, additional)
}

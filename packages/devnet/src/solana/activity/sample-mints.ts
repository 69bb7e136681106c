import {
  type Account,
  encodeBase58,
  newAccount,
  PROGRAMS,
  type RentExempt,
} from '../solana-account.ts'
import { bytesOf, u8, u16, u32, u64 } from '../solana-bytes.ts'
import { FAUCET, keyPairOf } from '../solana-message.ts'

export type SampleMint = {
  key: Uint8Array
  program: string
  decimals: number
  /** Accounts of a mint without one are never frozen. */
  freezes: boolean
  /** A fee is withheld from transfers, for which each of its accounts has a place. */
  fee: { basisPoints: number; max: bigint } | null
  /** Its name, symbol and address, in its own account. */
  metadata: readonly string[] | null
}

/** The kinds of extensions, as Token-2022 counts them. */
const TRANSFER_FEE_CONFIG = 1
const METADATA_POINTER = 18
const TOKEN_METADATA = 19

/** Behind the 82 bytes of a mint there is room up to the length of an account, then its kind. */
const MINT_ROOM_BYTES = 165 - 82
const KIND_MINT = 1

/** Mints of each sort that is met often, with documented addresses. */
export const SAMPLE_MINTS: readonly SampleMint[] = [
  sampleMint('mint 0', { decimals: 6 }),
  sampleMint('mint 1', { decimals: 9 }),
  sampleMint('mint 2', { decimals: 8, freezes: false }),
  sampleMint('mint 3', { decimals: 0 }),
  sampleMint('mint 4', { program: PROGRAMS.token2022, decimals: 9 }),
  sampleMint('mint 5', {
    program: PROGRAMS.token2022,
    decimals: 6,
    fee: { basisPoints: 25, max: 1_000_000_000n },
    metadata: ['Headgate Fee', 'HGF', 'https://example.com/headgate-fee.json'],
  }),
]

export function sampleMint(phrase: string, facts: Partial<SampleMint>): SampleMint {
  const { key } = keyPairOf(`headgate devnet ${phrase}`)
  const usual = { program: PROGRAMS.token, decimals: 6, freezes: true, fee: null, metadata: null }
  return { ...usual, ...facts, key }
}

export function sampleMintAccount(
  mint: SampleMint,
  supply: bigint,
  rentExempt: RentExempt,
): Account {
  const authority = bytesOf(u32(1), FAUCET.key)
  const freeze = mint.freezes ? authority : new Uint8Array(authority.length)
  const base = bytesOf(authority, u64(supply), u8(mint.decimals), u8(1), freeze)
  const extensions = [...feeExtensions(mint), ...metadataExtensions(mint)]
  const room = bytesOf(new Uint8Array(MINT_ROOM_BYTES), u8(KIND_MINT), ...extensions)
  const data = extensions.length === 0 ? base : bytesOf(base, room)
  const lamports = rentExempt(BigInt(data.length))
  return newAccount(encodeBase58(mint.key), lamports, mint.program, data)
}

export function extension(kind: number, ...state: readonly Uint8Array[]): Uint8Array {
  const whole = bytesOf(...state)
  return bytesOf(u16(kind), u16(whole.length), whole)
}

function feeExtensions({ fee }: SampleMint): Uint8Array[] {
  if (fee === null) return []
  const terms = bytesOf(u64(0n), u64(fee.max), u16(fee.basisPoints))
  const withheld = u64(0n)
  return [extension(TRANSFER_FEE_CONFIG, FAUCET.key, FAUCET.key, withheld, terms, terms)]
}

function metadataExtensions({ key, metadata }: SampleMint): Uint8Array[] {
  if (metadata === null) return []
  const texts = metadata.map((text) => bytesOf(u32(text.length), Buffer.from(text)))
  const additional = u32(0)
  return [
    extension(METADATA_POINTER, FAUCET.key, key),
    extension(TOKEN_METADATA, FAUCET.key, key, ...texts, additional),
  ]
}

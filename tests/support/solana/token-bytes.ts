import type { MintFacts, ParseHelps } from '../../../src/core/solana/parsers/parse-helps.ts'
import { joined, keyOf, u8, u16, u32, u64, zeros } from './account-bytes.ts'

/** The accounts of the token programs, written by hand, byte for byte. */

const ACCOUNT_BYTES = 165
const MULTISIG_SIGNERS_MAX = 11

export type TokenAccountParts = {
  mint: Uint8Array
  owner: Uint8Array
  amount: bigint
  delegate: Uint8Array | null
  state: number
  rentExemptReserve: bigint | null
  delegatedAmount: bigint
  closeAuthority: Uint8Array | null
}

export type MintParts = {
  mintAuthority: Uint8Array | null
  supply: bigint
  decimals: number
  isInitialized: number
  freezeAuthority: Uint8Array | null
}

export function tokenAccountBytes(
  parts: Partial<TokenAccountParts> = {},
  ...extensions: Uint8Array[]
): Uint8Array {
  const reserve = parts.rentExemptReserve ?? null
  const base = joined(
    parts.mint ?? keyOf(1),
    parts.owner ?? keyOf(2),
    u64(parts.amount ?? 0n),
    optional(parts.delegate ?? null),
    u8(parts.state ?? 1),
    reserve === null ? zeros(12) : joined(u32(1), u64(reserve)),
    u64(parts.delegatedAmount ?? 0n),
    optional(parts.closeAuthority ?? null),
  )
  return extensions.length === 0 ? base : joined(base, u8(2), ...extensions)
}

export function mintBytes(parts: Partial<MintParts> = {}, ...extensions: Uint8Array[]): Uint8Array {
  const base = joined(
    optional(parts.mintAuthority ?? null),
    u64(parts.supply ?? 0n),
    u8(parts.decimals ?? 0),
    u8(parts.isInitialized ?? 1),
    optional(parts.freezeAuthority ?? null),
  )
  if (extensions.length === 0) return base
  return joined(base, zeros(ACCOUNT_BYTES - base.length), u8(1), ...extensions)
}

export function multisigBytes(required: number, signers: Uint8Array[]): Uint8Array {
  const rest = Array.from({ length: MULTISIG_SIGNERS_MAX - signers.length }, () => zeros(32))
  return joined(u8(required), u8(signers.length), u8(1), ...signers, ...rest)
}

export function extensionBytes(type: number, ...parts: Uint8Array[]): Uint8Array {
  const value = joined(...parts)
  return joined(u16(type), u16(value.length), value)
}

/** Metadata of the update authority and the mint 1 and 2. */
export function metadataBytes(texts: string[], pairs: string[][] = []): Uint8Array {
  const rest = pairs.flat().map(textBytes)
  return joined(keyOf(1), keyOf(2), ...texts.map(textBytes), u32(pairs.length), ...rest)
}

/** A ledger where every mint shows its amounts in the same way. */
export function helpsWith(facts: Partial<MintFacts> | null, unixTimestamp = 0n): ParseHelps {
  const whole = facts && { decimals: 0, interest: null, scaled: null, ...facts }
  return { mint: () => whole, unixTimestamp }
}

function optional(key: Uint8Array | null): Uint8Array {
  return key === null ? zeros(36) : joined(u32(1), key)
}

function textBytes(value: string): Uint8Array {
  const bytes = new TextEncoder().encode(value)
  return joined(u32(bytes.length), bytes)
}

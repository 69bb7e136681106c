import { findExtension, readTokenState } from './token-state.ts'

/** The facts a parser must know beyond the bytes of the account it reads. */
export type ParseHelps = {
  /** Null when the ledger has no such mint: its token accounts then stay unparsed. */
  mint(pubkey: Uint8Array): MintFacts | null
  /** The ledger's clock; interest-bearing and scaled amounts depend on it. */
  unixTimestamp: bigint
}

export type MintFacts = {
  decimals: number
  interest: InterestBearing | null
  scaled: ScaledAmount | null
}

export type InterestBearing = ReturnType<typeof interestFrom>

export type ScaledAmount = ReturnType<typeof scaledFrom>

const DECIMALS_AT = 44

const INTEREST_BEARING_TYPE = 10
const INTEREST_BEARING_BYTES = 52
const SCALED_AMOUNT_TYPE = 25
const SCALED_AMOUNT_BYTES = 56

/** Both extensions begin with the 32 bytes of their authority, which matters to no amount. */
const AUTHORITY_BYTES = 32

/** Reads the data of a mint account; null when it is no initialised mint. */
export function readMintFacts(data: Uint8Array): MintFacts | null {
  const state = readTokenState(data)
  if (state?.kind !== 'mint') return null

  const interestAt = findExtension(state, INTEREST_BEARING_TYPE, INTEREST_BEARING_BYTES)
  const scaledAt = findExtension(state, SCALED_AMOUNT_TYPE, SCALED_AMOUNT_BYTES)
  return {
    decimals: state.view.getUint8(DECIMALS_AT),
    interest: interestAt === null ? null : interestFrom(state.view, interestAt + AUTHORITY_BYTES),
    scaled: scaledAt === null ? null : scaledFrom(state.view, scaledAt + AUTHORITY_BYTES),
  }
}

function interestFrom(view: DataView, at: number) {
  return {
    initializedAtSeconds: view.getBigInt64(at, true),
    averageRateBps: view.getInt16(at + 8, true),
    updatedAtSeconds: view.getBigInt64(at + 10, true),
    currentRateBps: view.getInt16(at + 18, true),
  }
}

function scaledFrom(view: DataView, at: number) {
  return {
    multiplier: view.getFloat64(at, true),
    newMultiplierFromSeconds: view.getBigInt64(at + 8, true),
    newMultiplier: view.getFloat64(at + 16, true),
  }
}

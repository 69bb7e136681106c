import type { Account } from '../../../../../src/core/solana/account.ts'
import { ASSOCIATED_TOKEN_PROGRAM } from '../solana-genesis.ts'
import { type KeyPair, keyPairOf } from '../solana-message.ts'
import { associatedTokenAddress } from '../solana-token-address.ts'
import { SAMPLE_MINTS, type SampleMint, sampleMintAccount } from './sample-mints.ts'
import { nonceAccount, stakeAccount } from './stake-account.ts'
import { tokenAccount } from './token-account.ts'
import { type RentExempt, sampleKey, walletAccount } from './wallet-account.ts'

type Beginning = { tokenAccounts: number; epoch: number; rentExempt: RentExempt }

/** An owner has so many token accounts; beyond so many owners it has more. */
const ACCOUNTS_PER_HOLDER = 8
export const HOLDERS_MAX = 2_500

const TOKEN_ACCOUNTS_PER_STAKE = 60
const STAKES_MIN = 8
export const STAKES_MAX = 300
const TOKEN_ACCOUNTS_PER_NONCE = 120
const NONCES_MIN = 4
export const NONCES_MAX = 150

const SOL = 1_000_000_000n
const TRADER_LAMPORTS = 10_000n * SOL
const TRADER_TOKENS = 1_000_000n

/** Bounds of balances, in whole tokens: a supply of any number of them has 64 bits. */
const TOKENS_MAX_LOG2 = 17

/** Among 256 accounts so many are empty, frozen, delegated. */
const EMPTY_OF_256 = 26
const FROZEN_OF_256 = 8
const DELEGATED_OF_256 = 13

/** Wallets with keys that everybody knows; they send the ledger's own transactions. */
export const TRADERS: readonly KeyPair[] = Array.from({ length: 6 }, (_, at) =>
  keyPairOf(`headgate devnet trader ${at}`),
)

/** The mints that traders deal in: one of each token program. */
export const TRADED_MINTS: readonly SampleMint[] = [0, 5].map((at) => SAMPLE_MINTS[at]!)

export function traderTokenAccount(
  { key }: KeyPair,
  { program, key: mint }: SampleMint,
): Uint8Array {
  return associatedTokenAddress(key, program, mint, ASSOCIATED_TOKEN_PROGRAM)
}

function stakesBeside(tokenAccounts: number): number {
  const wanted = Math.ceil(tokenAccounts / TOKEN_ACCOUNTS_PER_STAKE)
  return Math.min(STAKES_MAX, Math.max(STAKES_MIN, wanted))
}

function noncesBeside(tokenAccounts: number): number {
  const wanted = Math.ceil(tokenAccounts / TOKEN_ACCOUNTS_PER_NONCE)
  return Math.min(NONCES_MAX, Math.max(NONCES_MIN, wanted))
}

/** All accounts that a living ledger begins with, the same in every one of this size. */
export function sampleAccounts({ tokenAccounts, epoch, rentExempt }: Beginning): Account[] {
  if (tokenAccounts === 0) return []
  const holders = Array.from(
    { length: Math.min(HOLDERS_MAX, Math.ceil(tokenAccounts / ACCOUNTS_PER_HOLDER)) },
    (_, at) => sampleKey(`holder ${at}`),
  )
  const supply = new Map<SampleMint, bigint>(SAMPLE_MINTS.map((mint) => [mint, 0n]))
  const rent = remembered(rentExempt)
  const hold = (mint: SampleMint, amount: bigint) => {
    supply.set(mint, (supply.get(mint) ?? 0n) + amount)
    return amount
  }
  const held = Array.from({ length: tokenAccounts }, (_, at) => {
    const pubkey = sampleKey(`token account ${at}`)
    const drawn = drawnHolding(pubkey, holders)
    hold(drawn.mint, drawn.amount)
    return tokenAccount({ pubkey, ...drawn }, rent)
  })
  const ofTraders = TRADERS.flatMap((trader) => [
    walletAccount(trader.key, TRADER_LAMPORTS),
    ...TRADED_MINTS.map((mint) => {
      const amount = hold(mint, TRADER_TOKENS * 10n ** BigInt(mint.decimals))
      const pubkey = traderTokenAccount(trader, mint)
      return tokenAccount({ pubkey, mint, owner: trader.key, amount }, rent)
    }),
  ])
  const wallets = holders.map((key) => walletAccount(key, SOL + drawnLamports(key)))
  const stakes = Array.from({ length: stakesBeside(tokenAccounts) }, (_, at) =>
    stakeAccount(at, 0, BigInt(epoch), rent),
  )
  const nonces = Array.from({ length: noncesBeside(tokenAccounts) }, (_, at) =>
    nonceAccount(at, sampleKey(`nonce ${at}`), rent),
  )
  const mints = SAMPLE_MINTS.map((mint) => sampleMintAccount(mint, supply.get(mint) ?? 0n, rent))
  return [...mints, ...wallets, ...ofTraders, ...held, ...stakes, ...nonces]
}

/** The bytes of an address look like chance, so they decide what it holds. */
function drawnHolding(pubkey: Uint8Array, holders: readonly Uint8Array[]) {
  const drawn = new DataView(pubkey.buffer)
  const mint = SAMPLE_MINTS[drawn.getUint16(0) % SAMPLE_MINTS.length]!
  const owner = holders[drawn.getUint32(2) % holders.length]!
  const tokens = 2 ** ((drawn.getUint16(6) / 65_536) * TOKENS_MAX_LOG2)
  const exact = BigInt(Math.floor(tokens * 100)) * 10n ** BigInt(mint.decimals)
  const amount = drawn.getUint8(8) < EMPTY_OF_256 ? 0n : exact / 100n
  const isFrozen = mint.freezes && drawn.getUint8(9) < FROZEN_OF_256
  const delegate = holders[drawn.getUint16(10) % holders.length]!
  return { mint, owner, amount, isFrozen, ...(isDelegated(drawn) && { delegate }) }
}

function isDelegated(drawn: DataView): boolean {
  return drawn.getUint8(12) < DELEGATED_OF_256
}

function drawnLamports(key: Uint8Array): bigint {
  return BigInt(new DataView(key.buffer).getUint32(0)) * 10n
}

/** The machine is asked once for each length. */
function remembered(rentExempt: RentExempt): RentExempt {
  const known = new Map<bigint, bigint>()
  return (dataBytes) => {
    const lamports = known.get(dataBytes) ?? rentExempt(dataBytes)
    known.set(dataBytes, lamports)
    return lamports
  }
}

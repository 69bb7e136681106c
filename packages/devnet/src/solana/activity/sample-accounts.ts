import {
  type Account,
  decodeBase58,
  encodeBase58,
  newAccount,
  type RentExempt,
  sampleKey,
} from '../solana-account.ts'
import { walletTokens } from '../solana-genesis.ts'
import { type KeyPair, keyPairOf } from '../solana-message.ts'
import { SAMPLE_MINTS, type SampleMint, sampleMintAccount } from './sample-mints.ts'
import { tokenAccount } from './token-account.ts'

/** An owner has so many token accounts; beyond so many owners it has more. */
const ACCOUNTS_PER_HOLDER = 8
const HOLDERS_MAX = 2_500

const SOL = 1_000_000_000n
const TRADER_LAMPORTS = 10_000n * SOL
const TRADER_TOKENS = 1_000_000n

/** Bounds of balances, in whole tokens: a supply of any number of them has 64 bits. */
const TOKENS_MAX_LOG2 = 17

const EMPTY_OF_256 = 26
const FROZEN_OF_256 = 8
const DELEGATED_OF_256 = 13

/** The token accounts of one mint that change by themselves. */
export type Pool = { mint: SampleMint; keys: string[] }

/** Wallets with keys that everybody knows; they send the ledger's own transactions. */
export const TRADERS: readonly KeyPair[] = Array.from({ length: 6 }, (_, at) =>
  keyPairOf(`headgate devnet trader ${at}`),
)

/** The mints that traders deal in: one of each token program. */
export const TRADED_MINTS: readonly SampleMint[] = [0, 5].map((at) => SAMPLE_MINTS[at]!)

/**
 * All accounts that a living ledger begins with, the same in every one of this size, and which of
 * them change by themselves.
 */
export function sampleAccounts(
  tokenAccounts: number,
  rentExempt: RentExempt,
): { accounts: Account[]; pools: Pool[] } {
  if (tokenAccounts === 0) return { accounts: [], pools: [] }
  const holders = Array.from(
    { length: Math.min(HOLDERS_MAX, Math.ceil(tokenAccounts / ACCOUNTS_PER_HOLDER)) },
    (_, at) => sampleKey(`holder ${at}`),
  )
  const supply = new Map<SampleMint, bigint>(SAMPLE_MINTS.map((mint) => [mint, 0n]))
  const keysOf = new Map<SampleMint, string[]>(SAMPLE_MINTS.map((mint) => [mint, []]))
  const rent = remembered(rentExempt)
  const hold = (mint: SampleMint, amount: bigint) => {
    supply.set(mint, (supply.get(mint) ?? 0n) + amount)
    return amount
  }
  const held = Array.from({ length: tokenAccounts }, (_, at) => {
    const pubkey = sampleKey(`token account ${at}`)
    const drawn = drawnHolding(pubkey, holders)
    hold(drawn.mint, drawn.amount)
    keysOf.get(drawn.mint)?.push(pubkey)
    return tokenAccount({ pubkey, ...drawn }, rent)
  })
  const ofTraders = TRADERS.flatMap((trader) => [
    newAccount(encodeBase58(trader.key), TRADER_LAMPORTS),
    ...TRADED_MINTS.map((mint) => {
      const amount = hold(mint, TRADER_TOKENS * 10n ** BigInt(mint.decimals))
      return walletTokens(trader.key, mint, amount, rent)
    }),
  ])
  const wallets = holders.map((key) => newAccount(key, SOL + drawnLamports(key)))
  const mints = SAMPLE_MINTS.map((mint) => sampleMintAccount(mint, supply.get(mint) ?? 0n, rent))
  const pools = [...keysOf].map(([mint, keys]) => ({ mint, keys }))
  return { accounts: [...mints, ...wallets, ...ofTraders, ...held], pools }
}

/** The bytes of an address look like chance, so they decide what it holds. */
function drawnHolding(pubkey: string, holders: readonly string[]) {
  const drawn = bytesIn(pubkey)
  const mint = SAMPLE_MINTS[drawn.getUint16(0) % SAMPLE_MINTS.length]!
  const owner = holders[drawn.getUint32(2) % holders.length]!
  const tokens = 2 ** ((drawn.getUint16(6) / 65_536) * TOKENS_MAX_LOG2)
  const exact = BigInt(Math.floor(tokens * 100)) * 10n ** BigInt(mint.decimals)
  const amount = drawn.getUint8(8) < EMPTY_OF_256 ? 0n : exact / 100n
  const isFrozen = mint.freezes && drawn.getUint8(9) < FROZEN_OF_256
  const delegate = holders[drawn.getUint16(10) % holders.length]!
  const isDelegated = drawn.getUint8(12) < DELEGATED_OF_256
  return { mint, owner, amount, isFrozen, ...(isDelegated && { delegate }) }
}

function drawnLamports(pubkey: string): bigint {
  return BigInt(bytesIn(pubkey).getUint32(0)) * 10n
}

function bytesIn(pubkey: string): DataView {
  return new DataView(Uint8Array.from(decodeBase58(pubkey)).buffer)
}

function remembered(rentExempt: RentExempt): RentExempt {
  const known = new Map<bigint, bigint>()
  return (dataBytes) => {
    const lamports = known.get(dataBytes) ?? rentExempt(dataBytes)
    known.set(dataBytes, lamports)
    return lamports
  }
}

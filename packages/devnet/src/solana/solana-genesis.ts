import { createHash } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { assert } from '../assert.ts'
import { type SampleMint, sampleMint, sampleMintAccount } from './activity/sample-mints.ts'
import { tokenAccount } from './activity/token-account.ts'
import {
  type Account,
  decodeBase58,
  encodeBase58,
  newAccount,
  PROGRAMS,
  type RentExempt,
} from './solana-account.ts'
import { bytesOf, u8 } from './solana-bytes.ts'
import { FAUCET, type KeyPair, keyPairOf } from './solana-message.ts'

/**
 * The wallets that are rich from the beginning. Whoever reads this can make their keys, so
 * whatever is sent to them on a real network is gone.
 */
export const TEST_WALLETS: readonly KeyPair[] = Array.from({ length: 5 }, (_, at) =>
  keyPairOf(`headgate devnet wallet ${at}`),
)

export const TOKEN_MINT = sampleMint('mint', { decimals: 6 })
export const TOKEN_2022_MINT = sampleMint('mint 2022', {
  program: PROGRAMS.token2022,
  decimals: 6,
  fee: { basisPoints: 50, max: 5_000_000_000n },
  metadata: ['Headgate Test', 'HGT', 'https://example.com/headgate-test.json'],
})

const FAUCET_LAMPORTS = 500_000_000n * 1_000_000_000n
const WALLET_LAMPORTS = 1_000n * 1_000_000_000n
const WALLET_TOKENS = 1_000_000n * 10n ** 6n

const ASSOCIATED_TOKEN_PROGRAM = decodeBase58(PROGRAMS.associatedToken)
const BUMP_MAX = 255

export function genesisAccounts(rentExempt: RentExempt): Account[] {
  const mints = [TOKEN_MINT, TOKEN_2022_MINT]
  const supply = WALLET_TOKENS * BigInt(TEST_WALLETS.length)
  return [
    newAccount(encodeBase58(FAUCET.key), FAUCET_LAMPORTS),
    ...mints.map((mint) => sampleMintAccount(mint, supply, rentExempt)),
    ...TEST_WALLETS.flatMap(({ key }) => [
      newAccount(encodeBase58(key), WALLET_LAMPORTS),
      ...mints.map((mint) => walletTokens(key, mint, WALLET_TOKENS, rentExempt)),
    ]),
  ]
}

export function walletTokens(
  wallet: Uint8Array,
  mint: SampleMint,
  amount: bigint,
  rentExempt: RentExempt,
): Account {
  const pubkey = encodeBase58(walletTokenAddress(wallet, mint))
  return tokenAccount({ pubkey, mint, owner: encodeBase58(wallet), amount }, rentExempt)
}

/**
 * Where a wallet's tokens of one mint are kept; wallets look there and nowhere else. It is the
 * first address, counting down, that is no public key: only the program can sign for it.
 */
export function walletTokenAddress(
  wallet: Uint8Array,
  { program, key }: Pick<SampleMint, 'program' | 'key'>,
): Uint8Array {
  for (let bump = BUMP_MAX; bump >= 0; bump--) {
    const seeds = bytesOf(wallet, decodeBase58(program), key, u8(bump))
    const hash = createHash('sha256').update(seeds).update(ASSOCIATED_TOKEN_PROGRAM)
    const address = new Uint8Array(hash.update('ProgramDerivedAddress').digest())
    if (!isPublicKey(address)) return address
  }
  assert(false, 'half of all addresses are no public keys')
}

function isPublicKey(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true)
    return true
  } catch {
    return false
  }
}

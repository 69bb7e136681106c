import { assert } from '../../../../src/core/errors.ts'
import { decodeKey } from '../../../../src/core/solana/base58.ts'
import { PROGRAM_KEYS } from '../../../../src/core/solana/programs.ts'
import { bytesOf, u8, u16, u32, u64 } from './solana-bytes.ts'
import { type AccountUse, type Instruction, type KeyPair, keyPairOf } from './solana-message.ts'
import { associatedTokenAddress } from './solana-token-address.ts'

/**
 * The wallets that are rich from the beginning. Whoever reads this can make their keys, so
 * whatever is sent to them on a real network is gone.
 */
export const TEST_WALLETS: readonly KeyPair[] = Array.from({ length: 5 }, (_, at) =>
  keyPairOf(`headgate devnet wallet ${at}`),
)

/** A mint of the older token program, and one of the newer with a fee and its own name. */
export const TOKEN_MINT = keyPairOf('headgate devnet mint')
export const TOKEN_2022_MINT = keyPairOf('headgate devnet mint 2022')

/** Pays for airdrops. */
export const FAUCET = keyPairOf('headgate devnet faucet')

export const FAUCET_LAMPORTS = 500_000_000n * 1_000_000_000n
const WALLET_LAMPORTS = 1_000n * 1_000_000_000n
const MINT_DECIMALS = 6
const WALLET_TOKENS = 1_000_000n * 10n ** BigInt(MINT_DECIMALS)

export const ASSOCIATED_TOKEN_PROGRAM = key('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
const COMPUTE_BUDGET_PROGRAM = key('ComputeBudget111111111111111111111111111111')
const { system: SYSTEM, splToken: TOKEN, splToken2022: TOKEN_2022 } = PROGRAM_KEYS

const MINT_BYTES = 82n
/** With the mark of its kind and two extensions: 108 bytes of fees, 64 of where its name is. */
const MINT_2022_BYTES = 165n + 1n + (4n + 108n) + (4n + 64n)
/** The name is written behind them later, for which the account must be able to pay. */
const NAME_LAMPORTS = 5_000_000n

const FEE_BASIS_POINTS = 50
const FEE_MAX = 5_000_000_000n

const NAME = 'Headgate Test'
const SYMBOL = 'HGT'
const NAME_URI = 'https://example.com/headgate-test.json'

/** sha256('spl_token_metadata_interface:initialize_account'), its first 8 bytes. */
const INITIALIZE_METADATA = Buffer.from('d2e11ea258b84d8d', 'hex')

type Step = {
  signers: readonly [KeyPair, ...KeyPair[]]
  instructions: readonly Instruction[]
}

/** The transactions that the ledger begins with; the faucet must have its lamports by then. */
export function genesisSteps(rentExempt: (dataBytes: bigint) => bigint): Step[] {
  const richWallets = TEST_WALLETS.map(({ key }) => transfer(FAUCET.key, key, WALLET_LAMPORTS))
  return [
    { signers: [FAUCET], instructions: richWallets },
    {
      signers: [FAUCET, TOKEN_MINT],
      instructions: [
        createAccount(TOKEN_MINT.key, rentExempt(MINT_BYTES), MINT_BYTES, TOKEN),
        initializeMint(TOKEN, TOKEN_MINT.key),
      ],
    },
    {
      signers: [FAUCET, TOKEN_2022_MINT],
      instructions: [
        createAccount(
          TOKEN_2022_MINT.key,
          rentExempt(MINT_2022_BYTES) + NAME_LAMPORTS,
          MINT_2022_BYTES,
          TOKEN_2022,
        ),
        initializeFees(TOKEN_2022_MINT.key),
        initializeNamePlace(TOKEN_2022_MINT.key),
        initializeMint(TOKEN_2022, TOKEN_2022_MINT.key),
        initializeName(TOKEN_2022_MINT.key),
      ],
    },
    ...TEST_WALLETS.map(
      ({ key }): Step => ({
        signers: [FAUCET],
        instructions: [
          ...tokensFor(key, TOKEN, TOKEN_MINT.key),
          ...tokensFor(key, TOKEN_2022, TOKEN_2022_MINT.key),
        ],
      }),
    ),
  ]
}

export function transfer(from: Uint8Array, to: Uint8Array, lamports: bigint): Instruction {
  const accounts = [signer(from), writes(to)]
  return { program: SYSTEM, accounts, data: bytesOf(u32(2), u64(lamports)) }
}

/** Changes a transaction without an effect, so that two alike are not taken for one. */
export function told(number: number): Instruction {
  return { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: bytesOf(u8(2), u32(number)) }
}

function createAccount(made: Uint8Array, lamports: bigint, space: bigint, owner: Uint8Array) {
  const accounts = [signer(FAUCET.key), signer(made)]
  return { program: SYSTEM, accounts, data: bytesOf(u32(0), u64(lamports), u64(space), owner) }
}

function initializeMint(program: Uint8Array, mint: Uint8Array): Instruction {
  const data = bytesOf(u8(20), u8(MINT_DECIMALS), FAUCET.key, u8(1), FAUCET.key)
  return { program, accounts: [writes(mint)], data }
}

function initializeFees(mint: Uint8Array): Instruction {
  const authority = bytesOf(u8(1), FAUCET.key)
  const fee = bytesOf(u16(FEE_BASIS_POINTS), u64(FEE_MAX))
  const data = bytesOf(u8(26), u8(0), authority, authority, fee)
  return { program: TOKEN_2022, accounts: [writes(mint)], data }
}

function initializeNamePlace(mint: Uint8Array): Instruction {
  const data = bytesOf(u8(39), u8(0), FAUCET.key, mint)
  return { program: TOKEN_2022, accounts: [writes(mint)], data }
}

function initializeName(mint: Uint8Array): Instruction {
  const texts = [NAME, SYMBOL, NAME_URI].flatMap((text) => [u32(text.length), Buffer.from(text)])
  const authority = { key: FAUCET.key }
  const accounts = [writes(mint), authority, { key: mint }, { key: FAUCET.key, signs: true }]
  return { program: TOKEN_2022, accounts, data: bytesOf(INITIALIZE_METADATA, ...texts) }
}

function tokensFor(wallet: Uint8Array, program: Uint8Array, mint: Uint8Array): Instruction[] {
  const account = walletTokenAccount(wallet, program, mint)
  const roles = [signer(FAUCET.key), writes(account), { key: wallet }, { key: mint }]
  const mintRoles = [writes(mint), writes(account), { key: FAUCET.key, signs: true }]
  return [
    {
      program: ASSOCIATED_TOKEN_PROGRAM,
      accounts: [...roles, { key: SYSTEM }, { key: program }],
      data: bytesOf(u8(1)),
    },
    { program, accounts: mintRoles, data: bytesOf(u8(7), u64(WALLET_TOKENS)) },
  ]
}

function walletTokenAccount(wallet: Uint8Array, program: Uint8Array, mint: Uint8Array) {
  return associatedTokenAddress(wallet, program, mint, ASSOCIATED_TOKEN_PROGRAM)
}

function signer(key: Uint8Array): AccountUse {
  return { key, signs: true, writes: true }
}

function writes(key: Uint8Array): AccountUse {
  return { key, writes: true }
}

function key(text: string): Uint8Array {
  const found = decodeKey(text)
  assert(found !== null, 'a program has a key')
  return found
}

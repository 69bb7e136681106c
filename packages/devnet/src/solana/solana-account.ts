import { base58 } from '@scure/base'

export type Commitment = 'processed' | 'confirmed' | 'finalized'

/** An account as the ledger holds it. Keys are the texts that everybody knows them by. */
export type Account = {
  pubkey: string
  owner: string
  lamports: bigint
  rentEpoch: bigint
  executable: boolean
  data: Uint8Array
}

/** The lamports that an account of so many bytes must have to be exempt from rent. */
export type RentExempt = (dataBytes: bigint) => bigint

export const PROGRAMS = {
  system: '11111111111111111111111111111111',
  sysvar: 'Sysvar1111111111111111111111111111111111111',
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  associatedToken: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  addressLookupTable: 'AddressLookupTab1e1111111111111111111111111',
  computeBudget: 'ComputeBudget111111111111111111111111111111',
  memo: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
} as const

/** The rent of an account that is exempt from it, as a cluster writes it. */
const RENT_EXEMPT_EPOCH = 18_446_744_073_709_551_615n

/** The two programs of which a node leaves out the accounts that do not parse. */
export function isTokenProgram(program: string): boolean {
  return program === PROGRAMS.token || program === PROGRAMS.token2022
}

export const { encode: encodeBase58, decode: decodeBase58 } = base58

/** An account with data of this program; a wallet is one of the system program without data. */
export function newAccount(
  pubkey: string,
  lamports: bigint,
  owner: string = PROGRAMS.system,
  data: Uint8Array = new Uint8Array(),
): Account {
  return { pubkey, owner, lamports, rentEpoch: RENT_EXEMPT_EPOCH, executable: false, data }
}

/** The address that belongs to a phrase: nobody has its key, and everybody can name it. */
export function sampleKey(phrase: string): string {
  return encodeBase58(Bun.SHA256.hash(`headgate devnet ${phrase}`) as Uint8Array)
}

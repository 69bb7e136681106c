import type { Account } from '../../../../../src/core/solana/account.ts'
import { PROGRAM_KEYS } from '../../../../../src/core/solana/programs.ts'

/** The lamports that an account of so many bytes must have to be exempt from rent. */
export type RentExempt = (dataBytes: bigint) => bigint

/** The rent of an account that is exempt from it, as a cluster writes it. */
export const RENT_EXEMPT_EPOCH = 18_446_744_073_709_551_615n

/** The address that belongs to a phrase: nobody has its key, and everybody can name it. */
export function sampleKey(phrase: string): Uint8Array {
  const key = new Uint8Array(32)
  Bun.SHA256.hash(`headgate devnet ${phrase}`, key)
  return key
}

/** A wallet of the system program. */
export function walletAccount(pubkey: Uint8Array, lamports: bigint): Account {
  return {
    pubkey,
    owner: PROGRAM_KEYS.system,
    lamports,
    rentEpoch: RENT_EXEMPT_EPOCH,
    executable: false,
    data: new Uint8Array(),
  }
}

import type { Account } from '../../../../../src/core/solana/account.ts'
import { PROGRAM_KEYS } from '../../../../../src/core/solana/programs.ts'
import { bytesOf, u8, u32, u64 } from '../solana-bytes.ts'
import { RENT_EXEMPT_EPOCH, type RentExempt, sampleKey } from './wallet-account.ts'

/** The states that a stake account goes through. */
const STATES = ['delegated', 'delegated', 'deactivating', 'initialized'] as const

const STAKE_BYTES = 200
const NONCE_BYTES = 80
const INITIALIZED = 1
const DELEGATED = 2
const NEVER = 2n ** 64n - 1n
const SOL = 1_000_000_000n
const LAMPORTS_PER_SIGNATURE = 5_000n

/** The rate at which stake warmed up once: 0.25 as a double. */
const WARMUP_RATE = new Uint8Array(Float64Array.of(0.25).buffer)

/** Whom all of it is delegated to. It has no account: nobody votes on this ledger. */
const VOTER = sampleKey('vote account')

/** The bytes of a nonce account where its blockhash stands. */
const NONCE_AT = 40

/**
 * The stake account with this number. Every state is met among any four in a row; `step` moves
 * it on to the next.
 */
export function stakeAccount(
  number: number,
  step: number,
  epoch: bigint,
  rentExempt: RentExempt,
): Account {
  const state = STATES[(number + step) % STATES.length]
  const authority = sampleKey(`holder ${number}`)
  const reserve = rentExempt(BigInt(STAKE_BYTES))
  const stake = BigInt(1 + ((number * 37) % 900)) * SOL
  const lockup = bytesOf(u64(0n), u64(0n), new Uint8Array(32))
  const meta = bytesOf(u64(reserve), authority, authority, lockup)
  const began = epoch - BigInt(1 + (number % 5))
  const ends = state === 'deactivating' ? epoch : NEVER
  const delegation = bytesOf(VOTER, u64(stake), u64(began), u64(ends), WARMUP_RATE, u64(0n), u8(0))
  const isDelegated = state !== 'initialized'
  const data = new Uint8Array(STAKE_BYTES)
  data.set(
    isDelegated ? bytesOf(u32(DELEGATED), meta, delegation) : bytesOf(u32(INITIALIZED), meta),
  )
  return {
    pubkey: sampleKey(`stake account ${number}`),
    owner: PROGRAM_KEYS.stake,
    lamports: reserve + stake,
    rentEpoch: RENT_EXEMPT_EPOCH,
    executable: false,
    data,
  }
}

/** The nonce account with this number. */
export function nonceAccount(number: number, nonce: Uint8Array, rentExempt: RentExempt): Account {
  const head = bytesOf(u32(1), u32(INITIALIZED), sampleKey(`holder ${number}`))
  return {
    pubkey: sampleKey(`nonce account ${number}`),
    owner: PROGRAM_KEYS.system,
    lamports: rentExempt(BigInt(NONCE_BYTES)),
    rentEpoch: RENT_EXEMPT_EPOCH,
    executable: false,
    data: bytesOf(head, nonce, u64(LAMPORTS_PER_SIGNATURE)),
  }
}

export function withNonce(account: Account, nonce: Uint8Array): Account {
  const data = new Uint8Array(account.data)
  data.set(nonce, NONCE_AT)
  return { ...account, data }
}

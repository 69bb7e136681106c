import { createHash } from 'node:crypto'
import { rawElements } from '../../../../../src/core/json/json-scan.ts'
import type { Account, SolanaError } from '../../../../../src/core/solana/account.ts'
import { encodeKey } from '../../../../../src/core/solana/base58.ts'
import { PROGRAM_KEYS } from '../../../../../src/core/solana/programs.ts'
import {
  isSequence,
  readBoolean,
  readUnsigned,
  wrongType,
} from '../../../../../src/core/solana/reply/node-values.ts'
import {
  invalidParams,
  isSolanaError,
  solanaError,
} from '../../../../../src/core/solana/solana-error.ts'
import type { SolanaChain } from '../solana-chain.ts'
import { TEST_WALLETS, TOKEN_MINT } from '../solana-genesis.ts'
import {
  type MethodTable,
  membersOf,
  type Params,
  readKeyParam,
  readKeysParam,
} from './solana-method.ts'
import { PACE_METHODS } from './solana-pace-methods.ts'

/** Methods that no node has: for tests, they change the ledger on command, past all rules. */
export const CONTROL_METHODS: MethodTable = {
  ...PACE_METHODS,
  headgate_setAccounts: { min: 1, max: 1, answer: setAccounts },
  headgate_removeAccounts: { min: 1, max: 1, answer: removeAccounts },
  headgate_churn: { min: 1, max: 1, answer: churn },
  headgate_advanceSlots: { min: 1, max: 1, answer: advanceSlots },
}

/** Bodies are bounded, so this only keeps a slip from taking minutes. */
const ACCOUNTS_MAX = 100_000
const SLOTS_MAX = 1_000

const RENT_EXEMPT_EPOCH = 18_446_744_073_709_551_615n

const TOKEN_ACCOUNT_BYTES = 165
const OWNER_AT = 32
const AMOUNT_AT = 64
const STATE_AT = 108
const INITIALIZED = 1

type Members = ReadonlyMap<string, string>

/** `[{pubkey, lamports, owner, data, executable?, rentEpoch?}, …]`, the data in base64. */
function setAccounts(chain: SolanaChain, [listText = '']: Params): string | SolanaError {
  if (!isSequence(listText)) return wrongType(listText, 'a sequence')
  const accounts: Account[] = []
  for (const element of rawElements(listText).slice(0, ACCOUNTS_MAX + 1)) {
    const account = readAccount(element)
    if (isSolanaError(account)) return account
    accounts.push(account)
  }
  if (accounts.length > ACCOUNTS_MAX) {
    return invalidParams(`Too many inputs provided; max ${ACCOUNTS_MAX}`)
  }
  return putAll(chain, accounts) ?? `${chain.slots.now}`
}

function removeAccounts(chain: SolanaChain, [listText = '']: Params): string | SolanaError {
  const keys = readKeysParam(listText, ACCOUNTS_MAX)
  if (isSolanaError(keys)) return keys
  return putAll(chain, keys.map(closed)) ?? `${chain.slots.now}`
}

/**
 * `[{program, create?, change?, close?}]`: makes, changes and closes so many accounts of a
 * program, each of them shaped like a token account, and says which.
 */
function churn(chain: SolanaChain, [configText]: Params): string | SolanaError {
  const members = membersOf(configText, 'ChurnConfig')
  if (isSolanaError(members)) return members
  const program = readKeyParam(members.get('program'))
  if (isSolanaError(program)) return program
  const counts: number[] = []
  for (const name of ['create', 'change', 'close']) {
    const count = readUnsigned(members.get(name) ?? '0', 'usize')
    if (isSolanaError(count)) return count
    if (count > BigInt(ACCOUNTS_MAX)) return invalidParams(`${name}: max ${ACCOUNTS_MAX}`)
    counts.push(Number(count))
  }
  const [create = 0, change = 0, close = 0] = counts

  // Whatever has another length, such as a mint, is somebody else's.
  const there = chain.history
    .ofProgram(program, chain.slots.now)
    .filter(({ data }) => data.length === TOKEN_ACCOUNT_BYTES)
  const picked = Array.from({ length: Math.min(change + close, there.length) }, () => {
    const [one] = there.splice(nextNumber() % there.length, 1)
    return one!
  })
  const changed = picked.slice(close).map(({ pubkey }) => madeUp(pubkey, program))
  const gone = picked.slice(0, close).map(({ pubkey }) => closed(pubkey))
  const created = Array.from({ length: create }, () => madeUp(nextBytes(), program))
  const fault = putAll(chain, [...created, ...changed, ...gone])
  const keys = (accounts: readonly Account[]) => accounts.map(({ pubkey }) => encodeKey(pubkey))
  const lists = { created: keys(created), changed: keys(changed), closed: keys(gone) }
  return fault ?? JSON.stringify({ slot: chain.slots.now, ...lists })
}

function advanceSlots(chain: SolanaChain, [countText = '']: Params): string | SolanaError {
  const count = readUnsigned(countText, 'usize')
  if (isSolanaError(count)) return count
  if (count > BigInt(SLOTS_MAX)) return invalidParams(`Too many slots; max ${SLOTS_MAX}`)
  for (let slot = 0n; slot < count; slot++) chain.advance()
  return `${chain.slots.now}`
}

function putAll(chain: SolanaChain, accounts: readonly Account[]): SolanaError | null {
  for (const account of accounts) {
    const fault = chain.put(account)
    if (fault !== null) return solanaError(-32602, `${encodeKey(account.pubkey)}: ${fault}`)
  }
  return null
}

function readAccount(text: string): Account | SolanaError {
  const members = membersOf(text, 'Account')
  if (isSolanaError(members)) return members
  const pubkey = readKeyParam(members.get('pubkey'))
  if (isSolanaError(pubkey)) return pubkey
  const owner = readKeyParam(members.get('owner'))
  if (isSolanaError(owner)) return owner
  const lamports = readUnsigned(members.get('lamports') ?? 'null', 'u64')
  if (isSolanaError(lamports)) return lamports
  const rentEpoch = readUnsigned(members.get('rentEpoch') ?? `${RENT_EXEMPT_EPOCH}`, 'u64')
  if (isSolanaError(rentEpoch)) return rentEpoch
  const executable = readBoolean(members.get('executable') ?? 'false')
  if (isSolanaError(executable)) return executable
  const data = readData(members)
  if (isSolanaError(data)) return data
  return { pubkey, owner, lamports, rentEpoch, executable, data }
}

function readData(members: Members): Uint8Array | SolanaError {
  const text = members.get('data') ?? '""'
  try {
    return Uint8Array.fromBase64(JSON.parse(text))
  } catch {
    return wrongType(text, 'a string in base64', 'data')
  }
}

function closed(pubkey: Uint8Array): Account {
  const owner = PROGRAM_KEYS.system
  return { pubkey, owner, lamports: 0n, rentEpoch: 0n, executable: false, data: new Uint8Array() }
}

function madeUp(pubkey: Uint8Array, owner: Uint8Array): Account {
  const data = new Uint8Array(TOKEN_ACCOUNT_BYTES)
  data.set(TOKEN_MINT.key)
  data.set(TEST_WALLETS[nextNumber() % TEST_WALLETS.length]!.key, OWNER_AT)
  data.set(nextBytes().subarray(0, 8), AMOUNT_AT)
  data[STATE_AT] = INITIALIZED
  const lamports = 2_039_280n
  return { pubkey, owner, lamports, rentEpoch: RENT_EXEMPT_EPOCH, executable: false, data }
}

/** Looks like chance and is the same in every ledger. */
let drawn = 0

function nextBytes(): Uint8Array {
  drawn++
  return new Uint8Array(createHash('sha256').update(`headgate churn ${drawn}`).digest())
}

function nextNumber(): number {
  return Buffer.from(nextBytes()).readUInt32LE()
}

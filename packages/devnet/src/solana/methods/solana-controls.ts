import type { SolanaDevnetPace, SolanaDevnetState } from '../../devnet-control.ts'
import { type Account, newAccount } from '../solana-account.ts'
import type { SolanaChain } from '../solana-chain.ts'
import {
  type Config,
  configOf,
  invalidParams,
  type MethodTable,
  type Params,
  readKey,
  readList,
  readText,
  readWhole,
} from './solana-method.ts'

/** Methods that no node has: for Headgate's controls and for tests, past all rules. */
export const CONTROL_METHODS: MethodTable = {
  headgate_setPace: { min: 1, max: 1, answer: setPace },
  headgate_setAccounts: { min: 1, max: 1, answer: setAccounts },
  headgate_advanceSlots: { min: 1, max: 1, answer: advanceSlots },
}

/** Bodies are bounded, so this only keeps a slip from taking minutes. */
const ACCOUNTS_MAX = 100_000
const SLOTS_MAX = 1_000

/** `[{slotTimeMs?, isHeld?, changesPerSlot?}]`, checked before; changes what is named. */
function setPace({ activity, slots, transactions }: SolanaChain, [given]: Params) {
  const wanted = configOf(given) as Partial<SolanaDevnetPace>
  if (Object.keys(wanted).length > 0) activity.change(wanted)
  const state: SolanaDevnetState = {
    ...activity.pace,
    slot: slots.now,
    blockHeight: slots.heightOf(slots.now),
    tokenAccounts: activity.tokenAccounts(),
    transactions: transactions.count,
  }
  return state
}

/** `[{pubkey, lamports, owner, data}, …]`, the data in base64; without lamports it is closed. */
function setAccounts(chain: SolanaChain, [list]: Params): number {
  for (const account of readList(list, ACCOUNTS_MAX).map(configOf).map(readAccount)) {
    const fault = chain.accounts.put(account)
    if (fault !== null) throw invalidParams(`${account.pubkey}: ${fault}`)
  }
  return chain.slots.now
}

function readAccount({ pubkey, owner, lamports, data = '' }: Config): Account {
  const text = readText(data)
  return newAccount(readKey(pubkey), readWhole(lamports), readKey(owner), readBase64(text))
}

function readBase64(text: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(text)
  } catch {
    throw invalidParams('data must be a string in base64')
  }
}

function advanceSlots(chain: SolanaChain, [given]: Params): number {
  const count = readWhole(given)
  if (count > BigInt(SLOTS_MAX)) throw invalidParams(`Too many slots; max ${SLOTS_MAX}`)
  for (let slot = 0n; slot < count; slot++) chain.advance()
  return chain.slots.now
}

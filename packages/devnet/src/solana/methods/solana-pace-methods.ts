import type { SolanaError } from '../../../../../src/core/solana/account.ts'
import { readBoolean, readUnsigned } from '../../../../../src/core/solana/reply/node-values.ts'
import { invalidParams, isSolanaError } from '../../../../../src/core/solana/solana-error.ts'
import {
  SOLANA_DEVNET_LIMITS,
  type SolanaDevnetState,
} from '../../../../../src/ports/local/solana-devnet-control.ts'
import type { PaceState } from '../activity/activity.ts'
import type { SolanaChain } from '../solana-chain.ts'
import { type MethodTable, membersOf, type Params } from './solana-method.ts'

/** How fast the ledger lives, to be seen and to be changed while it does. */
export const PACE_METHODS: MethodTable = {
  headgate_setPace: { min: 1, max: 1, answer: setPace },
}

const { slotTimeMsMin, slotTimeMsMax, changesPerSlotMax } = SOLANA_DEVNET_LIMITS

/** `[{slotTimeMs?, isHeld?, changesPerSlot?}]`: all that is named is changed, or nothing. */
function setPace(chain: SolanaChain, [configText]: Params): string | SolanaError {
  const members = membersOf(configText, 'PaceConfig')
  if (isSolanaError(members)) return members
  const slotTimeMs = wholeIn(members, 'slotTimeMs', slotTimeMsMin, slotTimeMsMax)
  if (isSolanaError(slotTimeMs)) return slotTimeMs
  const changesPerSlot = wholeIn(members, 'changesPerSlot', 0, changesPerSlotMax)
  if (isSolanaError(changesPerSlot)) return changesPerSlot
  const heldText = members.get('isHeld')
  const isHeld = heldText === undefined ? null : readBoolean(heldText)
  if (isSolanaError(isHeld)) return isHeld
  const wanted: Partial<PaceState> = {
    ...(slotTimeMs !== null && { slotTimeMs }),
    ...(changesPerSlot !== null && { changesPerSlot }),
    ...(isHeld !== null && { isHeld }),
  }
  if (Object.keys(wanted).length > 0) chain.activity.change(wanted)
  return stateText(chain)
}

function stateText({ activity, slots, transactions }: SolanaChain): string {
  const state: SolanaDevnetState = {
    ...activity.pace,
    slot: slots.now,
    blockHeight: slots.heightOf(slots.now),
    tokenAccounts: activity.tokenAccounts(),
    transactions: transactions.count,
  }
  return JSON.stringify(state)
}

/** Null: it is to stay as it is. */
function wholeIn(
  members: ReadonlyMap<string, string>,
  name: string,
  min: number,
  max: number,
): number | null | SolanaError {
  const text = members.get(name)
  if (text === undefined) return null
  const value = readUnsigned(text, 'u64')
  if (isSolanaError(value)) return value
  if (value < BigInt(min) || value > BigInt(max)) {
    return invalidParams(`${name} must be from ${min} to ${max}`)
  }
  return Number(value)
}

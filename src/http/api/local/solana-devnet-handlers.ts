import type { SolanaDevnetControl, SolanaDevnetState } from '@headgate/devnet'
import { assert, Rejection } from '../../../core/errors.ts'
import type { WireSolanaDevnet } from '../../contract/contract.ts'
import type { Handler } from '../calls/handler.ts'

/** The ledger of local development; null elsewhere, where there is no route to these calls. */
type SolanaDevnetNeeds = { local: { solanaDevnet: SolanaDevnetControl<Rejection> } | null }

const getSolanaDevnet: Handler<'getSolanaDevnet', SolanaDevnetNeeds> = async (needs) => {
  const ledger = ledgerOf(needs)
  return shown(ledger, await ledger.state())
}

const changeSolanaDevnet: Handler<'changeSolanaDevnet', SolanaDevnetNeeds> = async (
  needs,
  { body },
) => {
  const ledger = ledgerOf(needs)
  const { slot_time_ms, is_held, changes_per_slot } = body
  const state = await ledger.change({
    ...(slot_time_ms !== undefined && { slotTimeMs: slot_time_ms }),
    ...(is_held !== undefined && { isHeld: is_held }),
    ...(changes_per_slot !== undefined && { changesPerSlot: changes_per_slot }),
  })
  return shown(ledger, state)
}

/** The calls of the embedded Solana ledger. */
export const SOLANA_DEVNET_HANDLERS = { getSolanaDevnet, changeSolanaDevnet }

function ledgerOf({ local }: SolanaDevnetNeeds): SolanaDevnetControl<Rejection> {
  assert(local !== null, 'calls of local development have no route elsewhere')
  return local.solanaDevnet
}

function shown({ network }: SolanaDevnetControl<Rejection>, state: SolanaDevnetState | Rejection) {
  if (state instanceof Rejection) return state
  const data: WireSolanaDevnet = {
    network,
    slot: state.slot,
    block_height: state.blockHeight,
    slot_time_ms: state.slotTimeMs,
    is_held: state.isHeld,
    changes_per_slot: state.changesPerSlot,
    token_accounts: state.tokenAccounts,
    transactions: state.transactions,
  }
  return { data }
}

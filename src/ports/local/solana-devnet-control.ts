import type { Rejection } from '../../core/errors.ts'

export const SOLANA_DEVNET_LIMITS = {
  slotTimeMsMin: 10,
  slotTimeMsMax: 600_000,
  /** Accounts that change in one slot. */
  changesPerSlotMax: 5_000,
} as const

type SolanaDevnetPace = { slotTimeMs: number; isHeld: boolean; changesPerSlot: number }

export type SolanaDevnetState = SolanaDevnetPace & {
  /** The slot that is being filled. */
  slot: number
  blockHeight: number
  /** The token accounts that change by themselves. */
  tokenAccounts: number
  /** Since the ledger began. */
  transactions: number
}

/** The ledger of local development, as those see it who change how fast it lives. */
export interface SolanaDevnetControl {
  network: string
  state(): Promise<SolanaDevnetState | Rejection>
  /** Changes what is named and leaves the rest. */
  change(wanted: Partial<SolanaDevnetPace>): Promise<SolanaDevnetState | Rejection>
}

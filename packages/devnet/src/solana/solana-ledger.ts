import { fileURLToPath } from 'node:url'
import { assert } from '../../../../src/core/errors.ts'
import type { Clock } from '../../../../src/ports/clock.ts'
import { type ChainChild, startChainChild } from '../chain-child.ts'
import { GENESIS_HASH } from './solana-asleep.ts'

type Options = {
  clock: Clock
  /** 0: slots only on command (`headgate_advanceSlots`). */
  slotTimeMs: number
  /** How many token accounts a new ledger has beside the documented ones; none unless said. */
  tokenAccounts?: number
  /** How many accounts change by themselves in each slot; none unless said. */
  changesPerSlot?: number
  /** Where the ledger is kept; without it, it ends with its process. */
  folder?: string
}

export type SolanaLedger = ChainChild & { genesisHash: string }

const PROCESS_FILE = fileURLToPath(new URL('./solana-ledger-process.ts', import.meta.url))

/** Starts a real Solana ledger in a child process. */
export async function startSolanaLedger(options: Options): Promise<SolanaLedger> {
  const { clock, slotTimeMs, tokenAccounts = 0, changesPerSlot = 0, folder = '' } = options
  for (const number of [slotTimeMs, tokenAccounts, changesPerSlot]) {
    assert(Number.isSafeInteger(number) && number >= 0, 'times and counts are whole numbers')
  }
  const args = [slotTimeMs, tokenAccounts, changesPerSlot, folder]
  const child = await startChainChild(clock, PROCESS_FILE, args)
  return { ...child, genesisHash: GENESIS_HASH }
}

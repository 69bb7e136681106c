import { fileURLToPath } from 'node:url'
import { assert } from '../assert.ts'
import { type ChainChild, startChainChild } from '../chain-child.ts'
import type { Clock } from '../clock.ts'
import { GENESIS_HASH } from './solana-asleep.ts'

type Options = {
  clock: Clock
  /** 0: slots only on command (`headgate_advanceSlots`). */
  slotTimeMs: number
  /** Token accounts that the ledger begins with beside the documented ones; none unless said. */
  tokenAccounts?: number
  /** How many accounts change by themselves in each slot; none unless said. */
  changesPerSlot?: number
}

export type SolanaLedger = ChainChild & { genesisHash: string }

const PROCESS_FILE = fileURLToPath(new URL('./solana-ledger-process.ts', import.meta.url))

export async function startSolanaLedger(options: Options): Promise<SolanaLedger> {
  const { clock, slotTimeMs, tokenAccounts = 0, changesPerSlot = 0 } = options
  for (const number of [slotTimeMs, tokenAccounts, changesPerSlot]) {
    assert(Number.isSafeInteger(number) && number >= 0, 'times and counts are whole numbers')
  }
  const args = [slotTimeMs, tokenAccounts, changesPerSlot]
  const child = await startChainChild(clock, PROCESS_FILE, args)
  return { ...child, genesisHash: GENESIS_HASH }
}

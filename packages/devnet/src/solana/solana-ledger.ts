import { fileURLToPath } from 'node:url'
import { assert } from '../../../../src/core/errors.ts'
import type { Clock } from '../../../../src/ports/clock.ts'
import { type ChainChild, startChainChild } from '../chain-child.ts'
import { GENESIS_HASH } from './solana-asleep.ts'

type Options = {
  clock: Clock
  /** 0: slots only on command (`headgate_advanceSlots`). */
  slotTimeMs: number
}

export type SolanaLedger = ChainChild & { genesisHash: string }

const PROCESS_FILE = fileURLToPath(new URL('./solana-ledger-process.ts', import.meta.url))

/** Starts a real Solana ledger in a child process. */
export async function startSolanaLedger({ clock, slotTimeMs }: Options): Promise<SolanaLedger> {
  assert(Number.isSafeInteger(slotTimeMs) && slotTimeMs >= 0, 'a slot time in whole ms')
  const child = await startChainChild(clock, PROCESS_FILE, [slotTimeMs])
  return { ...child, genesisHash: GENESIS_HASH }
}

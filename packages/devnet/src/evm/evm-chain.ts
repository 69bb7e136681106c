import { fileURLToPath } from 'node:url'
import { assert } from '../assert.ts'
import { type ChainChild, startChainChild } from '../chain-child.ts'
import type { Clock } from '../clock.ts'

type Options = {
  clock: Clock
  /** 0: blocks only on command (`evm_mine`). */
  blockTimeMs: number
  /** Transactions of the chain's own in each block. */
  transactionsPerBlock?: number
  chainId?: number
  /** The rules of a chain in memory, such as `Amsterdam`; today's fork by default. */
  hardfork?: string
  /** The chain goes on from what is kept there; without one it is in memory alone. */
  folder?: string
}

export type EvmChain = ChainChild & { chainId: number }

/** The id that development chains use, so that wallets know it for one. */
const DEVELOPMENT_CHAIN_ID = 31_337

const PROCESS_FILE = fileURLToPath(new URL('./evm-chain-process.ts', import.meta.url))

export async function startEvmChain({
  clock,
  blockTimeMs,
  transactionsPerBlock = 0,
  chainId = DEVELOPMENT_CHAIN_ID,
  hardfork = '',
  folder,
}: Options): Promise<EvmChain> {
  assert(Number.isSafeInteger(blockTimeMs) && blockTimeMs >= 0, 'a block time in whole ms')
  assert(Number.isSafeInteger(chainId) && chainId > 0, 'a chain id above zero')
  const child = await startChainChild(clock, PROCESS_FILE, [
    blockTimeMs,
    chainId,
    transactionsPerBlock,
    hardfork,
    ...(folder === undefined ? [] : [folder]),
  ])
  return { ...child, chainId }
}

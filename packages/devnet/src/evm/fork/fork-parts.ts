import type { Clock } from '../../clock.ts'
import type { Entropy } from '../../entropy.ts'
import type { ReadWriteLock } from '../../evm/fork/read-write-lock.ts'
import { openTraffic, type Traffic } from '../traffic/traffic.ts'
import { type BlockHistory, openBlockHistory } from './block-history.ts'
import { type ChainPast, type Checkpoints, openCheckpoints } from './checkpoints.ts'
import { type IntervalMining, openIntervalMining } from './interval-mining.ts'
import { type Miner, openMiner } from './miner.ts'
import type { RawChain, RawTransaction } from './raw-chain.ts'
import { openSentTransactions, type SentTransactions } from './sent-transactions.ts'

export type ForkNeeds = {
  chain: RawChain
  clock: Clock
  entropy: Entropy
  /** Null for a chain in memory alone. */
  past: ChainPast | null
  memoryBytes(): number
}

/** The parts that a chain with forks is made of. Whoever uses them holds the lock. */
export type ForkParts = ForkNeeds & {
  checkpoints: Checkpoints
  history: BlockHistory
  miner: Miner
  sent: SentTransactions
  interval: IntervalMining
  traffic: Traffic
  automine: {
    /** Every transaction is mined at once. */
    isOn: boolean
  }
}

/** `blockTimeMs` 0: blocks only on command. */
export type ChainPace = { blockTimeMs: number; transactionsPerBlock: number }

export function openForkParts(
  needs: ForkNeeds,
  lock: ReadWriteLock,
  { blockTimeMs, transactionsPerBlock }: ChainPace,
): ForkParts {
  const { chain, clock, entropy, past } = needs
  const checkpoints = openCheckpoints(chain, past)
  const automine = { isOn: false }
  const isAutomining = () => automine.isOn
  const traffic = openTraffic({ ...needs, isAutomining }, transactionsPerBlock)
  const miner = openMiner({ chain, checkpoints, traffic, clock })
  // A block that could not be mined is tried again when the next one is due.
  const mine = () => lock.exclusive(mineNext).catch(() => {})
  const mineNext = async () => {
    await miner.mine(1)
    await renewChain(parts)
  }
  const interval = { minMs: blockTimeMs, maxMs: blockTimeMs }
  const parts = {
    ...needs,
    checkpoints,
    miner,
    history: openBlockHistory(chain, clock),
    sent: openSentTransactions(chain, past?.signed),
    interval: openIntervalMining({ clock, entropy, mine }, interval),
    traffic,
    automine,
  }
  return parts
}

type Parts = {
  chain: RawChain
  checkpoints: Checkpoints
  past: ChainPast | null
  sent: SentTransactions
  automine: { isOn: boolean }
}

/**
 * Begins a chain anew at its head when that is due. The chain has all that it ever mined in
 * memory, gigabytes after a day; begun anew it has it in the archive. Nobody loses a snapshot by
 * it. Whoever calls it keeps everybody else from the chain meanwhile.
 */
async function renewChain(parts: Parts): Promise<void> {
  const { chain, checkpoints, past, sent, automine } = parts
  if (past === null || checkpoints.hasSnapshots() || !past.isRenewalDue()) return

  const waiting = await chain.result<RawTransaction[]>('eth_pendingTransactions')
  await checkpoints.goBack(Number(await chain.result<string>('eth_blockNumber')))
  for (const transaction of waiting) await sent.resend(transaction)
  if (automine.isOn) await chain.result('evm_setAutomine', true)
}

import type { Clock } from '../../clock.ts'
import type { Entropy } from '../../entropy.ts'
import { openTraffic } from '../traffic/traffic.ts'
import { openBlockHistory } from './block-history.ts'
import { type ChainPast, openCheckpoints } from './checkpoints.ts'
import { openIntervalMining } from './interval-mining.ts'
import { openMiner } from './miner.ts'
import type { RawChain, RawTransaction } from './raw-chain.ts'
import type { ReadWriteLock } from './read-write-lock.ts'
import { openSentTransactions } from './sent-transactions.ts'

export type ForkOptions = {
  chain: RawChain
  clock: Clock
  entropy: Entropy
  /** Null for a chain in memory alone. */
  past: ChainPast | null
  memoryBytes(): number
  chainId: number
  /** 0: blocks only on command. */
  blockTimeMs: number
  transactionsPerBlock: number
}

/** The parts that a chain with forks is made of. Whoever uses them holds the lock. */
export type ForkParts = ReturnType<typeof openForkParts>

export function openForkParts(options: ForkOptions, lock: ReadWriteLock) {
  const { chain, clock, entropy, past, blockTimeMs } = options
  const checkpoints = openCheckpoints(chain, past)
  const sent = openSentTransactions(chain, past?.signed)
  /** Every transaction is mined at once. */
  const automine = { isOn: false }
  const traffic = openTraffic({ ...options, isAutomining: () => automine.isOn })
  const miner = openMiner({ chain, checkpoints, traffic, clock })

  /** The chain has all that it mined in memory; begun anew at its head, it reads the archive. */
  const renew = async () => {
    if (past === null || checkpoints.hasSnapshots() || !past.isRenewalDue()) return
    const waiting = await chain.result<RawTransaction[]>('eth_pendingTransactions')
    await checkpoints.goBack(Number(await chain.result<string>('eth_blockNumber')))
    await sent.resend(waiting)
    if (automine.isOn) await chain.result('evm_setAutomine', true)
  }
  const mineNext = async () => {
    await miner.mine(1)
    await renew()
  }
  // A block that could not be mined is tried again when the next one is due.
  const mine = () => lock.exclusive(mineNext).catch(() => {})
  const first = { minMs: blockTimeMs, maxMs: blockTimeMs }
  const interval = openIntervalMining({ clock, entropy, mine }, first)
  const history = openBlockHistory(chain, clock)
  return { ...options, checkpoints, sent, automine, traffic, miner, interval, history }
}

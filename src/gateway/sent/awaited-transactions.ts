import type { SentChange } from '../../tables/sent/sent-transactions.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { type Awaited, checkTransactions } from './check-transactions.ts'

/** The transactions of one network that wait to be mined. */
export type AwaitedTransactions = {
  readonly size: number
  /** How many more can be followed. */
  readonly room: number
  /** False where as many are followed as can be. */
  add(hash: string, seenAtMs: number): boolean
  /** Asks about those that were not asked about for longest; what became of them is told. */
  check(): Promise<SentChange[]>
}

/** Transactions that are followed at once, and asked about in one round. */
const AWAITED_MAX = 5000
const ROUND_MAX = 500

export function openAwaitedTransactions(
  service: Pick<NetworkService, 'pool' | 'methods'>,
): AwaitedTransactions {
  const awaited = new Map<string, Awaited>()
  return {
    get size() {
      return awaited.size
    },
    get room() {
      return AWAITED_MAX - awaited.size
    },
    add(hash, seenAtMs) {
      if (awaited.has(hash)) return true
      if (awaited.size >= AWAITED_MAX) return false
      // A pool is not looked into for what it has just been given.
      const lookedAtMs = service.pool.clock.nowMs()
      awaited.set(hash, { hash, seenAtMs, lookedAtMs, sender: null, replacedRounds: 0 })
      return true
    },
    async check() {
      const round = [...awaited.values()].slice(0, ROUND_MAX)
      const changes = await checkTransactions(service, round)
      for (const one of round) {
        awaited.delete(one.hash)
        awaited.set(one.hash, one)
      }
      for (const { hash } of changes) awaited.delete(hash)
      return changes
    },
  }
}

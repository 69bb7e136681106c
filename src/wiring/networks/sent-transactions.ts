import {
  followTransactions,
  type TransactionTracker,
} from '../../gateway/sent/follow-transactions.ts'
import { pruneSent } from '../../tables/sent/sent-transactions.ts'
import type { Drivers } from '../drivers.ts'
import type { NetworkSet } from './network-set.ts'
import { perNetwork } from './per-network.ts'

const DAY_MS = 86_400_000

/** The log of an app keeps this much. */
const KEPT_MS = 7 * DAY_MS
const KEPT_PER_APP_MAX = 10_000

const PRUNE_EVERY_MS = 600_000

/** Follows what apps send to each EVM network that is served, through reloads too. */
export function openSentTransactions(
  { clock, database, entropy, telemetry }: Drivers,
  networks: NetworkSet,
): { stop(): Promise<void> } {
  const holder = `sender_${entropy.alphanumeric(16)}`
  const needs = { clock, database, telemetry, holder }
  const trackers = perNetwork<TransactionTracker>(telemetry, networks, {
    kind: 'evm',
    failedEvent: 'sent_transactions_unavailable',
    open: (service) => followTransactions(needs, service),
    close: (tracker) => tracker.stop(),
  })
  const stopPruning = clock.every(PRUNE_EVERY_MS, () => {
    const limits = { beforeMs: clock.nowMs() - KEPT_MS, perAppMax: KEPT_PER_APP_MAX }
    // A store that is away is asked again with the next round.
    pruneSent(database, limits).catch(() => {})
  })
  return {
    async stop() {
      stopPruning()
      await trackers.stop()
    },
  }
}

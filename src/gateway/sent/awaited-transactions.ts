import type { SentChange } from '../../tables/sent/sent-transactions.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { type Awaited, checkTransactions } from './check-transactions.ts'

/** The transactions of one network that wait to be mined. */
export type AwaitedTransactions = {
  readonly size: number
  /** How many more can be followed. */
  readonly room: number
  /** False where as many are followed as can be, or as one app may have. */
  add(sent: Sent): boolean
  /** Asks about those that were not asked about for longest; what became of them is told. */
  check(): Promise<SentChange[]>
}

type Sent = Pick<Awaited, 'hash' | 'app' | 'seenAtMs' | 'raw'>

/** Transactions that are followed at once, those of one app, and those of one round. */
const AWAITED_MAX = 5000
const AWAITED_PER_APP_MAX = 1000
const ROUND_MAX = 500

export function openAwaitedTransactions(
  service: Pick<NetworkService, 'pool' | 'methods' | 'sent'>,
): AwaitedTransactions {
  const awaited = new Map<string, Awaited>()
  const counts = new Map<string, number>()
  const remove = (hash: string) => {
    const app = awaited.get(hash)?.app ?? null
    awaited.delete(hash)
    if (app === null) return
    const left = (counts.get(app) ?? 0) - 1
    if (left > 0) counts.set(app, left)
    else counts.delete(app)
  }
  return {
    get size() {
      return awaited.size
    },
    get room() {
      return AWAITED_MAX - awaited.size
    },
    add({ hash, app, seenAtMs, raw }) {
      if (awaited.has(hash)) return true
      const ofApp = app === null ? 0 : (counts.get(app) ?? 0)
      if (awaited.size >= AWAITED_MAX || ofApp >= AWAITED_PER_APP_MAX) return false
      if (app !== null) counts.set(app, ofApp + 1)
      // A pool is not looked into for what it has just been given.
      const lookedAtMs = service.pool.clock.nowMs()
      const open = { sender: null, replacedRounds: 0, sentAgainAtMs: seenAtMs }
      awaited.set(hash, { hash, app, seenAtMs, lookedAtMs, raw, ...open })
      return true
    },
    async check() {
      const round = [...awaited.values()].slice(0, ROUND_MAX)
      const changes = await checkTransactions(service, round)
      for (const one of round) {
        awaited.delete(one.hash)
        awaited.set(one.hash, one)
      }
      for (const { hash } of changes) remove(hash)
      return changes
    },
  }
}

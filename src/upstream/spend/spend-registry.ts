import type { UpstreamSpec } from '../../core/network.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { openSpendAccount, type SpendAccount } from './spend-account.ts'
import { openUpstreamSpend, type Spending, type UpstreamSpend } from './upstream-spend.ts'

/** The sum of an account over all processes. */
type AccountSum = { account: string; periodStartMs: number; credits: number }

type RateExchange = {
  took(key: string, hundredths: number, billed: number, perSecond: number | null): void
  subscribe(hear: (key: string, taken: { throughputCentiCu: number }) => void): () => void
}

/**
 * All that this process knows of what upstreams cost. It outlives a reload, so that nothing is
 * forgotten when networks are opened anew.
 */
export type SpendRegistry = {
  /** Null where the upstream has no budget. */
  of(networkId: string, spec: UpstreamSpec): UpstreamSpend | null
  /** The first day of the oldest month that counts now; null where nothing has a budget. */
  periodsFromMs(): number | null
  /** Something was spent that should not wait any longer. */
  isDue(): boolean
  /** All that was spent since it was last taken. */
  take(): Spending[]
  /** The ledger has it. */
  written(spendings: readonly Spending[]): void
  read(sums: readonly AccountSum[]): void
  /** Shares the requests of a second with other processes from here on; returns how to stop. */
  share(exchange: RateExchange): () => void
}

/** Polls spend all the time, and nobody needs that on disk twice a second. */
const TAKEN_EVERY_MS = 2000

const KEY_PREFIX = 'upstream '

/** Limits are exchanged in hundredths. */
const HUNDREDTHS = 100

export function openSpendRegistry(clock: Clock, telemetry: Telemetry): SpendRegistry {
  const accounts = new Map<string, SpendAccount>()
  const spends = new Map<string, UpstreamSpend>()
  let exchange: RateExchange | null = null
  let stopHearing: (() => void) | null = null
  let takenAtMs = clock.monotonicMs()

  const tell = (name: string, perSecond: number | null, requests: number) => {
    if (perSecond === null) return
    exchange?.took(KEY_PREFIX + name, requests * HUNDREDTHS, 0, perSecond)
  }

  return {
    of(networkId, { name, budget }) {
      if (!budget) return null
      const { credits, ...limits } = budget
      const account = accounts.get(limits.account) ?? openSpendAccount(clock, limits)
      accounts.set(limits.account, account)
      account.limit(limits)
      const key = JSON.stringify([limits.account, networkId, name])
      const counter = telemetry.counter('headgate_upstream_credits_total', {
        network: networkId,
        upstream: name,
      })
      const known = spends.get(key)
      const spent = (requests: number, amount: number) => {
        counter(amount)
        tell(limits.account, account.limits.requestsPerSecond, requests)
      }
      const place = { network: networkId, upstream: name }
      const spend = known ?? openUpstreamSpend(clock, account, place, spent)
      spend.price(credits)
      spends.set(key, spend)
      return spend
    },

    periodsFromMs() {
      if (accounts.size === 0) return null
      return Math.min(...[...accounts.values()].map((account) => account.period().startMs))
    },

    isDue: () => spends.size > 0 && clock.monotonicMs() - takenAtMs >= TAKEN_EVERY_MS,

    take() {
      takenAtMs = clock.monotonicMs()
      return [...spends.values()].flatMap((spend) => spend.take())
    },

    written(spendings) {
      for (const { account, periodStartMs, credits } of spendings) {
        accounts.get(account)?.written(periodStartMs, credits)
      }
    },

    read(sums) {
      for (const { account, periodStartMs, credits } of sums) {
        accounts.get(account)?.read(periodStartMs, credits)
      }
    },

    share(next) {
      stopHearing?.()
      exchange = next
      const stop = next.subscribe((key, { throughputCentiCu }) => {
        if (!key.startsWith(KEY_PREFIX)) return
        accounts.get(key.slice(KEY_PREFIX.length))?.sentElsewhere(throughputCentiCu / HUNDREDTHS)
      })
      stopHearing = stop
      return () => {
        stop()
        if (exchange === next) exchange = null
      }
    },
  }
}

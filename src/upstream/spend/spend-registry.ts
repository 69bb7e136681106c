import type { Spending } from '../../core/billing/upstream-budget.ts'
import type { UpstreamSpec } from '../../core/network.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { openSpendAccount, type SpendAccount } from './spend-account.ts'
import { openUpstreamSpend, type UpstreamSpend } from './upstream-spend.ts'

type RateExchange = {
  took(key: string, hundredths: number, billed: number, perSecond: number | null): void
  subscribe(hear: (key: string, taken: { throughputCentiCu: number }) => void): () => void
}

export type SpendRegistry = ReturnType<typeof openSpendRegistry>

/** Polls spend all the time, and nobody needs that on disk twice a second. */
const TAKEN_EVERY_MS = 2000

/** The time after which a process knows what the others have spent. */
const READ_EVERY_MS = 2000

const KEY_PREFIX = 'upstream '

/** Limits are exchanged in hundredths. */
const HUNDREDTHS = 100

/**
 * All that this process knows of what upstreams cost. It outlives a reload, so that nothing is
 * forgotten when networks are opened anew.
 */
export function openSpendRegistry(clock: Clock, telemetry: Telemetry) {
  const accounts = new Map<string, SpendAccount>()
  const spends = new Map<string, UpstreamSpend>()
  let shared: { exchange: RateExchange; stop(): void } | null = null
  let takenAtMs = clock.monotonicMs()
  let readAtMs = Number.NEGATIVE_INFINITY

  return {
    /** Null where the upstream has no budget. */
    of(networkId: string, { name, budget }: UpstreamSpec): UpstreamSpend | null {
      if (!budget) return null
      const { credits, ...limits } = budget
      const account = accounts.get(limits.account) ?? openSpendAccount(clock, limits)
      accounts.set(limits.account, account)
      account.limit(limits)
      const key = JSON.stringify([limits.account, networkId, name])
      const place = { network: networkId, upstream: name }
      const counter = telemetry.counter('headgate_upstream_credits_total', place)
      const spent = (amount: number) => {
        counter(amount)
        const { requestsPerSecond: rate } = account.limits
        if (rate !== null) shared?.exchange.took(KEY_PREFIX + limits.account, HUNDREDTHS, 0, rate)
      }
      const spend = spends.get(key) ?? openUpstreamSpend(clock, account, place, spent)
      spend.price(credits)
      spends.set(key, spend)
      return spend
    },

    /**
     * The first day of the oldest month whose sums are to be read now; null where nothing has a
     * budget, or this was asked a moment ago.
     */
    startRead(): number | null {
      if (accounts.size === 0 || clock.monotonicMs() - readAtMs < READ_EVERY_MS) return null
      readAtMs = clock.monotonicMs()
      return Math.min(...[...accounts.values()].map((account) => account.period().startMs))
    },

    /** Something was spent that should not wait any longer. */
    isDue: () => spends.size > 0 && clock.monotonicMs() - takenAtMs >= TAKEN_EVERY_MS,

    /** All that was spent since it was last taken. */
    take(): Spending[] {
      takenAtMs = clock.monotonicMs()
      return [...spends.values()].flatMap((spend) => spend.take())
    },

    /** The ledger has it. */
    written(spendings: readonly Spending[]): void {
      for (const { account, periodStartMs, credits } of spendings) {
        accounts.get(account)?.written(periodStartMs, credits)
      }
    },

    /** Takes the sums of accounts over all processes. */
    read(sums: readonly { account: string; periodStartMs: number; credits: number }[]): void {
      for (const { account, periodStartMs, credits } of sums) {
        accounts.get(account)?.read(periodStartMs, credits)
      }
    },

    /** Shares the requests of a second with other processes from here on; returns how to stop. */
    share(exchange: RateExchange): () => void {
      shared?.stop()
      const stop = exchange.subscribe((key, { throughputCentiCu }) => {
        if (!key.startsWith(KEY_PREFIX)) return
        accounts.get(key.slice(KEY_PREFIX.length))?.sentElsewhere(throughputCentiCu / HUNDREDTHS)
      })
      shared = { exchange, stop }
      return () => {
        stop()
        if (shared?.stop === stop) shared = null
      }
    },
  }
}

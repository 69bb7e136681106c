import type { World } from '../ports/world.ts'
import { type AccountSpend, accountSpends, type SpendRow } from '../tables/usage/upstream-spend.ts'

type Spends = {
  periodsFromMs(): number | null
  isDue(): boolean
  take(): SpendRow[]
  written(rows: readonly SpendRow[]): void
  read(sums: readonly AccountSpend[]): void
}

export type SpendLedger = Pick<Spends, 'isDue' | 'take' | 'written'> & {
  /** Reads the sums, not more often than they are worth it. */
  refresh(): Promise<void>
}

/** So long may pass until a process knows what the others have spent. */
const READ_EVERY_MS = 2000

export function openSpendLedger({ clock, database }: World, spends: Spends): SpendLedger {
  let readAtMs = Number.NEGATIVE_INFINITY
  return {
    ...spends,
    async refresh() {
      const fromMs = spends.periodsFromMs()
      const nowMs = clock.monotonicMs()
      if (fromMs === null || nowMs - readAtMs < READ_EVERY_MS) return
      readAtMs = nowMs
      spends.read(await accountSpends(database, fromMs))
    },
  }
}

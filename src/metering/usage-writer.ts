import { coalesced } from '../core/async/coalesced.ts'
import type { World } from '../ports/world.ts'
import { recordUsages, type UsageBatch } from '../tables/usage/usage.ts'

export type UsageWriter = {
  /** Calls back when the ledger has it, however long that takes. */
  record(batch: UsageBatch, written: () => void): void
  /** Resolves when nothing waits any more, or the last try has failed. */
  flush(): Promise<void>
}

type Waiting = { batch: UsageBatch; written: () => void }

const RETRY_MS = 500

export function openUsageWriter({ clock, database, telemetry }: World): UsageWriter {
  const waiting: Waiting[] = []
  let stopTimer = () => {}
  const writing = coalesced(
    async () => {
      const taken = [...waiting]
      if (taken.length === 0) return
      await recordUsages(
        database,
        taken.map(({ batch }) => batch),
      )
      waiting.splice(0, taken.length)
      for (const { written } of taken) written()
    },
    () => {
      const lines = waiting.reduce((sum, { batch }) => sum + batch.rows.length, 0)
      telemetry.log('error', 'usage_not_written', { lines })
      telemetry.count('headgate_usage_write_failures_total', {})
      stopTimer()
      stopTimer = clock.after(RETRY_MS, writing.ask)
    },
  )

  return {
    record(batch, written) {
      waiting.push({ batch, written })
      writing.ask()
    },
    async flush() {
      await writing.idle()
      writing.ask()
      await writing.idle()
    },
  }
}

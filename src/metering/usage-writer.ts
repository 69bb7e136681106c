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
  let waiting: Waiting[] = []
  let writing: Promise<void> | null = null

  const write = async () => {
    const taken = waiting
    waiting = []
    try {
      await recordUsages(
        database,
        taken.map(({ batch }) => batch),
      )
      for (const { written } of taken) written()
    } catch {
      waiting = [...taken, ...waiting]
      telemetry.log('error', 'usage_not_written', { lines: linesOf(waiting) })
      telemetry.count('headgate_usage_write_failures_total', {})
      clock.after(RETRY_MS, begin)
      return
    }
    if (waiting.length > 0) await write()
  }

  const begin = () => {
    if (writing || waiting.length === 0) return
    writing = write().finally(() => {
      writing = null
    })
  }

  return {
    record(batch, written) {
      waiting.push({ batch, written })
      begin()
    },
    async flush() {
      await writing
      begin()
      await writing
    },
  }
}

function linesOf(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { batch }) => sum + batch.rows.length, 0)
}

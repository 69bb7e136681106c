import { coalesced } from '../../core/async/coalesced.ts'
import type { World } from '../../ports/world.ts'
import { dropOldDays, pruneDelivered } from '../../tables/deliveries/retention.ts'
import { pruneFigures } from '../../tables/usage/call-stats.ts'
import { pruneMarks } from '../../tables/usage/usage.ts'
import { forgetGoneItems } from '../../tables/webhooks/variable-changes.ts'

/** How long deliveries can be looked at once they are done. */
const RETENTION_MS = 7 * 24 * 3_600_000

/** How much the log may hold, whatever its age. */
export const LOG_BYTES_MAX = 10 * 2 ** 30

const PRUNE_EVERY_MS = 60_000

/** Others wait for the store while a step is taken, so each is small, with a rest after it. */
export const ROWS_PER_STEP = 500
const ITEMS_PER_STEP = 5000
const REST_MS = 50

/** Removes what nobody needs any more. What is not delivered stays. */
export function openPruner(world: World, failed: (thrown: unknown) => void) {
  const { clock, database, telemetry } = world
  let isStopped = false

  const inSteps = async (what: string, step: () => Promise<number>) => {
    while (!isStopped) {
      const removed = await step()
      if (removed === 0) return
      telemetry.count('headgate_pruned_rows_total', { what }, removed)
      await clock.sleep(REST_MS)
    }
  }

  const prune = coalesced(async () => {
    await inSteps('deliveries', async () => {
      const [nowMs, olderThanMs] = [clock.nowMs(), clock.nowMs() - RETENTION_MS]
      const { removed, eventsBeforeMs } = await database.perform(dropOldDays, [nowMs, olderThanMs])
      if (removed > 0) return removed
      const limits = { olderThanMs, bytesMax: LOG_BYTES_MAX, rowsMax: ROWS_PER_STEP }
      return pruneDelivered(database, limits, eventsBeforeMs)
    })
    await inSteps('variable_items', () => forgetGoneItems(database, ITEMS_PER_STEP))
    await inSteps('call_stats', () => pruneFigures(database, clock.nowMs(), ROWS_PER_STEP))
    await pruneMarks(database, clock.nowMs())
  }, failed)
  const end = clock.every(PRUNE_EVERY_MS, prune.ask)

  return {
    async stop() {
      isStopped = true
      end()
      await prune.idle()
    },
  }
}

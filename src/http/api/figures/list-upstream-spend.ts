import type { Clock } from '../../../ports/clock.ts'
import type { Database } from '../../../ports/database.ts'
import { DAY_MS } from '../../../tables/usage/call-stats.ts'
import { upstreamSpends } from '../../../tables/usage/upstream-spend.ts'
import { SPEND_DAYS } from '../../contract/usage/upstream-spend.ts'
import type { Handler } from '../calls/handler.ts'

type Needs = { database: Database; clock: Clock }

export const listUpstreamSpend: Handler<'listUpstreamSpend', Needs> = async (needs) => {
  const fromMs = needs.clock.nowMs() - SPEND_DAYS * DAY_MS
  const rows = await upstreamSpends(needs.database, fromMs)
  return {
    data: rows.map(({ periodStartMs, ...row }) => ({ ...row, start: periodStartMs })),
  }
}

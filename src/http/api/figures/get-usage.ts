import { cuOf, hourOf } from '../../../core/billing/plan.ts'
import { Rejection } from '../../../core/errors.ts'
import { DAY_MS } from '../../../tables/usage/call-stats.ts'
import { upstreamSpends } from '../../../tables/usage/upstream-spend.ts'
import {
  SERIES_POINTS_MAX,
  type UsagePoint,
  type UsageQuestion,
  usageSeries,
} from '../../../tables/usage/usage.ts'
import type { WireUsagePoint } from '../../contract/contract.ts'
import { SERIES_DAYS_MAX, SPEND_DAYS } from '../../contract/usage.ts'
import type { Handler } from '../calls/handler.ts'
import { readRange } from './read-range.ts'
import { usageSummary } from './usage-summary.ts'

export const getUsageSummary: Handler<'getUsageSummary'> = async (api, call) => {
  return { data: await usageSummary(api, api.tiers, call.team) }
}

export const getUsageSeries: Handler<'getUsageSeries'> = async (api, call) => {
  const { bucket, group_by: groupBy } = call.parameters
  const range = readRange(call.parameters, api.clock.nowMs(), DAY_MS)
  if (range instanceof Rejection) return range
  const daysMax = SERIES_DAYS_MAX[bucket]
  if (range.toMs - range.fromMs > daysMax * DAY_MS) {
    return new Rejection('validation', `from, to: at most ${daysMax} days by the ${bucket}.`)
  }

  const fromMs = hourOf(Math.max(0, range.fromMs))
  const question = { teamId: call.team.id, fromMs, toMs: range.toMs, bucket, groupBy }
  const points = await usageSeries(api.database, question)
  if (points.length >= SERIES_POINTS_MAX) {
    return new Rejection(
      'validation',
      `from, to: the answer would have over ${SERIES_POINTS_MAX} points; take a shorter range ` +
        'or a wider bucket.',
    )
  }
  return { data: points.map((point) => wirePoint(point, groupBy)) }
}

function wirePoint(point: UsagePoint, groupBy: UsageQuestion['groupBy']): WireUsagePoint {
  return {
    start: point.startMs,
    group: groupBy === 'none' ? null : point.group,
    calls: point.calls,
    cu: cuOf(point.centiCu),
    bytes: point.bytes,
  }
}

export const listUpstreamSpend: Handler<'listUpstreamSpend'> = async (api) => {
  const fromMs = api.clock.nowMs() - SPEND_DAYS * DAY_MS
  const rows = await upstreamSpends(api.database, fromMs)
  return {
    data: rows.map(({ periodStartMs, ...row }) => ({ ...row, start: periodStartMs })),
  }
}

import { cuOf } from '../../../core/billing/plan.ts'
import { Rejection } from '../../../core/errors.ts'
import { timeQuantileMs } from '../../../core/rpc/call-times.ts'
import {
  type CallCounts,
  type CallGroup,
  type CallsQuestion,
  callGroups,
  callSeries,
  DAY_MS,
  type GroupCallsBy,
  HOUR_MS,
  MINUTE_MS,
} from '../../../tables/usage/call-stats.ts'
import {
  CALL_GROUPS_MAX,
  CALL_HOURS_DAYS,
  CALL_MINUTES_HOURS,
  CALL_STATS_DAYS,
  type WireCallPoint,
  type WireCallStats,
} from '../../contract/call-stats.ts'
import type { Handler } from '../calls/handler.ts'
import { type MomentRange, readRange } from './read-range.ts'

type Filtered = {
  team: { id: string }
  parameters: { app_id: string | undefined; network: string | undefined }
}

const BUCKETS = {
  minute: { spanMs: MINUTE_MS, rangeMs: CALL_MINUTES_HOURS * HOUR_MS, usualMs: HOUR_MS },
  hour: { spanMs: HOUR_MS, rangeMs: CALL_HOURS_DAYS * DAY_MS, usualMs: DAY_MS },
  day: { spanMs: DAY_MS, rangeMs: CALL_STATS_DAYS * DAY_MS, usualMs: 7 * DAY_MS },
} as const

export const getCallStats: Handler<'getCallStats'> = async (api, call) => {
  const { group_by: groupBy } = call.parameters
  const nowMs = api.clock.nowMs()
  const range = readRange(call.parameters, nowMs, DAY_MS)
  if (range instanceof Rejection) return range
  if (range.toMs - range.fromMs > BUCKETS.day.rangeMs) return tooLong('day')

  const question = questionOf(call, range, spanFor(range, nowMs, groupBy))
  const groups = await callGroups(api.database, question, groupBy, CALL_GROUPS_MAX)
  return { data: groups.map((group) => wireGroup(group, groupBy)) }
}

export const getCallSeries: Handler<'getCallSeries'> = async (api, call) => {
  const { bucket } = call.parameters
  const { spanMs, rangeMs, usualMs } = BUCKETS[bucket]
  const range = readRange(call.parameters, api.clock.nowMs(), usualMs)
  if (range instanceof Rejection) return range
  if (range.toMs - range.fromMs > rangeMs) return tooLong(bucket)

  const points = await callSeries(api.database, questionOf(call, range, spanMs))
  return { data: points.map(({ startMs, ...counts }) => ({ start: startMs, ...wire(counts) })) }
}

/** The finest figures that still exist for the whole range. */
function spanFor({ fromMs }: MomentRange, nowMs: number, groupBy: GroupCallsBy): number {
  const isByName = groupBy === 'method' || groupBy === 'status' || groupBy === 'upstream'
  if (!isByName && fromMs >= nowMs - BUCKETS.minute.rangeMs) return MINUTE_MS
  return fromMs >= nowMs - BUCKETS.hour.rangeMs ? HOUR_MS : DAY_MS
}

function questionOf(
  { team, parameters: { app_id: appId, network } }: Filtered,
  { fromMs, toMs }: MomentRange,
  spanMs: number,
): CallsQuestion {
  const firstMs = Math.max(0, fromMs)
  return {
    teamId: team.id,
    fromMs: firstMs - (firstMs % spanMs),
    toMs,
    spanMs,
    appId: appId ?? null,
    network: network ?? null,
  }
}

function tooLong(bucket: keyof typeof BUCKETS): Rejection {
  const { rangeMs } = BUCKETS[bucket]
  const range = bucket === 'minute' ? `${rangeMs / HOUR_MS} hours` : `${rangeMs / DAY_MS} days`
  return new Rejection('validation', `from, to: at most ${range} by the ${bucket}.`)
}

function wireGroup(group: CallGroup, groupBy: GroupCallsBy): WireCallStats {
  const { calls, callsOfAll } = group
  const { median_ms, p99_ms, ...counts } = wire(group)
  return {
    group: groupBy === 'none' ? null : group.group,
    ...counts,
    cached: group.cached,
    coalesced: group.coalesced,
    cu: cuOf(group.centiCu),
    median_ms,
    p99_ms,
    share_percent: callsOfAll === 0 ? 0 : Math.round((calls * 10_000) / callsOfAll) / 100,
  }
}

function wire({ calls, errors, nodeErrors, times }: CallCounts): Omit<WireCallPoint, 'start'> {
  return {
    calls,
    errors,
    node_errors: nodeErrors,
    median_ms: timeQuantileMs(times, 0.5),
    p99_ms: timeQuantileMs(times, 0.99),
  }
}

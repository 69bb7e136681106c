import {
  CENTI_PER_CU,
  cuOf,
  hourOf,
  monthEndMs,
  monthOf,
  type Tier,
} from '../../../core/billing/plan.ts'
import { Rejection } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Database } from '../../../ports/database.ts'
import {
  SERIES_POINTS_MAX,
  teamMonthCentiCu,
  type UsagePoint,
  type UsageQuestion,
  type UsageTotals,
  usageSeries,
  usageTotals,
} from '../../../tables/usage/usage.ts'
import type { WireUsagePoint, WireUsageTotals } from '../../contract/contract.ts'
import { SERIES_DAYS_MAX } from '../../contract/usage.ts'
import type { Handler } from './handler.ts'

export type UsageCallNeeds = { database: Database; clock: Clock; tiers: ReadonlyMap<string, Tier> }

type SeriesCall = Parameters<typeof getUsageSeries>[1]

const DAY_MS = 24 * 3_600_000

export const getUsageSummary: Handler<'getUsageSummary', UsageCallNeeds> = async (needs, call) => {
  const { database, clock } = needs
  const { team } = call
  const nowMs = clock.nowMs()
  const month = monthOf(nowMs)
  const monthStartMs = Date.parse(`${month}-01T00:00:00Z`)
  const endMs = hourOf(nowMs) + 1
  const [monthCentiCu, thisMonth, lastDay, lastWeek] = await Promise.all([
    teamMonthCentiCu(database, team.id, month),
    usageTotals(database, team.id, monthStartMs, endMs),
    usageTotals(database, team.id, hourOf(nowMs - DAY_MS), endMs),
    usageTotals(database, team.id, hourOf(nowMs - 7 * DAY_MS), endMs),
  ])
  return {
    data: {
      month,
      month_cu: cuOf(monthCentiCu),
      ...capacity(monthCentiCu, needs.tiers.get(team.tier)?.monthlyCu ?? null),
      autoscaling: team.autoscaling,
      time_reset: monthEndMs(nowMs),
      this_month: wireTotals(thisMonth),
      last_24_hours: wireTotals(lastDay),
      last_7_days: wireTotals(lastWeek),
    },
  }
}

export const getUsageSeries: Handler<'getUsageSeries', UsageCallNeeds> = async (needs, call) => {
  const question = questionOf(needs, call)
  if (question instanceof Rejection) return question

  const points = await usageSeries(needs.database, question)
  if (points.length >= SERIES_POINTS_MAX) {
    return new Rejection(
      'validation',
      `from, to: the answer would have over ${SERIES_POINTS_MAX} points; take a shorter range ` +
        'or a wider bucket.',
    )
  }
  return { data: points.map((point) => wirePoint(point, question.groupBy)) }
}

function capacity(usedCentiCu: number, limitCu: number | null) {
  if (limitCu === null) return { limit_cu: null, remaining_cu: null, percent_used: null }
  const limitCentiCu = limitCu * CENTI_PER_CU
  const share = limitCentiCu === 0 ? 1 : usedCentiCu / limitCentiCu
  return {
    limit_cu: limitCu,
    remaining_cu: cuOf(Math.max(0, limitCentiCu - usedCentiCu)),
    percent_used: Math.floor(share * 10_000) / 100,
  }
}

function questionOf(needs: UsageCallNeeds, call: SeriesCall): UsageQuestion | Rejection {
  const { bucket, group_by: groupBy, from, to } = call.parameters
  const toMs = to === undefined ? needs.clock.nowMs() + 1 : momentMs(to)
  if (Number.isNaN(toMs)) return new Rejection('validation', 'to is not a moment in time.')

  const fromMs = from === undefined ? toMs - DAY_MS : momentMs(from)
  if (Number.isNaN(fromMs)) return new Rejection('validation', 'from is not a moment in time.')
  if (fromMs >= toMs) return new Rejection('validation', 'from must be before to.')

  const question = {
    teamId: call.team.id,
    fromMs: hourOf(Math.max(0, fromMs)),
    toMs,
    bucket,
    groupBy,
  }
  const daysMax = SERIES_DAYS_MAX[question.bucket]
  if (toMs - fromMs > daysMax * DAY_MS) {
    return new Rejection(
      'validation',
      `from, to: at most ${daysMax} days by the ${question.bucket}.`,
    )
  }
  return question
}

/** Milliseconds as they stand, or a date: with its zone, or a day, which begins in UTC. */
function momentMs(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Date.parse(text)
}

function wireTotals({ calls, centiCu, bytes }: UsageTotals): WireUsageTotals {
  return { calls, cu: cuOf(centiCu), bytes }
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

import { forecastMonth } from '../../../core/billing/forecast.ts'
import {
  CENTI_PER_CU,
  cuOf,
  hourOf,
  monthEndMs,
  monthOf,
  type Team,
  type Tier,
} from '../../../core/billing/plan.ts'
import type { Database } from '../../../ports/database.ts'
import type { World } from '../../../ports/world.ts'
import { teamMonthCentiCu, type UsageTotals, usageTotals } from '../../../tables/usage/usage.ts'
import type { WireUsageSummary, WireUsageTotals } from '../../contract/contract.ts'

type UsageSums = Record<'thisMonth' | 'lastDay' | 'lastWeek', UsageTotals>

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export async function usageSummary(
  { database, clock }: World,
  tiers: ReadonlyMap<string, Tier>,
  team: Team,
  past?: PastUsage,
): Promise<WireUsageSummary> {
  const nowMs = clock.nowMs()
  const month = monthOf(nowMs)
  const [monthCentiCu, { thisMonth, lastDay, lastWeek }] = await Promise.all([
    teamMonthCentiCu(database, team.id, month),
    past ? past(nowMs) : sumsUntil(database, team.id, nowMs, hourOf(nowMs) + 1),
  ])
  const limitCu = tiers.get(team.tier)?.monthlyCu ?? null
  const forecast = forecastMonth({
    nowMs,
    monthStartMs: monthStartMs(nowMs),
    monthEndMs: monthEndMs(nowMs),
    monthCentiCu,
    paceCentiCu: lastWeek.centiCu,
    // A team that is new has not been idle before.
    paceFromMs: Math.max(hourOf(nowMs - 7 * DAY_MS), hourOf(team.createdAtMs)),
    limitCu,
  })
  return {
    month,
    month_cu: cuOf(monthCentiCu),
    ...capacity(monthCentiCu, limitCu),
    autoscaling: team.autoscaling,
    forecast_cu: forecast && cuOf(forecast.centiCu),
    time_limit_reached: forecast?.limitReachedAtMs ?? null,
    time_reset: monthEndMs(nowMs),
    this_month: wireTotals(thisMonth),
    last_24_hours: wireTotals(lastDay),
    last_7_days: wireTotals(lastWeek),
  }
}

/** The usage of hours that are past, which is summed once an hour and not for each question. */
export type PastUsage = (nowMs: number) => Promise<UsageSums>

export function openPastUsage(database: Database, teamId: string): PastUsage {
  let known: { endMs: number; sums: UsageSums } | null = null
  return async (nowMs) => {
    // The hour before may still get what was under way at its end.
    const endMs = hourOf(nowMs) - HOUR_MS
    if (known?.endMs !== endMs) {
      known = { endMs, sums: await sumsUntil(database, teamId, nowMs, endMs) }
    }
    const { sums } = known
    const since = (fromMs: number) =>
      usageTotals(database, teamId, Math.max(fromMs, endMs), hourOf(nowMs) + 1)
    const [live, ofMonth] = await Promise.all([since(endMs), since(monthStartMs(nowMs))])
    return {
      thisMonth: added(sums.thisMonth, ofMonth),
      lastDay: added(sums.lastDay, live),
      lastWeek: added(sums.lastWeek, live),
    }
  }
}

async function sumsUntil(
  database: Database,
  teamId: string,
  nowMs: number,
  endMs: number,
): Promise<UsageSums> {
  const [thisMonth, lastDay, lastWeek] = await Promise.all([
    usageTotals(database, teamId, monthStartMs(nowMs), endMs),
    usageTotals(database, teamId, hourOf(nowMs - DAY_MS), endMs),
    usageTotals(database, teamId, hourOf(nowMs - 7 * DAY_MS), endMs),
  ])
  return { thisMonth, lastDay, lastWeek }
}

function monthStartMs(nowMs: number): number {
  return Date.parse(`${monthOf(nowMs)}-01T00:00:00Z`)
}

function added(one: UsageTotals, other: UsageTotals): UsageTotals {
  return {
    calls: one.calls + other.calls,
    centiCu: one.centiCu + other.centiCu,
    bytes: one.bytes + other.bytes,
  }
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

function wireTotals({ calls, centiCu, bytes }: UsageTotals): WireUsageTotals {
  return { calls, cu: cuOf(centiCu), bytes }
}

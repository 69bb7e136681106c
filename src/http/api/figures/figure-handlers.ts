import { type CallStatsNeeds, getCallSeries, getCallStats } from './call-stats-calls.ts'
import { listUpstreamSpend } from './list-upstream-spend.ts'
import { listNetworks, type NetworkCallNeeds } from './network-calls.ts'
import { getUsageSeries, getUsageSummary, type UsageCallNeeds } from './usage-calls.ts'

export type FigureCallNeeds = CallStatsNeeds & NetworkCallNeeds & UsageCallNeeds

/** The calls that tell what was used, and how calls and upstreams do. */
export const FIGURE_HANDLERS = {
  getCallStats,
  getCallSeries,
  getUsageSummary,
  getUsageSeries,
  listNetworks,
  listUpstreamSpend,
} as const

import { addTimes, newTimes, timeQuantileMs } from '../../../core/rpc/call-times.ts'
import {
  HOUR_MS,
  NODE_SPAN_MS,
  type NodePoint,
  nodeSeries,
} from '../../../tables/usage/call-stats.ts'
import type { NetworkReport } from '../../contract/contract.ts'
import type { Handler } from '../calls/handler.ts'
import type { NetworkState } from '../management-api.ts'

const HOURS = 24

export const listNetworks: Handler<'listNetworks'> = async (api) => {
  const nowMs = api.clock.nowMs()
  const hourMs = nowMs - (nowMs % HOUR_MS)
  const [networks, points] = await Promise.all([
    api.networkReport(),
    nodeSeries(api.database, hourMs - (HOURS - 1) * HOUR_MS),
  ])
  return { data: networks.map((network) => withFigures(network, points, nowMs)) }
}

function withFigures(
  network: NetworkState,
  points: readonly NodePoint[],
  nowMs: number,
): NetworkReport {
  const spanMs = nowMs - (nowMs % NODE_SPAN_MS)
  const own = points.filter((point) => point.network === network.id)
  const lastHour = own.filter(({ startMs }) => startMs > spanMs - HOUR_MS)
  const ofAll = sumOf(lastHour).calls
  return {
    ...network,
    upstreams: network.upstreams.map((upstream) => {
      const sum = sumOf(lastHour.filter((point) => point.upstream === upstream.name))
      return {
        ...upstream,
        calls: sum.calls,
        errors: sum.errors,
        median_ms: timeQuantileMs(sum.times, 0.5),
        p99_ms: timeQuantileMs(sum.times, 0.99),
        share_percent: ofAll === 0 ? 0 : Math.round((sum.calls * 10_000) / ofAll) / 100,
        hours: hoursOf(own.filter((point) => point.upstream === upstream.name)),
      }
    }),
  }
}

function hoursOf(points: readonly NodePoint[]) {
  const byHour = Map.groupBy(points, ({ startMs }) => startMs - (startMs % HOUR_MS))
  return [...byHour].map(([start, some]) => {
    const { calls, errors, times } = sumOf(some)
    return { start, calls, errors, median_ms: timeQuantileMs(times, 0.5) }
  })
}

function sumOf(points: readonly NodePoint[]) {
  const sum = { calls: 0, errors: 0, times: newTimes() }
  for (const { calls, errors, times } of points) {
    sum.calls += calls
    sum.errors += errors
    addTimes(sum.times, times)
  }
  return sum
}

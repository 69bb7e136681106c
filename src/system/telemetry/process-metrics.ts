import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { CounterName, GaugeName } from '../../ports/metric-catalogue.ts'
import { openDescriptors } from '../machine/descriptors.ts'

type Registry = {
  gauge(name: GaugeName, labels: Readonly<Record<string, string>>, read: () => number): unknown
  counterReading(name: CounterName, read: () => number): unknown
}

const MICROSECONDS_PER_S = 1e6
const NANOSECONDS_PER_S = 1e9

/** How often the runtime looks how late its timers are. */
const LAG_RESOLUTION_MS = 20

/** One for the process, however many services a test opens in it. */
let lag: ReturnType<typeof monitorEventLoopDelay> | null = null

/**
 * The metrics of the process, under the names that stock dashboards know. `prom-client` would
 * collect these too, but much of what it shows beside them is of V8 and wrong on this runtime.
 */
export function addProcessMetrics(registry: Registry): void {
  const { gauge, counterReading } = registry
  counterReading('process_cpu_seconds_total', cpuSeconds)
  gauge('process_resident_memory_bytes', {}, () => process.memoryUsage.rss())
  gauge('nodejs_heap_size_used_bytes', {}, () => process.memoryUsage().heapUsed)
  gauge('nodejs_external_memory_bytes', {}, () => process.memoryUsage().external)
  gauge('process_start_time_seconds', {}, () => performance.timeOrigin / 1000)
  addDescriptors(registry)
  addLag(registry)
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / MICROSECONDS_PER_S
}

/** Where the system does not tell, there is no such metric rather than a wrong one. */
function addDescriptors({ gauge }: Registry): void {
  const { max, count } = openDescriptors()
  if (max === null) return
  gauge('process_max_fds', {}, () => max)
  gauge('process_open_fds', {}, count)
}

function addLag({ gauge }: Registry): void {
  if (lag === null) {
    lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS })
    lag.enable()
  }
  const seen = lag
  // They are read in this order, and the last of them begins anew for the next page.
  gauge('nodejs_eventloop_lag_max_seconds', {}, () => secondsOf(seen.max))
  gauge('nodejs_eventloop_lag_mean_seconds', {}, () => secondsOf(seen.mean))
  gauge('nodejs_eventloop_lag_p50_seconds', {}, () => secondsOf(seen.percentile(50)))
  gauge('nodejs_eventloop_lag_p99_seconds', {}, () => {
    const seconds = secondsOf(seen.percentile(99))
    seen.reset()
    return seconds
  })
}

/** Before the first look there is nothing to take a mean of. */
function secondsOf(ns: number): number {
  return Number.isFinite(ns) ? ns / NANOSECONDS_PER_S : 0
}

import { expect, test } from 'bun:test'
import { metricRegistry } from './metric-registry.ts'
import { addProcessMetrics } from './process-metrics.ts'

test('the page tells of the process itself', async () => {
  const metrics = metricRegistry()
  addProcessMetrics(metrics)
  const shown = (page: string, name: string) =>
    Number(new RegExp(`^${name} (.+)$`, 'm').exec(page)?.[1] ?? Number.NaN)

  // The lag is that of timers, so some have to be due while the thread is held up.
  let page = ''
  do {
    await Bun.sleep(25)
    const beganMs = performance.now()
    while (performance.now() - beganMs < 30);
    await Bun.sleep(25)
    page = metrics.exposition()
  } while (!(shown(page, 'nodejs_eventloop_lag_max_seconds') > 0))

  expect(shown(page, 'nodejs_eventloop_lag_mean_seconds')).toBeGreaterThan(0)
  expect(shown(page, 'nodejs_eventloop_lag_p50_seconds')).toBeGreaterThan(0)
  expect(shown(page, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0)
  expect(shown(page, 'process_cpu_seconds_total')).toBeGreaterThan(0)
  expect(shown(page, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
  expect(shown(page, 'nodejs_heap_size_used_bytes')).toBeGreaterThan(10_000)
  expect(shown(page, 'process_start_time_seconds') * 1000).toBeLessThanOrEqual(Date.now())
  expect(page).toContain('# TYPE process_cpu_seconds_total counter\n')
  expect(page).not.toContain('NaN')
})

test.skipIf(process.platform !== 'linux')('the page tells of open file descriptors', () => {
  const metrics = metricRegistry()
  addProcessMetrics(metrics)
  expect(metrics.exposition()).toMatch(/^process_max_fds [1-9]\d*\n/m)
  expect(metrics.exposition()).toMatch(/^process_open_fds [1-9]\d*\n/m)
})

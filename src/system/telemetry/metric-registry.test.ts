import { describe, expect, test } from 'bun:test'
import { metricRegistry } from './metric-registry.ts'

const NOTHING_DROPPED = `# HELP headgate_log_lines_dropped_total Log lines that nobody read in time.
# TYPE headgate_log_lines_dropped_total counter
headgate_log_lines_dropped_total 0
# HELP headgate_metric_samples_dropped_total Samples beyond 10,000 series.
# TYPE headgate_metric_samples_dropped_total counter
headgate_metric_samples_dropped_total 0
`

/** A catalogue of its own, so that the tests need not speak of the product. */
const CATALOGUE = {
  a_head: gauge([]),
  b_total: counter(['network', 'app']),
  c_total: counter(['why']),
  d_seconds: histogram(['to']),
  e_seconds: histogram([]),
  g: gauge([]),
  g_of: gauge(['of']),
  h: gauge([]),
  h_total: counter(['id']),
  h_seconds: histogram([]),
}

function counter(labels: string[]) {
  return { kind: 'counter', labels, help: 'Of a test.' } as const
}

function gauge(labels: string[]) {
  return { kind: 'gauge', labels, help: 'Of a test.' } as const
}

function histogram(labels: string[]) {
  return { kind: 'histogram', labels, help: 'Of a test.' } as const
}

describe('the metrics page', () => {
  test('of a service that has done nothing says that nothing was dropped', () => {
    expect(metricRegistry(CATALOGUE).exposition()).toBe(NOTHING_DROPPED)
  })

  test('is sorted, whatever happened first', () => {
    const metrics = metricRegistry(CATALOGUE)
    metrics.count('b_total', { network: 'ETH', app: 'x' })
    metrics.count('b_total', { app: 'x', network: 'ETH' }, 2)
    metrics.count('b_total', { app: 'a', network: 'ETH' })
    metrics.gauge('a_head', {}, () => 7)
    const expected = [
      '# HELP a_head Of a test.',
      '# TYPE a_head gauge',
      'a_head 7',
      '# HELP b_total Of a test.',
      '# TYPE b_total counter',
      'b_total{app="a",network="ETH"} 1',
      'b_total{app="x",network="ETH"} 3',
      NOTHING_DROPPED,
    ]
    expect(metrics.exposition()).toBe(expected.join('\n'))
  })

  test('escapes what a label value may not hold', () => {
    const metrics = metricRegistry(CATALOGUE)
    metrics.count('c_total', { why: 'a"b\\c\nd} 1' })
    expect(metrics.exposition()).toContain('c_total{why="a\\"b\\\\c\\nd} 1"} 1\n')
  })

  test('histograms are cumulative and end with everything', () => {
    const metrics = metricRegistry(CATALOGUE)
    for (const ms of [0.5, 1, 1.5, 60_000, 60_001]) metrics.observeMs('d_seconds', { to: 'x' }, ms)
    const samples = metrics
      .exposition()
      .split('\n')
      .filter((line) => line.startsWith('d_seconds'))
    expect(samples).toHaveLength(19)
    expect(samples.slice(0, 3)).toEqual([
      'd_seconds_bucket{to="x",le="0.001"} 2',
      'd_seconds_bucket{to="x",le="0.002"} 3',
      'd_seconds_bucket{to="x",le="0.005"} 3',
    ])
    expect(samples.slice(-4)).toEqual([
      'd_seconds_bucket{to="x",le="60"} 4',
      'd_seconds_bucket{to="x",le="+Inf"} 5',
      'd_seconds_sum{to="x"} 120.004',
      'd_seconds_count{to="x"} 5',
    ])
  })

  test('a duration that is no number does not spoil the sum', () => {
    const metrics = metricRegistry(CATALOGUE)
    for (const ms of [Number.NaN, -5, Number.POSITIVE_INFINITY, 3])
      metrics.observeMs('e_seconds', {}, ms)
    expect(metrics.exposition()).toContain('e_seconds_sum 0.003\ne_seconds_count 4\n')
  })

  test('a gauge shows the value of the moment, and a failing one does not hide the others', () => {
    const metrics = metricRegistry(CATALOGUE)
    let head = 1
    metrics.gauge('g_of', { of: 'head' }, () => head)
    metrics.gauge('g_of', { of: 'endless' }, () => Number.NEGATIVE_INFINITY)
    metrics.gauge('g_of', { of: 'broken' }, () => {
      throw new Error('gone')
    })
    head = 2
    expect(metrics.exposition()).toStartWith(
      '# HELP g_of Of a test.\n# TYPE g_of gauge\n' +
        'g_of{of="broken"} NaN\ng_of{of="endless"} -Inf\ng_of{of="head"} 2\n',
    )
  })

  test('a forgotten gauge is gone, unless another has taken its place', () => {
    const metrics = metricRegistry(CATALOGUE)
    const forgetFirst = metrics.gauge('g', {}, () => 1)
    const forgetSecond = metrics.gauge('g', {}, () => 2)
    forgetFirst()
    expect(metrics.exposition()).toContain('g 2\n')
    forgetSecond()
    forgetSecond()
    expect(metrics.exposition()).toBe(NOTHING_DROPPED)
  })

  test('labels without bounds stop at 10,000 series, and the loss is counted', () => {
    const metrics = metricRegistry(CATALOGUE)
    for (let id = 0; id < 10_005; id++) metrics.count('h_total', { id: String(id) })
    metrics.observeMs('h_seconds', {}, 1)
    const forget = metrics.gauge('h', {}, () => 1)
    metrics.count('h_total', { id: '3' })
    forget()
    const page = metrics.exposition()
    expect(page.match(/^h/gm)).toHaveLength(10_000 + 2)
    expect(page).toContain('h_total{id="3"} 2\n')
    expect(page).toContain('headgate_metric_samples_dropped_total 7\n')
  })

  test('what is not in the catalogue, or not like that, is found when it is first used', () => {
    const metrics = metricRegistry(CATALOGUE)
    metrics.count('c_total', { why: 'x' })
    expect(() => metrics.count('nowhere_total', {})).toThrow('broken invariant')
    expect(() => metrics.count('c_total', { other: '' })).toThrow('broken invariant')
    expect(() => metrics.count('c_total', {})).toThrow('broken invariant')
    expect(() => metrics.observeMs('e_seconds', { le: '' }, 1)).toThrow('broken invariant')
    expect(() => metrics.gauge('c_total', { why: 'x' }, () => 1)).toThrow('broken invariant')
    expect(() => metrics.count('c_total', { why: 'x' }, -1)).toThrow('broken invariant')
    const real = metricRegistry()
    expect(() => real.count('headgate_log_lines_dropped_total', {})).toThrow('broken invariant')
  })
})

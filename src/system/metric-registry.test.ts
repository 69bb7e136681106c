import { describe, expect, test } from 'bun:test'
import { metricRegistry } from './metric-registry.ts'

const NOTHING_DROPPED =
  '# TYPE headgate_log_lines_dropped_total counter\nheadgate_log_lines_dropped_total 0\n' +
  '# TYPE headgate_metric_samples_dropped_total counter\nheadgate_metric_samples_dropped_total 0\n'

describe('the metrics page', () => {
  test('of a service that has done nothing says that nothing was dropped', () => {
    expect(metricRegistry().exposition()).toBe(NOTHING_DROPPED)
  })

  test('is sorted, whatever happened first', () => {
    const metrics = metricRegistry()
    metrics.count('b_total', { network: 'ETH', app: 'x' })
    metrics.count('b_total', { app: 'x', network: 'ETH' }, 2)
    metrics.count('b_total', { app: 'a', network: 'ETH' })
    metrics.gauge('a_head', {}, () => 7)
    const expected = [
      '# TYPE a_head gauge',
      'a_head 7',
      '# TYPE b_total counter',
      'b_total{app="a",network="ETH"} 1',
      'b_total{app="x",network="ETH"} 3',
      NOTHING_DROPPED,
    ]
    expect(metrics.exposition()).toBe(expected.join('\n'))
  })

  test('escapes what a label value may not hold', () => {
    const metrics = metricRegistry()
    metrics.count('c_total', { why: 'a"b\\c\nd} 1' })
    expect(metrics.exposition()).toContain('c_total{why="a\\"b\\\\c\\nd} 1"} 1\n')
  })

  test('histograms are cumulative and end with everything', () => {
    const metrics = metricRegistry()
    for (const ms of [0.5, 1, 1.5, 60_000, 60_001]) metrics.observeMs('d_ms', { to: 'x' }, ms)
    const samples = metrics
      .exposition()
      .split('\n')
      .filter((line) => line.startsWith('d_ms'))
    expect(samples).toHaveLength(19)
    expect(samples.slice(0, 3)).toEqual([
      'd_ms_bucket{to="x",le="1"} 2',
      'd_ms_bucket{to="x",le="2"} 3',
      'd_ms_bucket{to="x",le="5"} 3',
    ])
    expect(samples.slice(-4)).toEqual([
      'd_ms_bucket{to="x",le="60000"} 4',
      'd_ms_bucket{to="x",le="+Inf"} 5',
      'd_ms_sum{to="x"} 120004',
      'd_ms_count{to="x"} 5',
    ])
  })

  test('a duration that is no number does not spoil the sum', () => {
    const metrics = metricRegistry()
    for (const ms of [Number.NaN, -5, Number.POSITIVE_INFINITY, 3]) metrics.observeMs('e', {}, ms)
    expect(metrics.exposition()).toContain('e_sum 3\ne_count 4\n')
  })

  test('a gauge shows the value of the moment, and a failing one does not hide the others', () => {
    const metrics = metricRegistry()
    let head = 1
    metrics.gauge('g', { of: 'head' }, () => head)
    metrics.gauge('g', { of: 'endless' }, () => Number.NEGATIVE_INFINITY)
    metrics.gauge('g', { of: 'broken' }, () => {
      throw new Error('gone')
    })
    head = 2
    expect(metrics.exposition()).toStartWith(
      '# TYPE g gauge\ng{of="broken"} NaN\ng{of="endless"} -Inf\ng{of="head"} 2\n',
    )
  })

  test('a forgotten gauge is gone, unless another has taken its place', () => {
    const metrics = metricRegistry()
    const forgetFirst = metrics.gauge('g', {}, () => 1)
    const forgetSecond = metrics.gauge('g', {}, () => 2)
    forgetFirst()
    expect(metrics.exposition()).toContain('g 2\n')
    forgetSecond()
    forgetSecond()
    expect(metrics.exposition()).toBe(NOTHING_DROPPED)
  })

  test('labels without bounds stop at 10,000 series, and the loss is counted', () => {
    const metrics = metricRegistry()
    for (let id = 0; id < 10_005; id++) metrics.count('h_total', { id: String(id) })
    metrics.observeMs('h_ms', {}, 1)
    const forget = metrics.gauge('h', {}, () => 1)
    metrics.count('h_total', { id: '3' })
    forget()
    const page = metrics.exposition()
    expect(page.match(/^h/gm)).toHaveLength(10_000 + 2)
    expect(page).toContain('h_total{id="3"} 2\n')
    expect(page).toContain('headgate_metric_samples_dropped_total 7\n')
  })

  test('names that Prometheus would refuse are found when they are first used', () => {
    const metrics = metricRegistry()
    metrics.count('fine_total', {})
    expect(() => metrics.count('not fine', {})).toThrow('broken invariant')
    expect(() => metrics.count('x_total', { 'not-fine': '' })).toThrow('broken invariant')
    expect(() => metrics.observeMs('x_ms', { le: '' }, 1)).toThrow('broken invariant')
    expect(() => metrics.gauge('fine_total', {}, () => 1)).toThrow('broken invariant')
    expect(() => metrics.count('fine_total', {}, -1)).toThrow('broken invariant')
    expect(() => metrics.count('headgate_log_lines_dropped_total', {})).toThrow('broken invariant')
  })
})

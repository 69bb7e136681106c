import { describe, expect, test } from 'bun:test'
import { METRICS, type MetricSpec } from './metric-catalogue.ts'

const ENTRIES: [string, MetricSpec][] = Object.entries(METRICS)

describe('a metric by the conventions of Prometheus', () => {
  test.each(ENTRIES)('%s', (name, { kind, labels, help }) => {
    expect(name).toMatch(/^(?:headgate|process|nodejs)_[a-z][a-z0-9_]*$/)
    // Base units, and no unit but at the end.
    expect(name).not.toMatch(/_(?:ms|millis|micros|minutes|percent|rate|kb|mb)(?:_|$)/)
    expect(name).not.toMatch(/_(?:seconds|bytes|ratio)_(?!total$)/)
    // Only a counter counts up, and only a histogram has these endings.
    expect(name.endsWith('_total')).toBe(kind === 'counter')
    expect(name).not.toMatch(/_(?:count|sum|bucket)$/)
    if (kind === 'histogram') expect(name).toEndWith('_seconds')
    for (const label of labels) expect(label).toMatch(/^(?!le$|quantile$)[a-z][a-z_]*$/)
    expect(new Set(labels).size).toBe(labels.length)
    // A help is one line of plain text, so that it needs no escaping.
    expect(help).toMatch(/^[A-Z0-9][^\\\n]{8,120}\.$/)
  })
})

import { assert } from '../core/errors.ts'

type Labels = Readonly<Record<string, string>>

type Histogram = {
  /** One cell a bucket of BUCKETS_MS, and one for what is slower than all. */
  counts: Float64Array
  sumMs: number
}

type Counter = { total: number }

type Family =
  | { kind: 'counter'; series: Map<string, Counter> }
  | { kind: 'histogram'; series: Map<string, Histogram> }
  | { kind: 'gauge'; series: Map<string, () => number> }

/** Fits a cache hit as well as a call that hits every deadline. */
const BUCKETS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000,
] as const

/** Labels should be bounded by design; this bounds memory and answers where one is not. */
const SERIES_MAX = 10_000

const LOG_LINES_DROPPED = 'headgate_log_lines_dropped_total'
const SAMPLES_DROPPED = 'headgate_metric_samples_dropped_total'

const UNSAFE_IN_LABEL = /[\\"\n]/
const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/

type Registry = {
  families: Map<string, Family>
  seriesCount: number
  samplesDropped: number
  logLinesDropped: number
}

export function metricRegistry() {
  const registry: Registry = {
    families: new Map(),
    seriesCount: 0,
    samplesDropped: 0,
    logLinesDropped: 0,
  }
  return {
    count: (name: string, labels: Labels, by = 1) => {
      const cell = counterCell(registry, name, labels)
      if (cell) add(cell, by)
    },
    counter: (name: string, labels: Labels) => {
      const cell = counterCell(registry, name, labels)
      return (by: number) => {
        if (cell) add(cell, by)
      }
    },
    observeMs: (name: string, labels: Labels, ms: number) => {
      const cell = histogramCell(registry, name, labels)
      if (cell) observe(cell, ms)
    },
    histogram: (name: string, labels: Labels) => {
      const cell = histogramCell(registry, name, labels)
      return (ms: number) => {
        if (cell) observe(cell, ms)
      }
    },
    gauge: (name: string, labels: Labels, read: () => number) =>
      gauge(registry, name, labels, read),
    exposition: () => exposition(registry),
    countDroppedLogLines: (lines: number) => {
      registry.logLinesDropped += lines
    },
  }
}

function counterCell(registry: Registry, name: string, labels: Labels): Counter | null {
  const { series } = family(registry, name, 'counter')
  const key = labelsText(labels)
  const known = series.get(key)
  if (known) return known
  if (!mayAdd(registry, labels)) return null
  const cell = { total: 0 }
  series.set(key, cell)
  return cell
}

function add(cell: Counter, by: number): void {
  assert(by >= 0, 'a counter never goes down')
  cell.total += by
}

function histogramCell(registry: Registry, name: string, labels: Labels): Histogram | null {
  const { series } = family(registry, name, 'histogram')
  const key = labelsText(labels)
  const known = series.get(key)
  if (known) return known
  if (!mayAdd(registry, labels)) return null
  const cell = { counts: new Float64Array(BUCKETS_MS.length + 1), sumMs: 0 }
  series.set(key, cell)
  return cell
}

function observe(histogram: Histogram, ms: number): void {
  // A duration that is no number would spoil the sum for good.
  const safeMs = ms > 0 && ms < Number.POSITIVE_INFINITY ? ms : 0
  histogram.counts[bucketOf(safeMs)]! += 1
  histogram.sumMs += safeMs
}

function gauge(registry: Registry, name: string, labels: Labels, read: () => number) {
  const { series } = family(registry, name, 'gauge')
  const key = labelsText(labels)
  if (!series.has(key) && !mayAdd(registry, labels)) return () => {}
  series.set(key, read)
  return () => {
    // A later registration of the same gauge is not ours to forget.
    if (series.get(key) !== read) return
    series.delete(key)
    registry.seriesCount -= 1
  }
}

function exposition(registry: Registry): string {
  const texts = new Map<string, string>()
  for (const [name, entry] of registry.families) {
    if (entry.series.size > 0) texts.set(name, familyText(name, entry))
  }
  texts.set(LOG_LINES_DROPPED, ownCounterText(LOG_LINES_DROPPED, registry.logLinesDropped))
  texts.set(SAMPLES_DROPPED, ownCounterText(SAMPLES_DROPPED, registry.samplesDropped))
  return inOrder(texts).join('')
}

function family<Kind extends Family['kind']>(registry: Registry, name: string, kind: Kind) {
  const found = registry.families.get(name) ?? newFamily(registry, name, kind)
  assert(found.kind === kind, 'a metric name has one kind')
  return found as Extract<Family, { kind: Kind }>
}

function newFamily(registry: Registry, name: string, kind: Family['kind']): Family {
  assert(METRIC_NAME.test(name), `a metric name: ${name}`)
  assert(name !== LOG_LINES_DROPPED && name !== SAMPLES_DROPPED, 'these count by themselves')
  const added: Family = { kind, series: new Map() }
  registry.families.set(name, added)
  return added
}

function mayAdd(registry: Registry, labels: Labels): boolean {
  for (const name of Object.keys(labels)) {
    assert(LABEL_NAME.test(name) && name !== 'le', `a label name: ${name}`)
  }
  if (registry.seriesCount >= SERIES_MAX) {
    registry.samplesDropped += 1
    return false
  }
  registry.seriesCount += 1
  return true
}

function bucketOf(ms: number): number {
  const found = BUCKETS_MS.findIndex((upToMs) => ms <= upToMs)
  return found === -1 ? BUCKETS_MS.length : found
}

/** `a="x",b="y"`: sorted, so that the same labels in another order are the same series. */
function labelsText(labels: Labels): string {
  let text = ''
  let previous = ''
  for (const name in labels) {
    if (name < previous) return sortedLabelsText(labels)
    previous = name
    text += `${text === '' ? '' : ','}${name}="${escaped(labels[name] ?? '')}"`
  }
  return text
}

function sortedLabelsText(labels: Labels): string {
  const names = Object.keys(labels).sort()
  return names.map((name) => `${name}="${escaped(labels[name] ?? '')}"`).join(',')
}

function escaped(value: string): string {
  if (!UNSAFE_IN_LABEL.test(value)) return value
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')
}

function familyText(name: string, { kind, series }: Family): string {
  const texts = new Map<string, string>()
  for (const [labels, value] of series) {
    const text =
      typeof value === 'function'
        ? sampleText(name, labels, readSafely(value))
        : 'total' in value
          ? sampleText(name, labels, value.total)
          : histogramText(name, labels, value)
    texts.set(labels, text)
  }
  return `# TYPE ${name} ${kind}\n${inOrder(texts).join('')}`
}

function histogramText(name: string, labels: string, { counts, sumMs }: Histogram): string {
  const prefix = labels && `${labels},`
  let text = ''
  let total = 0
  counts.forEach((times, index) => {
    total += times
    text += sampleText(`${name}_bucket`, `${prefix}le="${BUCKETS_MS[index] ?? '+Inf'}"`, total)
  })
  return (
    text + sampleText(`${name}_sum`, labels, sumMs) + sampleText(`${name}_count`, labels, total)
  )
}

function sampleText(name: string, labels: string, value: number): string {
  const number = Math.abs(value) === Infinity ? (value > 0 ? '+Inf' : '-Inf') : String(value)
  return `${name}${labels && `{${labels}}`} ${number}\n`
}

function ownCounterText(name: string, total: number): string {
  return `# TYPE ${name} counter\n${sampleText(name, '', total)}`
}

/** One gauge that fails must not take the whole page with it. */
function readSafely(read: () => number): number {
  try {
    return read()
  } catch {
    return Number.NaN
  }
}

function inOrder(texts: Map<string, string>): string[] {
  const keys = [...texts.keys()].sort()
  return keys.map((key) => texts.get(key) ?? '')
}

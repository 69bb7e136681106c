import { assert } from '../../core/errors.ts'
import { METRICS, type MetricSpec } from '../../ports/metric-catalogue.ts'

type Labels = Readonly<Record<string, string>>

type Histogram = {
  /** One cell a bucket of BUCKETS_MS, and one for what is slower than all. */
  counts: Float64Array
  sumMs: number
}

type Counter = { total: number }

type Reading = () => number

type Family = { spec: MetricSpec; series: Map<string, Counter | Histogram | Reading> }

/** Fits a cache hit as well as a call that hits every deadline. */
const BUCKETS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000,
] as const

const BOUNDS_S = BUCKETS_MS.map((upToMs) => upToMs / 1000)

/** Labels should be bounded by design; this bounds memory and answers where one is not. */
const SERIES_MAX = 10_000

const LOG_LINES_DROPPED = 'headgate_log_lines_dropped_total'
const SAMPLES_DROPPED = 'headgate_metric_samples_dropped_total'

const UNSAFE_IN_LABEL = /[\\"\n]/

type Specs = Readonly<Record<string, MetricSpec>>

type Registry = {
  specs: Specs
  families: Map<string, Family>
  seriesCount: number
  samplesDropped: number
  logLinesDropped: number
}

/** Counts in cells whose labels are worked out once, since hot paths count on every call. */
export function metricRegistry(specs: Specs = METRICS) {
  const registry: Registry = {
    specs,
    families: new Map(),
    seriesCount: 0,
    samplesDropped: 0,
    logLinesDropped: 0,
  }
  return {
    count: (name: string, labels: Labels, by = 1) => add(counterCell(registry, name, labels), by),
    counter: (name: string, labels: Labels) => {
      const cell = counterCell(registry, name, labels)
      return (by: number) => add(cell, by)
    },
    observeMs: (name: string, labels: Labels, ms: number) =>
      observe(histogramCell(registry, name, labels), ms),
    histogram: (name: string, labels: Labels) => {
      const cell = histogramCell(registry, name, labels)
      return (ms: number) => observe(cell, ms)
    },
    gauge: (name: string, labels: Labels, read: Reading) =>
      addReading(registry, name, labels, 'gauge', read),
    /** A counter that something else keeps, as the system does for the process. */
    counterReading: (name: string, read: Reading) =>
      addReading(registry, name, {}, 'counter', read),
    exposition: () => exposition(registry),
    countDroppedLogLines: (lines: number) => {
      registry.logLinesDropped += lines
    },
  }
}

function counterCell(registry: Registry, name: string, labels: Labels): Counter | null {
  const { spec, series } = family(registry, name, 'counter')
  const key = labelsText(labels)
  const known = series.get(key)
  if (known) return known as Counter
  if (!mayAdd(registry, spec, labels)) return null
  const cell = { total: 0 }
  series.set(key, cell)
  return cell
}

function add(cell: Counter | null, by: number): void {
  if (!cell) return
  assert(by >= 0, 'a counter never goes down')
  cell.total += by
}

function histogramCell(registry: Registry, name: string, labels: Labels): Histogram | null {
  const { spec, series } = family(registry, name, 'histogram')
  const key = labelsText(labels)
  const known = series.get(key)
  if (known) return known as Histogram
  if (!mayAdd(registry, spec, labels)) return null
  const cell = { counts: new Float64Array(BUCKETS_MS.length + 1), sumMs: 0 }
  series.set(key, cell)
  return cell
}

function observe(histogram: Histogram | null, ms: number): void {
  if (!histogram) return
  // A duration that is no number would spoil the sum for good.
  const safeMs = ms > 0 && ms < Number.POSITIVE_INFINITY ? ms : 0
  histogram.counts[bucketOf(safeMs)]! += 1
  histogram.sumMs += safeMs
}

function addReading(
  registry: Registry,
  name: string,
  labels: Labels,
  kind: 'gauge' | 'counter',
  read: Reading,
) {
  const { spec, series } = family(registry, name, kind)
  const key = labelsText(labels)
  if (!series.has(key) && !mayAdd(registry, spec, labels)) return () => {}
  series.set(key, read)
  return () => {
    // A later registration of the same value is not ours to forget.
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
  for (const [name, total] of [
    [LOG_LINES_DROPPED, registry.logLinesDropped],
    [SAMPLES_DROPPED, registry.samplesDropped],
  ] as const) {
    texts.set(name, familyText(name, { spec: METRICS[name], series: new Map([['', { total }]]) }))
  }
  return inOrder(texts).join('')
}

function family(registry: Registry, name: string, kind: MetricSpec['kind']): Family {
  const found = registry.families.get(name) ?? newFamily(registry, name)
  assert(found.spec.kind === kind, `${name} is a ${found.spec.kind}`)
  return found
}

function newFamily(registry: Registry, name: string): Family {
  const spec = registry.specs[name]
  assert(spec !== undefined, `a metric of the catalogue: ${name}`)
  assert(name !== LOG_LINES_DROPPED && name !== SAMPLES_DROPPED, 'these count by themselves')
  const added: Family = { spec, series: new Map() }
  registry.families.set(name, added)
  return added
}

function mayAdd(registry: Registry, spec: MetricSpec, labels: Labels): boolean {
  const names = Object.keys(labels)
  const areListed = names.every((name) => spec.labels.includes(name))
  assert(
    areListed && names.length === spec.labels.length,
    `labels ${names.join()} in the catalogue`,
  )
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

function familyText(name: string, { spec, series }: Family): string {
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
  return `# HELP ${name} ${spec.help}\n# TYPE ${name} ${spec.kind}\n${inOrder(texts).join('')}`
}

function histogramText(name: string, labels: string, { counts, sumMs }: Histogram): string {
  const prefix = labels && `${labels},`
  let text = ''
  let total = 0
  counts.forEach((times, index) => {
    total += times
    text += sampleText(`${name}_bucket`, `${prefix}le="${BOUNDS_S[index] ?? '+Inf'}"`, total)
  })
  text += sampleText(`${name}_sum`, labels, sumMs / 1000)
  return text + sampleText(`${name}_count`, labels, total)
}

function sampleText(name: string, labels: string, value: number): string {
  const number = Math.abs(value) === Infinity ? (value > 0 ? '+Inf' : '-Inf') : String(value)
  return `${name}${labels && `{${labels}}`} ${number}\n`
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

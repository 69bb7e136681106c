import { METRICS, type MetricSpec } from '../../ports/metric-catalogue.ts'

type Family = { head: string[]; spec: MetricSpec; samples: Map<string, number> }

type Families = Map<string, Family>

/** `name{labels} value`; values are numbers as the runtime prints them. */
const SAMPLE = /^([a-z_]+)(\{.*\})? (\S+)$/

const HISTOGRAM_PART = /_(?:bucket|sum|count)$/

const SPECS: Readonly<Record<string, MetricSpec>> = METRICS

/**
 * The metrics of several processes as those of one, in Prometheus's text form. The first text is
 * the main process's. A line that cannot be read is left out.
 */
export function sumExpositions(texts: readonly string[]): string {
  const families: Families = new Map()
  for (const text of texts) for (const line of text.split('\n')) addLine(families, line)
  return textOf(families)
}

/** The part that must not go back when its process is gone: counters and histograms. */
export function lastingOf(exposition: string): string {
  const families: Families = new Map()
  for (const line of exposition.split('\n')) addLine(families, line)
  for (const [name, { spec }] of families) if (spec.kind === 'gauge') families.delete(name)
  return textOf(families)
}

function addLine(families: Families, line: string): void {
  if (line.startsWith('# ')) {
    const family = familyOf(families, line.split(' ')[2] ?? '')
    if (family && !family.head.includes(line)) family.head.push(line)
    return
  }
  const [, name = '', labels = '', digits = ''] = SAMPLE.exec(line) ?? []
  const value = numberOf(digits)
  const family = familyOf(families, name) ?? familyOf(families, name.replace(HISTOGRAM_PART, ''))
  if (!family || value === null) return
  const key = name + labels
  const before = family.samples.get(key)
  family.samples.set(key, before === undefined ? value : together(family.spec, before, value))
}

function familyOf(families: Families, name: string): Family | null {
  const known = families.get(name)
  if (known) return known
  const spec = Object.hasOwn(SPECS, name) ? SPECS[name] : undefined
  if (!spec) return null
  const added = { head: [], spec, samples: new Map() }
  families.set(name, added)
  return added
}

function together({ kind, over }: MetricSpec, first: number, second: number): number {
  if (kind !== 'gauge' || over === 'sum') return first + second
  if (over === 'max') return Math.max(first, second)
  return over === 'min' ? Math.min(first, second) : first
}

function numberOf(digits: string): number | null {
  if (digits === '+Inf') return Number.POSITIVE_INFINITY
  if (digits === '-Inf') return Number.NEGATIVE_INFINITY
  if (digits === '' || digits === 'NaN') return null
  const value = Number(digits)
  return Number.isNaN(value) ? null : value
}

function textOf(families: Families): string {
  const names = [...families.keys()].sort()
  const lines = names.flatMap((name) => {
    const { head, samples } = families.get(name) as Family
    return [...head, ...[...samples].map(([key, value]) => `${key} ${digitsOf(value)}`)]
  })
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

function digitsOf(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return value > 0 ? '+Inf' : '-Inf'
}

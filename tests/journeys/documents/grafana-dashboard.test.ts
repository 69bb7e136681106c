import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { METRICS, type MetricSpec } from '../../../src/ports/metric-catalogue.ts'

type Target = { expr: string; legendFormat: string }
type Panel = { id: number; title: string; type: string; targets?: Target[] }
type Variable = { name: string; definition?: string }

const FILE = new URL('../../../docs/grafana-dashboard.json', import.meta.url)
const DASHBOARD = JSON.parse(readFileSync(FILE, 'utf8')) as {
  panels: Panel[]
  templating: { list: Variable[] }
}

const CATALOGUE: Readonly<Record<string, MetricSpec>> = METRICS

/** Labels that Prometheus adds, and those of histograms. */
const GIVEN_LABELS = ['instance', 'job', 'le']
const WORDS = new Set(['by', 'on', 'group_right'])

const TARGETS = DASHBOARD.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => [title, expr, legendFormat] as const),
)

describe('the dashboard for Grafana', () => {
  test('asks only for metrics and labels that exist', () => {
    expect(TARGETS.length).toBeGreaterThan(40)
    const faults = TARGETS.flatMap(([title, expr, legendFormat]) => {
      const names = metricsIn(expr)
      const labels = [...GIVEN_LABELS, ...names.flatMap((name) => CATALOGUE[name]?.labels ?? [])]
      const legend = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map((one) => one[1] ?? '')
      const unknown = [
        ...names.filter((name) => CATALOGUE[name] === undefined),
        ...[...labelsIn(expr), ...legend].filter((label) => !labels.includes(label)),
      ]
      if (names.length === 0) unknown.push('no metric at all')
      return unknown.map((name) => `${title}: ${name} in ${expr}`)
    })
    expect(faults).toEqual([])
  })

  test('asks for the buckets of histograms, and of nothing else', () => {
    for (const [, expr] of TARGETS) {
      for (const name of identifiersIn(expr).filter((word) => word.includes('_seconds'))) {
        const isBucket = name.endsWith('_bucket')
        expect(CATALOGUE[name.replace(/_bucket$/, '')]?.kind === 'histogram').toBe(isBucket)
      }
    }
  })

  test('knows the variables that its panels use', () => {
    const used = [...JSON.stringify(DASHBOARD.panels).matchAll(/\$\{?(\w+)/g)].map((one) => one[1])
    const given = DASHBOARD.templating.list.map(({ name }) => name)
    expect([...given, '__rate_interval']).toEqual(expect.arrayContaining(used))
    for (const { definition } of DASHBOARD.templating.list) {
      if (definition === undefined) continue
      const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(definition) ?? []
      expect([...GIVEN_LABELS, ...(CATALOGUE[metric]?.labels ?? [])]).toContain(label)
    }
  })

  test('has panels with numbers of their own', () => {
    const ids = DASHBOARD.panels.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

function metricsIn(expr: string): string[] {
  return identifiersIn(expr).map((name) => name.replace(/_(?:bucket|sum|count)$/, ''))
}

/** Words that are no function, no label and no keyword: what is left are metrics. */
function identifiersIn(expr: string): string[] {
  const bare = expr
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replace(/\b(?:by|on) \([^)]*\)/g, ' ')
    .replace(/\b\w+(?= *\()/g, ' ')
  return [...bare.matchAll(/[a-z]\w*/g)].map(([word]) => word).filter((word) => !WORDS.has(word))
}

function labelsIn(expr: string): string[] {
  const matchers = [...expr.matchAll(/[{,] ?(\w+)(?:=~|!=|!~|=)"/g)].map((one) => one[1] ?? '')
  const lists = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].map((one) => one[1] ?? '')
  return [...matchers, ...lists.flatMap((list) => list.split(', '))]
}

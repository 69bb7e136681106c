import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { METRICS } from '../../src/ports/metric-catalogue.ts'
import { type ChainNode, startChainNode } from '../support/nodes/chain-node.ts'
import { type TestDatabase, testDatabase } from '../support/postgres/test-postgres.ts'
import { lacksPostgres } from '../support/product/world.ts'
import { followGuide } from './follow-guide.ts'
import { testNetwork } from './test-network.ts'

/** It is started four times, once on PostgreSQL, on a machine that may be busy. */
setDefaultTimeout(180_000)

const GUIDE = readFileSync(new URL('../../docs/guides/production.md', import.meta.url), 'utf8')

/** Names of metrics that Prometheus makes itself. */
const OF_PROMETHEUS = ['up']

describe('"Run it in production"', () => {
  const withoutPostgres = lacksPostgres()
  let node: ChainNode
  let database: TestDatabase | null = null

  beforeAll(async () => {
    node = startChainNode(6)
    if (!withoutPostgres) database = await testDatabase()
  })
  afterAll(async () => {
    node.stop()
    await database?.drop()
  })

  test('can be followed, from a configuration to a restored store on PostgreSQL', async () => {
    await followGuide('guides/production.md', {
      replace: {
        ...testNetwork(node),
        'postgres://headgate:password@db.example/headgate': database?.url ?? '',
      },
      without: withoutPostgres ? ['PostgreSQL'] : [],
    })
  })

  test('alerts on metrics that there are', () => {
    const [, text = ''] = /as `headgate.rules.yml`:\n\n```yaml\n([\s\S]*?)```/.exec(GUIDE) ?? []
    const { groups } = parse(text) as { groups: { rules: Rule[] }[] }
    const rules = groups.flatMap((group) => group.rules)
    expect(rules.length).toBeGreaterThan(8)
    for (const { alert, expr, annotations } of rules) {
      const names = metricsIn(expr)
      const known = names.filter((name) => name in METRICS || OF_PROMETHEUS.includes(name))
      expect({ alert, names: known }).toEqual({ alert, names })
      expect(names.length).toBeGreaterThan(0)
      const labels = names.flatMap((name) => (METRICS as Metrics)[name]?.labels ?? ['job'])
      for (const label of labelsIn(expr)) expect(labels).toContain(label)
      for (const [, label = ''] of annotations.summary.matchAll(/\$labels\.(\w+)/g)) {
        expect(labels).toContain(label)
      }
    }
  })
})

type Rule = { alert: string; expr: string; annotations: { summary: string } }
type Metrics = Readonly<Record<string, { labels: readonly string[] } | undefined>>

/** Words of an expression that are neither functions nor labels. */
function metricsIn(expr: string): string[] {
  const bare = expr.replace(/\{[^}]*\}|\bby \([^)]*\)|\[[^\]]*\]/g, '')
  return [...bare.matchAll(/\b[a-z]\w+\b(?!\s*\()/g)].map(([name]) => name).filter(isNoWord)
}

function isNoWord(name: string): boolean {
  return !['sum', 'by', 'and', 'or'].includes(name)
}

function labelsIn(expr: string): string[] {
  const matched = [...expr.matchAll(/(\w+)=~?"/g)].map((found) => found[1] ?? '')
  const grouped = [...expr.matchAll(/by \((\w+)\)/g)].map((found) => found[1] ?? '')
  return [...matched, ...grouped]
}

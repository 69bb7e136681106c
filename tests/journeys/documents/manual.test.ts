import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CONFIG_SCHEMA } from '../../../src/config/config-schema.ts'
import { isJsonObject } from '../../../src/core/json/json-value.ts'
import { methodRows, UNLISTED_CU } from '../../../src/core/rpc/method-table.ts'
import type { JsonSchema } from '../../../src/core/schema/json-schema.ts'
import { OPEN_API } from '../../../src/http/contract/open-api-document.ts'
import { METRICS } from '../../../src/ports/metric-catalogue.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const OPERATING = read('docs/operating.md')
const API = read('docs/api.md')
const CONCEPTS = read('docs/concepts.md')

test('the manuals and the change log are of the version that the package has', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  expect(read('README.md')).toContain(`\nVersion ${version}:\n`)
  const [newest] = wordsIn(read('CHANGELOG.md'), /^(## )(\d+\.\d+\.\d+)$/gm)
  expect(newest).toBe(version)
  const tarballs = wordsIn(read('docs/receiving-webhooks.md'), /(headgate-)(\d[\d.]*\d)\.tgz/g)
  expect(tarballs.length).toBeGreaterThan(0)
  expect(new Set(tarballs)).toEqual(new Set([version]))
  const built = wordsIn(read('docs/deploying.md'), /(headgate[-:])(\d+\.\d+\.\d+)/g)
  expect(built.length).toBeGreaterThan(0)
  expect(new Set(built)).toEqual(new Set([version]))
})

describe('docs/operating.md', () => {
  test('has a row for every option', () => {
    const options = optionsOf(CONFIG_SCHEMA)
    expect(options.filter((option) => !OPERATING.includes(`| \`${option}\` |`))).toEqual([])
  })

  test('names every reason why an upstream is or is not used', () => {
    const source =
      read('src/upstream/pool/upstream-choice.ts') + read('src/upstream/answers/network-report.ts')
    const reasons = wordsIn(source, /(?:return|reason:(?: verdict\?\.reason \?\?)?) (['`])(.+?)\1/g)
    expect(reasons.length).toBeGreaterThan(12)
    for (const reason of reasons) expect(OPERATING).toContain(`| \`${reason}\` |`)
  })

  test('names every fault that an upstream can have', () => {
    const source = folder('src/upstream')
    const faults = [
      ...wordsIn(source, /noteFailure\(\w+, (['`])(.+?)\1/g),
      ...wordsIn(source, /failed\((['`])(.+?)\1/g),
      ...wordsIn(source, /lastFault = (['`])(.+?)\1/g),
    ].filter((fault) => !fault.startsWith('http_'))
    expect(faults.length).toBeGreaterThan(4)
    for (const fault of faults) expect(OPERATING).toContain(`\`${fault}\``)
  })

  test('has a row for every metric', () => {
    const rows = Object.entries(METRICS).map(([name, { kind, labels }]) => {
      const listed = labels.map((label) => ` \`${label}\``).join()
      return `| \`${name}\` | ${kind} |${listed} | `
    })
    expect(rows.filter((row) => !OPERATING.includes(row))).toEqual([])
  })

  test('names every event of the log', () => {
    const logged = /log\(\s*[^,()]+,\s*(['`])([a-z_]+)\1/g
    const events = wordsIn(folder('src'), logged)
    expect(events.length).toBeGreaterThan(5)
    for (const event of events.filter((name) => name !== 'rpc')) {
      expect(OPERATING).toContain(`| \`${event}\` |`)
    }
  })
})

describe('docs/api.md', () => {
  const calls = Object.entries(OPEN_API.paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, methods]) => Object.keys(methods).map((it) => `${it.toUpperCase()} ${path}`))

  test('has a row for every call, and none for another', () => {
    const rows = [...API.matchAll(/^\| `([A-Z]+ \/api\/[^`]+)` \|/gm)].map((row) => row[1] ?? '')
    expect(rows.toSorted()).toEqual(calls.toSorted())
  })
})

describe('docs/concepts.md', () => {
  test.each(['evm', 'solana'] as const)('has the price of every %s method', (kind) => {
    const prices = pricesShown()
    const wrong = methodRows(kind).filter(({ name, cu, throughputCu = cu }) => {
      const shown = prices.get(name) ?? prices.get(prefixShown(prices, name))
      const { billed, throughput } = shown ?? { billed: UNLISTED_CU, throughput: UNLISTED_CU }
      return billed !== cu || throughput !== throughputCu
    })
    expect(wrong).toEqual([])
  })
})

test('ARCHITECTURE.md has a row for every room', () => {
  const rooms = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `| \`src/${name}\` |`)
  for (const room of rooms) expect(read('ARCHITECTURE.md')).toContain(room)
})

/** All options that hold a value of their own, as the manual writes them. */
function optionsOf(schema: JsonSchema, path = ''): string[] {
  if (schema.items?.properties) return [path, ...optionsOf(schema.items, `${path}[]`)]
  if (isJsonObject(schema.additionalProperties) && schema.additionalProperties.properties) {
    return optionsOf(schema.additionalProperties, `${path}.<name>`)
  }
  if (!schema.properties) return [path]
  return Object.entries(schema.properties).flatMap(([name, member]) =>
    optionsOf(member, path === '' ? name : `${path}.${name}`),
  )
}

function pricesShown() {
  const rows = [...CONCEPTS.matchAll(/^\| (`.+`) \| (\d+) \|(?: (\d*) ?\|)?$/gm)]
  return new Map(
    rows.flatMap(([, names = '', cu = '', throughputCu]) =>
      [...names.matchAll(/`(.+?)`/g)].map(([, name = '']) => {
        const price = { billed: Number(cu), throughput: Number(throughputCu || cu) }
        return [name, price] as const
      }),
    ),
  )
}

/** `debug_set*` costs what `debug_*` costs. */
function prefixShown(prices: ReadonlyMap<string, unknown>, name: string): string {
  const prefixes = [...prices.keys()].filter((key) => key.endsWith('*'))
  return prefixes.find((prefix) => name.startsWith(prefix.slice(0, -1))) ?? ''
}

/** The second group of each match; what is filled in at run time becomes N. */
function wordsIn(source: string, pattern: RegExp): string[] {
  return [...source.matchAll(pattern)].map((word) => (word[2] ?? '').replace(/\$\{[^}]+\}/g, 'N'))
}

function folder(name: string): string {
  return readdirSync(join(ROOT, name), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => read(join(name, file)))
    .join('\n')
}

function read(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8')
}

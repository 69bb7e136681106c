import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse, print } from 'graphql'
import { RECIPE_GROUPS, RECIPES } from '../../../dashboard/pages/editor/recipes.ts'
import { buildSite } from '../../../scripts/docs-site/build-site.ts'
import {
  asTopic,
  type CookbookBlock,
  DEPLOYER,
  mineCookbookBlock,
  POOL,
  WALLET,
} from '../../support/blocks/cookbook-block.ts'
import { COOKBOOK_LOGS, OF_POOL, topicOf } from '../../support/blocks/cookbook-logs.ts'
import type { NodeJson } from '../../support/blocks/node-json.ts'
import { startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'

/** Some seconds of a real chain, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const DOCS = `${ROOT}docs/`
const MANUAL = readFileSync(`${DOCS}cookbook.md`, 'utf8')

/** So long that every block is made on command. */
const BLOCK_TIME_MS = 600_000

/** The items of each list that a recipe asks for, by the names of what was sent. */
const FINDS: Record<string, Record<string, readonly string[]>> = {
  'token-transfers': { received: ['usdc to ours'], sent: ['usdc from ours'] },
  'large-transfers': {
    logs: ['usdc to ours', 'usdc from ours', 'usdc of others', 'usdt to ours'],
  },
  'issued-and-redeemed': { issued: ['dai issued'], redeemed: ['dai redeemed'] },
  'nft-mints': { logs: ['nft minted'] },
  'nft-sales': { logs: ['nft sold'] },
  approvals: { logs: ['usdc approved by ours', 'collection approved by ours'] },
  'swaps-of-a-pool': { logs: ['swap of v2', 'swap of v3'] },
  'new-pools': { pairs: ['pair made'], pools: ['pool made'] },
  liquidations: { logs: ['liquidated'] },
  'price-updates': { logs: ['answer'] },
  'address-activity': { transactions: ['pays the wallet'] },
  'internal-calls': { callTracerTraces: ['pays the wallet', 'pays the wallet inside'] },
  'eth-transfers-as-logs': { received: ['eth to ours'], sent: ['eth from ours'] },
  'contract-creations': { transactions: ['deploys'] },
  'events-of-a-contract': { logs: OF_POOL },
  'proxy-upgrades': { logs: ['upgraded', 'beacon upgraded', 'admin changed'] },
  'governance-votes': { logs: ['vote', 'proposal'] },
  'multisig-executions': { logs: ['executed', 'not executed'] },
  'user-operations': { logs: ['operation of ours'] },
  'bridge-deposits': { logs: ['deposited'] },
  heartbeat: {},
}

/** The items of each variable that a recipe names. */
const VARIABLES: Record<string, readonly string[]> = {
  walletTopics: [asTopic(WALLET)],
  ownerTopics: [asTopic(WALLET)],
  accountTopics: [asTopic(WALLET)],
  wallets: [WALLET],
  deployers: [DEPLOYER],
  pools: [POOL],
  aggregators: [POOL],
  contracts: [POOL],
  proxies: [POOL],
  safes: [POOL],
}

describe('each query of the cookbook, on a block of the embedded chain', () => {
  let headgate: TestHeadgate
  let block: CookbookBlock

  beforeAll(async () => {
    const env = { HEADGATE_DEVNET_BLOCK_TIME_MS: String(BLOCK_TIME_MS) }
    headgate = await startHeadgate({ env })
    for (const [name, items] of Object.entries(VARIABLES)) {
      const { status } = await headgate.api('POST', `/api/graphql/variables/${name}`, { items })
      expect(status).toBe(201)
    }
    block = await mineCookbookBlock(headgate, COOKBOOK_LOGS)
  })

  afterAll(() => headgate.stop())

  test.each(RECIPES.map((recipe) => [recipe.id, recipe] as const))('%s', async (id, recipe) => {
    const asked = { network: 'ETH_DEVNET', graphql_query: recipe.query, block: block.number }
    const { status, text, json } = await headgate.api('POST', '/api/test-query', asked)
    expect(status, text).toBe(200)
    expect(json.variables, 'every variable is there').toBeUndefined()
    const lists = Object.entries<NodeJson[]>(json.data.block).filter(([, value]) =>
      Array.isArray(value),
    )
    const found = lists.map(([name, items]) => [name, items.map(nameOf)])
    expect(Object.fromEntries(found)).toEqual(FINDS[id])
    expect(json.empty).toBe(false)
  })

  /** The name of what an item belongs to. A log's data is its place in the list of logs. */
  function nameOf(item: NodeJson): string {
    const hash = item.transaction?.hash ?? item.hash
    if (hash !== undefined) return block.names.get(hash) ?? `unknown ${hash}`
    return COOKBOOK_LOGS[Number(item.data)]?.name ?? 'unknown'
  }

  test.each(RECIPES.map((recipe) => [recipe.id, recipe] as const))(
    '%s is empty where nothing happened, unless it is for every block',
    async (_id, { query, skipEmpty }) => {
      const asked = { network: 'ETH_DEVNET', graphql_query: query, block: 0 }
      const { json } = await headgate.api('POST', '/api/test-query', asked)
      expect(json.empty).toBe(skipEmpty)
    },
  )
})

describe('the cookbook', () => {
  test('has 21 recipes, each with a name and a title of its own', () => {
    expect(RECIPES).toHaveLength(21)
    expect(new Set(RECIPES.map(({ id }) => id)).size).toBe(21)
    expect(new Set(RECIPES.map(({ title }) => title)).size).toBe(21)
    expect(Object.keys(FINDS).sort()).toEqual(RECIPES.map(({ id }) => id).sort())
  })

  test('has the topics of the events that stand beside them', () => {
    const queries = RECIPES.map(({ query }) => query).join('\n')
    const beside = /# (\w+\([\w,]*\))\n\s*(?:topics: \[)?"(0x[0-9a-f]{64})"/g
    const pairs = [...queries.matchAll(beside)]
    expect(pairs.length).toBeGreaterThan(15)
    for (const [, signature = '', topic = ''] of pairs) expect(topicOf(signature)).toBe(topic)
  })

  test('has the files of docs/cookbook, each named after its title', () => {
    const files = [...new Bun.Glob('*').scanSync({ cwd: `${DOCS}cookbook` })]
    expect(files.sort()).toEqual(RECIPES.map(({ id }) => `${id}.graphql`).sort())
  })

  test.each(RECIPES.map((recipe) => [recipe.id, recipe] as const))(
    '%s is in the manual, with what it finds and the variables it names',
    (id, { title, finds, skipEmpty, query }) => {
      const [, part = ''] = MANUAL.split(`### ${title}\n\n`)
      const [words = '', link] = part.split('\n\n')
      const said = words.replaceAll('\n', ' ')
      expect(said).toStartWith(`${finds}.`)
      expect(said.includes('Made for `skip_empty_messages: true`.')).toBe(skipEmpty)
      expect(link).toBe(`[${id}.graphql](cookbook/${id}.graphql)`)
      const [operation] = parse(query).definitions
      const declared =
        operation?.kind === 'OperationDefinition' ? (operation.variableDefinitions ?? []) : []
      for (const { variable, type } of declared) {
        expect(said).toContain(`\`$${variable.name.value}\` (\`${print(type)}\`) has `)
      }
    },
  )

  test('lists its groups in the order of the manual', () => {
    const headings = [...MANUAL.matchAll(/^##+ (.+)$/gm)].map(([, heading]) => heading)
    const groups = RECIPE_GROUPS.flatMap(({ title, recipes }) => [
      title,
      ...recipes.map((recipe) => recipe.title),
    ])
    expect(headings).toEqual([...groups, 'From the command line'])
  })

  test('shows its queries on the page of the manual, without their first comments', () => {
    const page = buildSite(ROOT, (name) => name).get('/docs/cookbook')?.text ?? ''
    const text = page.replace(/<[^>]*>/g, '').replaceAll('&quot;', '"')
    for (const { query } of RECIPES) expect(text).toContain(query)
    expect(text).not.toContain('# title:')
  })
})

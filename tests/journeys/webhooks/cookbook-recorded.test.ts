import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'graphql'
import { RECIPES } from '../../../dashboard/pages/editor/recipes.ts'
import { Rejection } from '../../../src/core/errors.ts'
import { runOnce } from '../../../src/core/query/engine/run-once.ts'
import { openVariableRegistry } from '../../../src/core/query/keys/variable-registry.ts'
import { compileQuery } from '../../../src/core/query/language/compile-query.ts'
import { asTopic } from '../../support/blocks/cookbook-block.ts'
import { openOracle } from '../../support/blocks/graphql-oracle.ts'
import { assembled } from '../../support/product/assembled.ts'

/** A block of Ethereum's main network, recorded from a node; too big for the repository. */
const BLOCK = fileURLToPath(new URL('../../../../shared/data/mainnet-25604144/', import.meta.url))

const TEAM = 'team_a'

/** Addresses that did something in that block. */
const VARIABLES: Record<string, string[]> = {
  walletTopics: [asTopic('0xdc4858741e738bb304fc5b290e7b9453da6a5baa')],
  ownerTopics: [asTopic('0xb2dc2da9684dfef77cfa5c6bb07e733023715292')],
  accountTopics: [
    asTopic('0xef70d0222e6d017c4de005587c34f53226ce3219'),
    asTopic('0x09aaee2ce2783fd6ef6b6162ceaaf4994b99a6d4'),
  ],
  wallets: ['0x7a250d5630b4cf539739df2c5dacb4c659f2488d'],
  deployers: ['0xa58428fd982447bdef7c8b6db6e9beb964b56147'],
  pools: [
    '0x6340b52f00ffaa6547ef9e95646ef2e4f2aa942c',
    '0xe0554a476a092703abdb3ef35c80e0d76d32939f',
  ],
  aggregators: [],
  contracts: ['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'],
  proxies: ['0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'],
  safes: ['0xd03a6771b64e9a759523af3a89fc982b2dd38591'],
}

/** How many items each list has; nobody was liquidated in that block, or voted. */
const COUNTS: Record<string, Record<string, number>> = {
  'token-transfers': { received: 0, sent: 16 },
  'large-transfers': { logs: 167 },
  'issued-and-redeemed': { issued: 0, redeemed: 1 },
  'nft-mints': { logs: 1 },
  'nft-sales': { logs: 3 },
  approvals: { logs: 4 },
  'address-activity': { transactions: 8 },
  'internal-calls': { callTracerTraces: 12 },
  'eth-transfers-as-logs': { received: 0, sent: 0 },
  'contract-creations': { transactions: 7 },
  'events-of-a-contract': { logs: 60 },
  'proxy-upgrades': { logs: 0 },
  'swaps-of-a-pool': { logs: 7 },
  'new-pools': { pairs: 0, pools: 0 },
  liquidations: { logs: 0 },
  'price-updates': { logs: 0 },
  'governance-votes': { logs: 0 },
  'multisig-executions': { logs: 1 },
  'user-operations': { logs: 2 },
  'bridge-deposits': { logs: 0 },
  heartbeat: {},
}

describe.if(existsSync(BLOCK))('each query of the cookbook, on a recorded block', () => {
  const oracle = openOracle()
  const registry = openVariableRegistry()
  for (const [name, items] of Object.entries(VARIABLES)) registry.set(TEAM, name, items)
  let recorded: ReturnType<typeof read> | null = null

  test.each(RECIPES.map((recipe) => [recipe.id, recipe] as const))('%s', (id, { query }) => {
    recorded ??= read()
    const plan = compileQuery(query)
    if (plan instanceof Rejection) throw new Error(plan.message)
    const ran = runOnce(plan, recorded.block, (name) => registry.find(TEAM, name))
    const answer = oracle.answer(recorded.root, parse(query), VARIABLES)
    expect(ran.text === JSON.stringify(answer), 'graphql-js answers the same').toBe(true)
    expect<unknown>(ran.matched).toEqual(COUNTS[id])
  })

  function read() {
    const part = (name: string) => JSON.parse(readFileSync(`${BLOCK}${name}.json`, 'utf8'))
    const made = { block: part('block'), receipts: part('receipts'), traces: part('callTracer') }
    return { block: assembled(made), root: oracle.prepare(made) }
  }
})

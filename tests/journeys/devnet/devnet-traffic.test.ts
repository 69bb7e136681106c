import { expect, setDefaultTimeout, test } from 'bun:test'
import { RECIPES } from '../../../dashboard/pages/editor/recipes.ts'
import { CONTRACTS } from '../../../packages/devnet/src/evm/contracts/contracts.ts'
import { TRADERS } from '../../../packages/devnet/src/evm/test-accounts.ts'
import { asTopic } from '../../support/blocks/cookbook-block.ts'
import { localInbox } from '../../support/deliveries/local-inbox.ts'
import { startHeadgate, until } from '../../support/product/headgate.ts'

/** Some seconds of a real chain, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

/** A few dozen. */
const BLOCKS = 36

const PER_BLOCK = 6

/** Contracts of the main network that queries name, and ours in their place. */
const OURS: Readonly<Record<string, string>> = {
  '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48': CONTRACTS.dollar,
  '0xdac17f958d2ee523a2206206994597c13d831ec7': CONTRACTS.orchard,
  '0x6b175474e89094c44da98b954eedeac495271d0f': CONTRACTS.dollar,
  '0x0000000000000068f116a894984e2db1123eb395': CONTRACTS.market,
  '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f': CONTRACTS.poolFactory,
  '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2': CONTRACTS.lender,
  '0x408ed6354d4973f66138c91495f2f2fcbd8724c3': CONTRACTS.governor,
  '0x0000000071727de22e5e9d8baf0edac6f37da032': CONTRACTS.entryPoint,
  '0x49048044d57e1c92a77f79988d21fa8faf74e97e': CONTRACTS.bridge,
}

const WALLETS = TRADERS.map(([address]) => address)

const VARIABLES: Record<string, readonly string[]> = {
  walletTopics: WALLETS.map(asTopic),
  ownerTopics: WALLETS.map(asTopic),
  accountTopics: WALLETS.map(asTopic),
  wallets: WALLETS,
  deployers: WALLETS,
  pools: [CONTRACTS.dollarEther],
  aggregators: [CONTRACTS.priceFeed],
  contracts: [CONTRACTS.router, CONTRACTS.collection],
  proxies: [CONTRACTS.proxy],
  safes: [CONTRACTS.multisig],
}

/** ETH_DEVNET runs today's fork, on which ETH transfers leave no logs. */
const OF_THE_NEXT_FORK = ['eth-transfers-as-logs']

test('every query of the cookbook finds something in a few dozen blocks', async () => {
  const headgate = await startHeadgate({
    env: {
      HEADGATE_DEVNET_BLOCK_TIME_MS: '600000',
      HEADGATE_DEVNET_TRANSACTIONS_PER_BLOCK: String(PER_BLOCK),
    },
  })
  const local = localInbox(headgate)
  for (const [name, items] of Object.entries(VARIABLES)) {
    const { status } = await headgate.api('POST', `/api/graphql/variables/${name}`, { items })
    expect(status).toBe(201)
  }
  for (const { id, query } of RECIPES) {
    const ours = query.replace(/0x[0-9a-f]{40}(?![0-9a-f])/g, (address) => OURS[address] ?? address)
    const graphql_query = { query: ours, skip_empty_messages: true }
    await local.createWebhook(id, { graphql_query })
  }
  const { blocks, head } = await local.mine(BLOCKS)
  expect(head.number).toBeLessThan(BLOCKS + 3)
  expect(blocks.at(-1)?.transactions).toBe(PER_BLOCK)
  const silent = async () => {
    const heard = new Set((await local.inboxes()).map(({ name }) => name))
    return RECIPES.map(({ id }) => id).filter((id) => !heard.has(id))
  }
  const isHeard = async () => (await silent()).length === OF_THE_NEXT_FORK.length
  await until(isHeard, 'each has found something', 20_000).catch(() => {})
  expect(await silent()).toEqual(OF_THE_NEXT_FORK)
  await headgate.stop()
})

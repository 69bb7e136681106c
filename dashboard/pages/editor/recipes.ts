/// <reference path="./text-files.d.ts" />
import addressActivity from '../../../docs/cookbook/address-activity.graphql' with { type: 'text' }
import approvals from '../../../docs/cookbook/approvals.graphql' with { type: 'text' }
import bridgeDeposits from '../../../docs/cookbook/bridge-deposits.graphql' with { type: 'text' }
import creations from '../../../docs/cookbook/contract-creations.graphql' with { type: 'text' }
import ethLogs from '../../../docs/cookbook/eth-transfers-as-logs.graphql' with { type: 'text' }
import events from '../../../docs/cookbook/events-of-a-contract.graphql' with { type: 'text' }
import governanceVotes from '../../../docs/cookbook/governance-votes.graphql' with { type: 'text' }
import heartbeat from '../../../docs/cookbook/heartbeat.graphql' with { type: 'text' }
import internalCalls from '../../../docs/cookbook/internal-calls.graphql' with { type: 'text' }
import issued from '../../../docs/cookbook/issued-and-redeemed.graphql' with { type: 'text' }
import largeTransfers from '../../../docs/cookbook/large-transfers.graphql' with { type: 'text' }
import liquidations from '../../../docs/cookbook/liquidations.graphql' with { type: 'text' }
import multisigs from '../../../docs/cookbook/multisig-executions.graphql' with { type: 'text' }
import newPools from '../../../docs/cookbook/new-pools.graphql' with { type: 'text' }
import nftMints from '../../../docs/cookbook/nft-mints.graphql' with { type: 'text' }
import nftSales from '../../../docs/cookbook/nft-sales.graphql' with { type: 'text' }
import priceUpdates from '../../../docs/cookbook/price-updates.graphql' with { type: 'text' }
import proxyUpgrades from '../../../docs/cookbook/proxy-upgrades.graphql' with { type: 'text' }
import swapsOfAPool from '../../../docs/cookbook/swaps-of-a-pool.graphql' with { type: 'text' }
import tokenTransfers from '../../../docs/cookbook/token-transfers.graphql' with { type: 'text' }
import userOperations from '../../../docs/cookbook/user-operations.graphql' with { type: 'text' }

export type Recipe = {
  id: string
  title: string
  /** One line: what is delivered. */
  finds: string
  /** Where in a block it looks. */
  looksAt: string
  variables: readonly string[]
  /** True when a block without a match is of no use to the receiver. */
  skipEmpty: boolean
  query: string
}

type RecipeGroup = { title: string; recipes: readonly Recipe[] }

/** The templates of the editor: the files of docs/cookbook, in the order of the manual. */
export const RECIPE_GROUPS: readonly RecipeGroup[] = [
  group('Tokens', [tokenTransfers, largeTransfers, issued, nftMints, nftSales, approvals]),
  group('Addresses and contracts', [
    addressActivity,
    internalCalls,
    ethLogs,
    creations,
    events,
    proxyUpgrades,
  ]),
  group('Markets', [swapsOfAPool, newPools, liquidations, priceUpdates]),
  group('Protocols and the chain', [
    governanceVotes,
    multisigs,
    userOperations,
    bridgeDeposits,
    heartbeat,
  ]),
]

export const RECIPES: readonly Recipe[] = RECIPE_GROUPS.flatMap(({ recipes }) => recipes)

function group(title: string, files: readonly string[]): RecipeGroup {
  return { title, recipes: files.map(readRecipe) }
}

/** A file starts with comments such as `# title: Swaps of a pool`; an empty line ends them. */
function readRecipe(file: string): Recipe {
  const [comments = '', ...rest] = file.split('\n\n')
  const query = rest.join('\n\n')
  const said = new Map<string, string>()
  for (const [, name = '', value = ''] of comments.matchAll(/^# (\w+): (.+)$/gm)) {
    said.set(name, value)
  }
  const title = said.get('title') ?? ''
  return {
    id: title.toLowerCase().replaceAll(' ', '-'),
    title,
    finds: said.get('finds') ?? '',
    looksAt: said.get('looksAt') ?? '',
    variables: [...query.matchAll(/\$(\w+):/g)].map(([, name = '']) => name),
    skipEmpty: said.get('skipEmpty') === 'true',
    query,
  }
}

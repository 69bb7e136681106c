import type { Recipe } from './recipe.ts'

/** Exchanges, lending and prices. */
export const MARKET_RECIPES: readonly Recipe[] = [
  {
    id: 'swaps',
    title: 'Swaps of a pool',
    looksAt: 'logs',
    finds: 'Each swap in pools of Uniswap’s second and third version, and of all that copied them',
    variables: [{ name: 'pools', kind: 'Address', of: 'the pools' }],
    skipEmpty: true,
    namesContracts: false,
    query: `query ($pools: [Address!]) {
  block {
    number
    timestamp
    logs(filter: {
      addresses: $pools
      topics: [[
        # Swap(address,uint256,uint256,uint256,uint256,address)
        "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822"
        # Swap(address,address,int256,int256,uint160,uint128,int24)
        "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67"
      ]]
    }) {
      index
      account { address }
      topics
      data
      transaction { hash from { address } }
    }
  }
}
`,
  },
  {
    id: 'new-pools',
    title: 'New pools',
    looksAt: 'logs',
    finds: 'Pools that Uniswap’s factories make, with their two tokens',
    variables: [],
    skipEmpty: true,
    namesContracts: true,
    query: `{
  block {
    number
    pairs: logs(filter: {
      # Uniswap V2
      addresses: ["0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f"]
      # PairCreated(address,address,address,uint256)
      topics: ["0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9"]
    }) { topics data transaction { hash from { address } } }
    pools: logs(filter: {
      # Uniswap V3
      addresses: ["0x1f98431c8ad98523631ae4a59f267346ea31f984"]
      # PoolCreated(address,address,uint24,int24,address)
      topics: ["0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118"]
    }) { topics data transaction { hash from { address } } }
  }
}
`,
  },
  {
    id: 'liquidations',
    title: 'Liquidations',
    looksAt: 'logs',
    finds: 'Positions on Aave that were liquidated: collateral, debt and whose it was',
    note: 'Topics 2, 3 and 4 are the collateral, the debt’s asset and the borrower.',
    variables: [],
    skipEmpty: true,
    namesContracts: true,
    query: `{
  block {
    number
    logs(filter: {
      # The pool of Aave V3
      addresses: ["0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2"]
      # LiquidationCall(address,address,address,uint256,uint256,address,bool)
      topics: ["0xe413a321e8681d831f4dbccbca790d2952b56f977908e45be37335533e005286"]
    }) {
      topics
      data
      transaction { hash from { address } effectiveGasPrice gasUsed }
    }
  }
}
`,
  },
  {
    id: 'price-updates',
    title: 'Price updates',
    looksAt: 'logs',
    finds: 'New answers of Chainlink’s feeds',
    note:
      'Feeds answer from an aggregator behind them, whose address changes now and then: ask the ' +
      'feed for `aggregator()`. The answer is the second topic.',
    variables: [{ name: 'aggregators', kind: 'Address', of: 'the aggregators' }],
    skipEmpty: true,
    namesContracts: false,
    query: `query ($aggregators: [Address!]) {
  block {
    number
    logs(filter: {
      addresses: $aggregators
      # AnswerUpdated(int256,uint256,uint256)
      topics: ["0x0559884fd3a460db3073b7fc896cc77986f16e378210ded43186175bf646fc5f"]
    }) {
      account { address }
      topics
      data
    }
  }
}
`,
  },
]

import type { Recipe } from './recipe.ts'

/** Addresses and contracts: what they send, receive, call and make. */
export const ACCOUNT_RECIPES: readonly Recipe[] = [
  {
    id: 'address-activity',
    title: 'Address activity',
    looksAt: 'transactions',
    finds: 'Transactions that addresses of yours sent or received, with status and gas',
    note: 'Value that moves inside of other calls is not here: see internal calls.',
    variables: [{ name: 'wallets', kind: 'Address', of: 'your addresses' }],
    skipEmpty: true,
    namesContracts: false,
    query: `query ($wallets: [Address!]) {
  block {
    number
    timestamp
    # Between the two objects one is enough.
    transactions(filter: {addresses: [{from: $wallets}, {to: $wallets}]}) {
      hash
      from { address }
      to { address }
      value
      status
      gasUsed
      effectiveGasPrice
    }
  }
}
`,
  },
  {
    id: 'internal-calls',
    title: 'Internal calls',
    looksAt: 'callTracerTraces',
    finds: 'Value that reaches addresses of yours inside other calls',
    note:
      'A call that failed, or whose caller did, moved nothing: look at `error` and at the ' +
      'transaction’s `status`. The network’s nodes must serve traces.',
    variables: [{ name: 'wallets', kind: 'Address', of: 'your addresses' }],
    skipEmpty: true,
    namesContracts: false,
    query: `query ($wallets: [Address!]) {
  block {
    number
    callTracerTraces(filter: {addresses: [{to: $wallets}]}) {
      type
      from { address }
      to { address }
      value
      error
      traceAddressPath
      transaction { hash status }
    }
  }
}
`,
  },
  {
    id: 'eth-transfers',
    title: 'ETH transfers as logs',
    looksAt: 'logs',
    finds: 'ETH that your addresses send or receive, from the Amsterdam fork on',
    note:
      'Since Amsterdam, each ETH transfer leaves a log, also inside other calls (EIP-7708). Earlier ' +
      'forks, `ETH_DEVNET` included, have no such logs. You need no traces, and Headgate can prove ' +
      'these logs. Fees and withdrawals leave none. In a topic, an address has 12 zero bytes in front.',
    variables: [{ name: 'walletTopics', kind: 'Bytes32', of: 'your addresses, as topics' }],
    skipEmpty: true,
    namesContracts: false,
    query: `query ($walletTopics: [Bytes32!]) {
  block {
    number
    received: logs(filter: {
      # The system address
      addresses: ["0xfffffffffffffffffffffffffffffffffffffffe"]
      topics: [
        # Transfer(address,address,uint256)
        "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
        []
        $walletTopics
      ]
    }) { ...transfer }
    sent: logs(filter: {
      addresses: ["0xfffffffffffffffffffffffffffffffffffffffe"]
      topics: [
        # Transfer(address,address,uint256)
        "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
        $walletTopics
      ]
    }) { ...transfer }
  }
}

fragment transfer on Log {
  topics
  # In wei
  data
  transaction { hash }
}
`,
  },
  {
    id: 'contract-creations',
    title: 'Contract creations',
    looksAt: 'transactions',
    finds: 'Contracts that your deployers make, and what else they send',
    note:
      'Filters cannot ask for “no recipient”, so all transactions of the deployers come; those ' +
      'that made a contract have a `createdContract`.',
    variables: [{ name: 'deployers', kind: 'Address', of: 'the deployers' }],
    skipEmpty: true,
    namesContracts: false,
    query: `query ($deployers: [Address!]) {
  block {
    number
    transactions(filter: {addresses: [{from: $deployers}]}) {
      hash
      from { address }
      to { address }
      createdContract { address }
      status
      gasUsed
    }
  }
}
`,
  },
  {
    id: 'contract-events',
    title: 'Events of a contract',
    looksAt: 'logs',
    finds: 'All that contracts of yours emit',
    note: 'Add `topics` to the filter for some of their events alone.',
    variables: [{ name: 'contracts', kind: 'Address', of: 'the contracts' }],
    skipEmpty: true,
    namesContracts: false,
    query: `query ($contracts: [Address!]) {
  block {
    number
    hash
    logs(filter: {addresses: $contracts}) {
      index
      account { address }
      topics
      data
      transaction { hash index from { address } }
    }
  }
}
`,
  },
  {
    id: 'proxy-upgrades',
    title: 'Proxy upgrades',
    looksAt: 'logs',
    finds: 'Proxies that got another implementation, beacon or admin (ERC-1967)',
    variables: [{ name: 'proxies', kind: 'Address', of: 'the proxies that you rely on' }],
    skipEmpty: true,
    namesContracts: false,
    query: `query ($proxies: [Address!]) {
  block {
    number
    logs(filter: {
      addresses: $proxies
      topics: [[
        # Upgraded(address)
        "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b"
        # BeaconUpgraded(address)
        "0x1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e"
        # AdminChanged(address,address)
        "0x7e644d79422f17c01e4894b5f4f588d331ebfa28653d42ae832dc59e38c9798f"
      ]]
    }) {
      account { address }
      topics
      data
      transaction { hash from { address } }
    }
  }
}
`,
  },
]

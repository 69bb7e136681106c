import type { Recipe } from './recipe.ts'

const TOPIC_NOTE =
  'An address stands in a topic as 32 bytes, with 12 zero bytes before it: so do items of the list.'

/** Tokens and collectibles: who has what, and who may take it. */
export const TOKEN_RECIPES: readonly Recipe[] = [
  {
    id: 'token-transfers',
    title: 'Token transfers',
    looksAt: 'logs',
    finds: 'Transfers of one token, to or from addresses of yours',
    note: TOPIC_NOTE,
    variables: [{ name: 'walletTopics', kind: 'Bytes32', of: 'your addresses, as topics' }],
    skipEmpty: true,
    namesContracts: true,
    query: `query ($walletTopics: [Bytes32!]) {
  block {
    number
    hash
    received: logs(filter: {
      # USDC
      addresses: ["0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"]
      topics: [
        # Transfer(address,address,uint256)
        "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
        []
        $walletTopics
      ]
    }) { ...transfer }
    sent: logs(filter: {
      addresses: ["0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"]
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
  data
  transaction { hash }
}
`,
  },
  {
    id: 'large-transfers',
    title: 'Large transfers',
    looksAt: 'logs',
    finds: 'Every transfer of two stablecoins, with its amount',
    note:
      'Filters compare addresses and topics, not amounts: the receiver drops the small ones, ' +
      'those below a million with `BigInt(log.data) < 1_000_000_000_000n`.',
    variables: [],
    skipEmpty: true,
    namesContracts: true,
    query: `{
  block {
    number
    timestamp
    logs(filter: {
      addresses: [
        # USDC
        "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
        # USDT
        "0xdac17f958d2ee523a2206206994597c13d831ec7"
      ]
      # Transfer(address,address,uint256)
      topics: ["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"]
    }) {
      account { address }
      topics
      data
      transaction { hash }
    }
  }
}
`,
  },
  {
    id: 'issued-and-redeemed',
    title: 'Issued and redeemed',
    looksAt: 'logs',
    finds: 'A token that comes into being or is burnt',
    note: 'Both are transfers: from the zero address, and to it.',
    variables: [],
    skipEmpty: true,
    namesContracts: true,
    query: `{
  block {
    number
    issued: logs(filter: {
      # DAI
      addresses: ["0x6b175474e89094c44da98b954eedeac495271d0f"]
      topics: [
        # Transfer(address,address,uint256)
        "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
        "0x0000000000000000000000000000000000000000000000000000000000000000"
      ]
    }) { topics data transaction { hash } }
    redeemed: logs(filter: {
      addresses: ["0x6b175474e89094c44da98b954eedeac495271d0f"]
      topics: [
        # Transfer(address,address,uint256)
        "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
        []
        "0x0000000000000000000000000000000000000000000000000000000000000000"
      ]
    }) { topics data transaction { hash } }
  }
}
`,
  },
  {
    id: 'nft-mints',
    title: 'NFT mints',
    looksAt: 'logs',
    finds: 'New collectibles of any collection, and who got them',
    note:
      'Four topics tell an ERC-721 transfer from one of a token, which has the amount in `data` ' +
      'instead. Name a collection in `addresses` for one alone.',
    variables: [],
    skipEmpty: true,
    namesContracts: false,
    query: `{
  block {
    number
    logs(filter: {
      topics: [
        # Transfer(address,address,uint256)
        "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
        # from nobody
        "0x0000000000000000000000000000000000000000000000000000000000000000"
        []
        []
      ]
    }) {
      account { address }
      topics
      transaction { hash from { address } value }
    }
  }
}
`,
  },
  {
    id: 'nft-sales',
    title: 'NFT sales',
    looksAt: 'logs',
    finds: 'Orders that Seaport filled, with what was paid in the same transaction',
    variables: [],
    skipEmpty: true,
    namesContracts: true,
    query: `{
  block {
    number
    logs(filter: {
      addresses: [
        # Seaport 1.5 and 1.6
        "0x00000000000000adc04c56bf30ac9d3c0aaf14dc"
        "0x0000000000000068f116a894984e2db1123eb395"
      ]
      # OrderFulfilled, whose data has the offer and the consideration
      topics: ["0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31"]
    }) {
      topics
      data
      transaction { hash value from { address } }
    }
  }
}
`,
  },
  {
    id: 'approvals',
    title: 'Approvals',
    looksAt: 'logs',
    finds: 'Who may take what from addresses of yours: tokens, one NFT, or all of a collection',
    note: TOPIC_NOTE,
    variables: [{ name: 'ownerTopics', kind: 'Bytes32', of: 'your addresses, as topics' }],
    skipEmpty: true,
    namesContracts: false,
    query: `query ($ownerTopics: [Bytes32!]) {
  block {
    number
    logs(filter: {
      topics: [
        [
          # Approval(address,address,uint256)
          "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"
          # ApprovalForAll(address,address,bool)
          "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31"
        ]
        $ownerTopics
      ]
    }) {
      account { address }
      topics
      data
      transaction { hash to { address } }
    }
  }
}
`,
  },
]

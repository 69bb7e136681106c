import type { Recipe } from './recipe.ts'

/** Governance, shared wallets, bridges, and the chain itself. */
export const PROTOCOL_RECIPES: readonly Recipe[] = [
  {
    id: 'governance-votes',
    title: 'Governance votes',
    looksAt: 'logs',
    finds: 'Proposals and votes of a governor, with the reasons that voters gave',
    variables: [],
    skipEmpty: true,
    namesContracts: true,
    query: `{
  block {
    number
    timestamp
    logs(filter: {
      addresses: [
        # Uniswap
        "0x408ed6354d4973f66138c91495f2f2fcbd8724c3"
        # Compound
        "0xc0da02939e1441f497fd74f78ce7decb17b66529"
      ]
      topics: [[
        # VoteCast(address,uint256,uint8,uint256,string)
        "0xb8e138887d0aa13bab447e82de9d5c1777041ecd21ca36ba824ff1e6c07ddda4"
        # ProposalCreated, whose data has what it would do and why
        "0x7d84a6263ae0d98d3329bd7b46bb4e8d6f98cd35a7adb45c274c8b7fd5ebd5e0"
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
  {
    id: 'multisig-executions',
    title: 'Multisig executions',
    looksAt: 'logs',
    finds: 'Transactions that your Safes executed, or failed to',
    variables: [{ name: 'safes', kind: 'Address', of: 'your Safes' }],
    skipEmpty: true,
    namesContracts: false,
    query: `query ($safes: [Address!]) {
  block {
    number
    logs(filter: {
      addresses: $safes
      topics: [[
        # ExecutionSuccess(bytes32,uint256)
        "0x442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e"
        # ExecutionFailure(bytes32,uint256)
        "0x23428b18acfb3ea64b08dc0c1d296ea9c09702c09083ca5272e64d115b687d23"
      ]]
    }) {
      account { address }
      topics
      data
      transaction { hash from { address } gasUsed effectiveGasPrice }
    }
  }
}
`,
  },
  {
    id: 'user-operations',
    title: 'User operations',
    looksAt: 'logs',
    finds: 'Operations of smart accounts (ERC-4337), who paid for them and whether they worked',
    note: 'Topic 3 is the account and topic 4 the paymaster; `data` begins with nonce and success.',
    variables: [{ name: 'accountTopics', kind: 'Bytes32', of: 'the accounts, as topics' }],
    skipEmpty: true,
    namesContracts: true,
    query: `query ($accountTopics: [Bytes32!]) {
  block {
    number
    logs(filter: {
      addresses: [
        # The entry point, versions 0.6, 0.7 and 0.8
        "0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789"
        "0x0000000071727de22e5e9d8baf0edac6f37da032"
        "0x4337084d9e255ff0702461cf8895ce9e3b5ff108"
      ]
      topics: [
        # UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)
        "0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f"
        []
        $accountTopics
      ]
    }) {
      topics
      data
      transaction { hash from { address } }
    }
  }
}
`,
  },
  {
    id: 'bridge-deposits',
    title: 'Bridge deposits',
    looksAt: 'logs',
    finds: 'Deposits to Optimism and Base, from the moment they are on Ethereum',
    note: 'Topics 2 and 3 are from whom and to whom; whatever is below them is in `data`.',
    variables: [],
    skipEmpty: true,
    namesContracts: true,
    query: `{
  block {
    number
    logs(filter: {
      addresses: [
        # The portal of Optimism
        "0xbeb5fc579115071764c7423a4f12edde41f106ed"
        # The portal of Base
        "0x49048044d57e1c92a77f79988d21fa8faf74e97e"
      ]
      # TransactionDeposited(address,address,uint256,bytes)
      topics: ["0xb3813568d9991fc951961fcb4c784893574240a28925604d09fc577c55bb7c32"]
    }) {
      account { address }
      topics
      data
      transaction { hash value from { address } }
    }
  }
}
`,
  },
  {
    id: 'heartbeat',
    title: 'Heartbeat',
    looksAt: 'block',
    finds: 'Number, hash and fees of every block: a receipt that all is well',
    note: 'It asks for no list, so it is never empty and is delivered for every block.',
    variables: [],
    skipEmpty: false,
    namesContracts: false,
    query: `{
  block {
    number
    hash
    parent { hash }
    timestamp
    baseFeePerGas
    gasUsed
    gasLimit
  }
}
`,
  },
]

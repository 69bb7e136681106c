import { describe, expect, test } from 'bun:test'
import { parseVendorAddress, type VendorAddress } from '../../config/vendors/vendor-address.ts'
import type { NodeChain } from '../nodes/chain-of-node.ts'
import { planNetworks } from './plan-networks.ts'

const ALCHEMY = parseVendorAddress('alchemy://KEY') as VendorAddress
const MAINNET: NodeChain = { kind: 'evm', chainId: 1, known: 'ETH_MAINNET' }
const OWN_CHAIN: NodeChain = { kind: 'evm', chainId: 31_337, known: null }

const node = (chain: NodeChain | null, name = 'node-1') => ({
  name,
  url: 'https://user:hidden@node.example:8545/hidden-key',
  chain,
})

const idsOf = (planned: ReturnType<typeof planNetworks>) =>
  typeof planned === 'string' ? planned : planned.map(({ id, nodes }) => [id, nodes.length])

describe('the networks of a new configuration', () => {
  test('a node belongs to the network of its chain', () => {
    expect(idsOf(planNetworks([], [node(MAINNET), node(MAINNET, 'node-2')], []))).toEqual([
      ['ETH_MAINNET', 2],
    ])
  })

  test('a chain that is not known goes by its number, or by the name that was given', () => {
    expect(idsOf(planNetworks([], [node(OWN_CHAIN)], []))).toEqual([['CHAIN_31337', 1]])
    const named = planNetworks([ALCHEMY], [node(OWN_CHAIN)], ['ETH_MAINNET', 'MY_CHAIN'])
    expect(idsOf(named)).toEqual([
      ['ETH_MAINNET', 0],
      ['MY_CHAIN', 1],
    ])
  })

  test('all stands for every network that the vendors serve', () => {
    const planned = idsOf(planNetworks([ALCHEMY], [], ['all']))
    expect(planned).toContainEqual(['SOLANA_MAINNET', 0])
    expect(planned.length).toBeGreaterThan(10)
  })

  test.each([
    ['a vendor alone serves too many to guess', [ALCHEMY], [], [], '--network is missing'],
    ['a silent node', [], [node(null)], [], '--network is missing: the node at node.example:8545'],
    ['a network that nobody serves', [ALCHEMY], [], ['MY_CHAIN'], '--upstream is missing for MY_'],
    ['a slip', [ALCHEMY], [], ['ETH_MAINET'], 'Did you mean ETH_MAINNET?'],
  ])('%s is asked for by its flag', (_title, vendors, nodes, named, words) => {
    const said = planNetworks(vendors, nodes, named)
    expect(said).toContain(words)
    expect(said).not.toContain('hidden')
  })

  test('a silent node is on the one network that is named', () => {
    expect(idsOf(planNetworks([], [node(null)], ['ETH_SEPOLIA']))).toEqual([['ETH_SEPOLIA', 1]])
  })
})

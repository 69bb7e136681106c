import type { UpstreamSpec } from '../../../src/core/network.ts'
import type { FakeNode } from './fake-node.ts'

type NetworkMembers = Record<string, unknown> & {
  upstream?: Partial<UpstreamSpec>
}

/** An EVM network on fake nodes, as the configuration file would have it. */
export function evmNetwork(id: string, nodes: readonly FakeNode[], members: NetworkMembers = {}) {
  const usual = { id, kind: 'evm', chainId: 1, verify: 'off', blockTimeMs: 1000 }
  return network(usual, nodes, members)
}

/** A Solana network on fake nodes. */
export function solanaNetwork(
  id: string,
  nodes: readonly FakeNode[],
  members: NetworkMembers = {},
) {
  return network({ id, kind: 'solana', blockTimeMs: 400 }, nodes, members)
}

/** The environment that configures several networks at once. */
export function networksEnv(...networks: readonly object[]): Record<string, string> {
  return { HEADGATE_NETWORKS: JSON.stringify(networks) }
}

function network(
  usual: object,
  nodes: readonly FakeNode[],
  { upstream = {}, ...members }: NetworkMembers,
) {
  const upstreams = nodes.map(({ name, url }) => ({ name, url, ...upstream }))
  return { headPollMs: 100, ...usual, ...members, upstreams }
}

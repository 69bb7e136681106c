import { KNOWN_NETWORKS } from '../../config/vendors/known-networks.ts'
import { networksServed, type VendorAddress } from '../../config/vendors/vendor-address.ts'
import { closestName } from '../../core/closest-name.ts'
import type { InitNetwork, OwnNode } from './init-answers.ts'

const ALL_NETWORKS = 'all'

/**
 * The networks of the file, each with the nodes that are on its chain; a sentence that names what
 * is missing where they do not follow from what was said.
 */
export function planNetworks(
  vendors: readonly VendorAddress[],
  nodes: readonly OwnNode[],
  named: readonly string[],
): InitNetwork[] | string {
  const served = new Set(vendors.flatMap(networksServed))
  const wanted = named.includes(ALL_NETWORKS) ? [...served] : [...new Set(named)]
  if (wanted.length === 0 && nodes.length === 0) {
    return `--network is missing: which of ${[...served].join(', ')}, or ${ALL_NETWORKS}?`
  }
  const placed = placeNodes(nodes, wanted)
  if (typeof placed === 'string') return placed

  const ids = new Set([...wanted, ...placed.keys()])
  const alone = [...ids].find((id) => !placed.has(id) && !served.has(id))
  if (alone !== undefined) return noUpstream(alone)
  return [...ids].map((id) => {
    const own = placed.get(id) ?? []
    return { id, chain: own.find(({ chain }) => chain !== null)?.chain ?? null, nodes: own }
  })
}

function placeNodes(
  nodes: readonly OwnNode[],
  wanted: readonly string[],
): Map<string, OwnNode[]> | string {
  const placed = new Map<string, OwnNode[]>()
  for (const node of nodes) {
    const id = networkOf(node, wanted)
    if (id === null) {
      return `--network is missing: the node at ${hostOf(node.url)} did not say which chain it is on.`
    }
    placed.set(id, [...(placed.get(id) ?? []), node])
  }
  return placed
}

/** A chain that nobody knows takes the one name that nobody knows either, or one by its number. */
function networkOf({ chain }: OwnNode, wanted: readonly string[]): string | null {
  if (chain === null) return wanted.length === 1 ? (wanted[0] ?? null) : null
  if (chain.known !== null) return chain.known
  const unknown = wanted.filter((id) => !Object.hasOwn(KNOWN_NETWORKS, id))
  if (unknown.length === 1) return unknown[0] ?? null
  return chain.kind === 'evm' ? `CHAIN_${chain.chainId}` : 'SOLANA_OWN'
}

function noUpstream(id: string): string {
  const meant = closestName(id, Object.keys(KNOWN_NETWORKS))
  const hint = meant !== undefined && meant !== id ? ` Did you mean ${meant}?` : ''
  return `--upstream is missing for ${id}: no vendor and no node that was given serves it.${hint}`
}

/** The host alone: whatever else is in an address may be a key. */
export function hostOf(address: string): string {
  return URL.parse(address)?.host ?? 'that address'
}

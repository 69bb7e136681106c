import type { NodeChain } from '../nodes/chain-of-node.ts'

/** A node of one's own, and the chain that it said it is on; null where it did not. */
export type OwnNode = { name: string; url: string; chain: NodeChain | null }

/** One network of the file: known by its id, or described by its chain. */
export type InitNetwork = { id: string; chain: NodeChain | null; nodes: readonly OwnNode[] }

export type InitAnswers = {
  listen: string
  publicUrl: string | null
  data: string
  workers: string
  /** Null: the embedded store. */
  database: { url: string; secret: string } | null
  vendors: readonly string[]
  networks: readonly InitNetwork[]
}

export const DEFAULT_ANSWERS = {
  listen: '127.0.0.1:8080',
  data: './data',
  workers: 'auto',
  out: 'headgate.yaml',
}

/** True where the file must be for its owner's eyes only. */
export function holdsSecrets({ vendors, database, networks }: InitAnswers): boolean {
  if (vendors.length > 0 || database !== null) return true
  return networks.some(({ nodes }) => nodes.some(({ url }) => mayHoldSecret(url)))
}

/** A bare host and port says nothing; a path, a query or a user may be a key. */
function mayHoldSecret(address: string): boolean {
  const url = URL.parse(address)
  return !url || url.pathname.length > 1 || url.search + url.username + url.password !== ''
}

import { KNOWN_NETWORKS } from '../../config/vendors/known-networks.ts'
import { quantityToNumber } from '../../core/hex.ts'
import type { UpstreamSpec } from '../../core/network.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Outbound } from '../../ports/outbound.ts'
import { openNodeProbe } from './node-probe.ts'

export type NodeChain =
  | { kind: 'evm'; chainId: number; known: string | null }
  | { kind: 'solana'; genesisHash: string; known: string | null }

const LIMITS = { requestsMax: 2, callMs: 5000, totalMs: 10_000 }

/** Asks a node which chain it is on; a reason in a word where it does not say. */
export async function chainOfNode(
  clock: Clock,
  outbound: Outbound,
  url: string,
): Promise<NodeChain | string> {
  const node = openNodeProbe(clock, outbound, plainSpec('node', url), LIMITS)
  const asked = await node.ask('eth_chainId')
  const chainId = asked.kind === 'value' ? quantityToNumber(asked.value) : null
  if (chainId !== null) return { kind: 'evm', chainId, known: knownBy({ chainId }) }
  if (asked.kind === 'failed' && asked.reason === 'unreachable') return asked.reason

  const genesis = await node.ask('getGenesisHash')
  if (genesis.kind === 'value' && typeof genesis.value === 'string') {
    const genesisHash = genesis.value
    return { kind: 'solana', genesisHash, known: knownBy({ genesisHash }) }
  }
  return asked.kind === 'failed' ? asked.reason : 'no node of a chain that is known here'
}

export function plainSpec(name: string, url: string): UpstreamSpec {
  return {
    name,
    url,
    priority: 0,
    traces: false,
    concurrencyMax: 1,
    batchMax: 100,
    timeoutMs: LIMITS.callMs,
  }
}

function knownBy(mark: { chainId: number } | { genesisHash: string }): string | null {
  const found = Object.entries(KNOWN_NETWORKS).find(([, known]) =>
    'chainId' in mark ? known.chainId === mark.chainId : known.genesisHash === mark.genesisHash,
  )
  return found?.[0] ?? null
}

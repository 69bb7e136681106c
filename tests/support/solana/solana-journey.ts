import type { UpstreamSpec } from '../../../src/core/network.ts'
import { type FakeNode, NodeError } from '../nodes/fake-node.ts'
import { type PoolJourney, poolJourney } from '../nodes/pool-journey.ts'

/** Members of a configuration that make the journey's network one of Solana. */
export const SOLANA_NETWORK = {
  id: 'SOLANA_MAINNET',
  kind: 'solana',
  chainId: undefined,
  blockTimeMs: 400,
}

/** Makes a fake node answer what a small Solana node would. */
export function asSolana<T extends FakeNode>(node: T): T {
  const context = () => ({ apiVersion: '4.1.0', slot: node.head.number })
  node.answers = {
    getHealth: 'ok',
    getBlockHeight: () => node.head.number - 10,
    getBalance: () => ({ context: context(), value: 1_000 }),
    getLatestBlockhash: () => ({
      context: context(),
      value: { blockhash: `hash-of-${node.head.number}`, lastValidBlockHeight: 1 },
    }),
  }
  return node
}

/** Headgate over two nodes, the second of which is asked only when the first cannot be. */
export async function withTwoNodes<T extends FakeNode>(
  [first, second]: readonly [T, FakeNode],
  run: (journey: PoolJourney) => Promise<void>,
  options: { ofFirst?: Partial<UpstreamSpec>; network?: Record<string, unknown> } = {},
): Promise<void> {
  const nodes = [asSolana(first), asSolana(second)]
  const upstreams = [options.ofFirst ?? {}, { priority: 1 }]
  const network = { ...SOLANA_NETWORK, ...options.network }
  const journey = await poolJourney(nodes, { upstreams, network })
  try {
    await journey.allHealthy()
    await run(journey)
  } finally {
    await journey.stop()
  }
}

/** An answer that is an error of the node. */
export function says(code: number, message: string, data?: unknown) {
  return () => {
    throw new NodeError(code, message, data)
  }
}

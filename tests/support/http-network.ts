import type { Block, BlockWants } from '../../src/core/chain/block.ts'
import { openOutbound } from '../../src/system/http1/http-outbound.ts'
import { systemClock } from '../../src/system/machine/system-clock.ts'
import { openNetwork } from '../../src/upstream/answers/open-network.ts'
import { readBlock } from '../../src/upstream/blocks/block-reader.ts'
import { quietTelemetry } from './quiet-telemetry.ts'
import { scriptedSockets } from './scripted-sockets.ts'

export type HttpNetwork = {
  /** Reads a block, the first node being the one that announced it. */
  read(ref: { number: number; hash: string }, wants?: BlockWants): Promise<Block | null>
  stop(): void
}

const ALL: BlockWants = { transactions: true, receipts: true, traces: true }

/** The nodes at these addresses as one network, over real HTTP and in real time. */
export async function openHttpNetwork(
  urls: readonly string[],
  chainId: number,
): Promise<HttpNetwork> {
  const clock = systemClock()
  const telemetry = quietTelemetry()
  const usual = { traces: true, concurrencyMax: 16, batchMax: 0, timeoutMs: 5000, priority: 0 }
  const network = openNetwork(
    { clock, telemetry, outbound: openOutbound(), sockets: scriptedSockets() },
    {
      id: 'ETH_TEST',
      slug: 'eth-test',
      kind: 'evm',
      chainId,
      blockTimeMs: 1000,
      headPollMs: 1000,
      headLagMsMax: 30_000,
      finalityDepth: 10,
      upstreams: urls.map((url, at) => ({ ...usual, name: `node-${at}`, url })),
    },
    { prices: {}, cacheBytesMax: 0, latestMaxAgeMs: 0 },
  )
  await network.ready
  const preferred = network.pool.selection.upstreams[0] ?? null
  return {
    read: (ref, wants = ALL) =>
      readBlock({ service: network, clock, telemetry }, ref, wants, preferred),
    stop: () => network.stop(),
  }
}

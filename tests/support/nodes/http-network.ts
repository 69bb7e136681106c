import type { Block, BlockWants } from '../../../src/core/chain/block.ts'
import type { Network, UpstreamSpec } from '../../../src/core/network.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { openMachineSignals } from '../../../src/ports/driver-parts/machine-signals.ts'
import type { Telemetry } from '../../../src/ports/telemetry.ts'
import { systemClock } from '../../../src/system/machine/system-clock.ts'
import { openOutbound } from '../../../src/system/outbound/outbound.ts'
import { type OpenNetwork, openNetwork } from '../../../src/upstream/answers/open-network.ts'
import { readBlock } from '../../../src/upstream/blocks/block-reader.ts'
import { quietTelemetry } from '../basics/quiet-telemetry.ts'
import { scriptedSockets } from './scripted-sockets.ts'

type Needs = { clock: Clock; telemetry: Telemetry }

type NodeSpec = Partial<UpstreamSpec> & { name: string; url: string }

/** Blocks over HTTP, the first node being the one that announced them. */
export type BlockSource = {
  read(ref: { number: number; hash: string }, wants?: BlockWants): Promise<Block | null>
  stop(): void
}

const ALL: BlockWants = { transactions: true, receipts: true, traces: true }

const USUAL = { priority: 0, traces: false, concurrencyMax: 64, batchMax: 0, timeoutMs: 5000 }

/** Solana nodes at their addresses as one network, over real HTTP. */
export function openSolanaNetwork(needs: Needs, nodes: readonly NodeSpec[]): Promise<OpenNetwork> {
  return openHttpNetwork(needs, nodes, {
    id: 'SOLANA_TEST',
    slug: 'solana-test',
    kind: 'solana',
    blockTimeMs: 400,
    headPollMs: 100,
    headLagMsMax: 30_000,
  })
}

/** EVM nodes at these addresses, to read blocks from over real HTTP and in real time. */
export async function openBlockSource(
  urls: readonly string[],
  chainId: number,
): Promise<BlockSource> {
  const needs = { clock: systemClock(), telemetry: quietTelemetry() }
  const nodes = urls.map((url, at) => ({ name: `node-${at}`, url, traces: true }))
  const service = await openHttpNetwork(needs, nodes, {
    id: 'ETH_TEST',
    slug: 'eth-test',
    kind: 'evm',
    chainId,
    // Its blocks are made up.
    verify: 'off',
    blockTimeMs: 1000,
    headPollMs: 1000,
    headLagMsMax: 30_000,
    finalityDepth: 10,
  })
  const preferred = service.pool.selection.upstreams[0] ?? null
  return {
    read: (ref, wants = ALL) => readBlock(service, ref, wants, preferred),
    stop: () => service.stop(),
  }
}

async function openHttpNetwork(
  needs: Needs,
  nodes: readonly NodeSpec[],
  network: Omit<Network, 'upstreams'>,
): Promise<OpenNetwork> {
  const service = openNetwork(
    {
      ...needs,
      signals: openMachineSignals(),
      outbound: openOutbound(),
      sockets: scriptedSockets(),
    },
    { ...network, upstreams: nodes.map((node) => ({ ...USUAL, ...node })) },
    { prices: {}, cacheBytesMax: 0, latestMaxAgeMs: 0 },
  )
  await service.ready
  return service
}

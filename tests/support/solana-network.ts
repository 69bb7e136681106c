import type { UpstreamSpec } from '../../src/core/network.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Telemetry } from '../../src/ports/telemetry.ts'
import { openOutbound } from '../../src/system/http1/http-outbound.ts'
import { type OpenNetwork, openNetwork } from '../../src/upstream/answers/open-network.ts'
import { scriptedSockets } from './scripted-sockets.ts'

type Needs = { clock: Clock; telemetry: Telemetry }

/** Solana nodes at their addresses as one network, over real HTTP. */
export async function openSolanaNetwork(
  needs: Needs,
  nodes: readonly (Partial<UpstreamSpec> & { name: string; url: string })[],
): Promise<OpenNetwork> {
  const usual = { priority: 0, traces: false, concurrencyMax: 64, batchMax: 0, timeoutMs: 5000 }
  const service = openNetwork(
    { ...needs, outbound: openOutbound(), sockets: scriptedSockets() },
    {
      id: 'SOLANA_TEST',
      slug: 'solana-test',
      kind: 'solana',
      blockTimeMs: 400,
      headPollMs: 100,
      headLagMsMax: 30_000,
      upstreams: nodes.map((node) => ({ ...usual, ...node })),
    },
    { prices: {}, cacheBytesMax: 0, latestMaxAgeMs: 0 },
  )
  await service.ready
  return service
}

import type { Settings } from '../../config/config.ts'
import type { Network, UpstreamSpec } from '../../core/network.ts'
import { DEVNET_LIMITS, type DevnetControl } from '../../ports/devnet-control.ts'
import { beginAnew } from '../../tables/chain/chain-tail.ts'
import type { Drivers } from '../drivers.ts'
import { startLocalChains } from '../local/start-local-chains.ts'

const EVM_ID = 'ETH_DEVNET'

type LocalChains = Awaited<ReturnType<typeof startLocalChains>>

/** A development chain takes blocks back on purpose: deeper than that it does not go. */
const FINALITY_DEPTH = DEVNET_LIMITS.dropMax + 24

const POLL_MS_MIN = 250
/** Blocks may also come on command, however far apart they are by themselves. */
const POLL_MS_MAX = 4000
const POLLS_PER_BLOCK = 4
const HEAD_LAG_MS_MAX = 30_000

/** Local development has networks of its own, and a chain that can be broken on purpose. */
type WithLocal = { settings: Settings; devnet: DevnetControl | null }

/** The settings with the networks of local development, where they have none of their own. */
export async function withLocalNetworks(
  drivers: Drivers,
  given: Settings,
  opened: AsyncDisposableStack,
): Promise<WithLocal> {
  if (!given.local) return { settings: given, devnet: null }
  const chains = await startLocalChains(drivers, given.devnet, opened)
  const networks = localNetworks(given, chains)
  // Their processes hold the chains in memory, so the chains followed last time are gone.
  for (const { id } of networks) await beginAnew(drivers.database, id)
  return { settings: { ...given, networks }, devnet: chains.controlOf(EVM_ID) }
}

function localNetworks({ devnet }: Settings, { evm, solana }: LocalChains): Network[] {
  return [
    {
      id: EVM_ID,
      slug: 'eth-devnet',
      kind: 'evm',
      isLocal: true,
      chainId: evm.chainId,
      ...paces(devnet.blockTimeMs),
      finalityDepth: FINALITY_DEPTH,
      upstreams: [upstreamOf(evm, true)],
    },
    {
      id: 'SOLANA_DEVNET',
      slug: 'solana-devnet',
      kind: 'solana',
      isLocal: true,
      genesisHash: solana.genesisHash,
      ...paces(devnet.slotTimeMs),
      upstreams: [upstreamOf(solana, false)],
    },
  ]
}

function paces(blockTimeMs: number) {
  const pollMs = Math.floor(blockTimeMs / POLLS_PER_BLOCK)
  return {
    blockTimeMs: Math.max(1, blockTimeMs),
    headPollMs: Math.min(POLL_MS_MAX, Math.max(POLL_MS_MIN, pollMs)),
    headLagMsMax: HEAD_LAG_MS_MAX,
  }
}

function upstreamOf({ url, wsUrl }: { url: string; wsUrl: string }, traces: boolean): UpstreamSpec {
  return {
    name: 'devnet',
    url,
    ws: wsUrl,
    priority: 0,
    traces,
    concurrencyMax: 512,
    batchMax: 100,
    timeoutMs: 10_000,
  }
}

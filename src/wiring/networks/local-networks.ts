import type { Settings } from '../../config/config.ts'
import type { Network, UpstreamSpec } from '../../core/network.ts'
import { DEVNET_LIMITS } from '../../ports/devnet-limits.ts'
import { beginAnew, readChain } from '../../tables/chain/chain-tail.ts'
import type { LocalDevnets } from '../local/local-development.ts'
import { startLocalChains } from '../local/start-local-chains.ts'
import type { ProcessDrivers } from '../process-drivers.ts'

const EVM_ID = 'ETH_DEVNET'
const SOLANA_ID = 'SOLANA_DEVNET'

type LocalChains = Awaited<ReturnType<typeof startLocalChains>>

/** A development chain takes blocks back on purpose: deeper than that it does not go. */
const FINALITY_DEPTH = DEVNET_LIMITS.dropMax + 24

const POLL_MS_MIN = 250
/** Blocks may also come on command, however far apart they are by themselves. */
const POLL_MS_MAX = 4000
const POLLS_PER_BLOCK = 4
const HEAD_LAG_MS_MAX = 30_000

const NAME = 'devnet'

const UPSTREAM = {
  name: NAME,
  priority: 0,
  concurrencyMax: 512,
  batchMax: 100,
  timeoutMs: 10_000,
} as const

/** The settings with the networks of local development, where they have none of their own. */
export async function withLocalNetworks(
  drivers: ProcessDrivers,
  given: Settings,
  opened: AsyncDisposableStack,
): Promise<{ settings: Settings; devnets: LocalDevnets | null }> {
  if (!given.local) return { settings: given, devnets: null }
  const chains = await startLocalChains(drivers, given, opened)
  const networks = localNetworks(given, chains)
  if (!(await isSameChain(drivers, chains))) await beginAnew(drivers.database, EVM_ID)
  // The ledger begins anew with each start: it is never the one that was followed before.
  await beginAnew(drivers.database, SOLANA_ID)
  const devnets = {
    devnet: chains.controlOf(EVM_ID, nodeNames(given.devnet)),
    solanaDevnet: chains.ledgerControlOf(SOLANA_ID),
  }
  return { settings: { ...given, networks }, devnets }
}

/** A chain that is kept goes on; one that began anew has none of the blocks that were followed. */
async function isSameChain(
  { database }: ProcessDrivers,
  { evmHas }: LocalChains,
): Promise<boolean> {
  const [oldest] = (await readChain(database, EVM_ID))?.headers ?? []
  return oldest === undefined || evmHas(oldest)
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
      upstreams: nodeNames(devnet).map((name) => nodeOf(evm, name)),
    },
    {
      id: SOLANA_ID,
      slug: 'solana-devnet',
      kind: 'solana',
      isLocal: true,
      genesisHash: solana.genesisHash,
      ...paces(devnet.slotTimeMs),
      upstreams: [{ ...UPSTREAM, url: solana.url, ws: solana.wsUrl, traces: false }],
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

/** Several nodes of one chain; the first has the name alone. */
function nodeNames({ upstreams }: Settings['devnet']): string[] {
  return Array.from({ length: upstreams }, (_, at) => (at === 0 ? NAME : `${NAME}-${at + 1}`))
}

function nodeOf({ url, wsUrl }: { url: string; wsUrl: string }, name: string): UpstreamSpec {
  return { ...UPSTREAM, name, url: `${url}/${name}`, ws: `${wsUrl}/${name}`, traces: true }
}

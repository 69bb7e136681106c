import { join } from 'node:path'
import type { Settings } from '../../config/config.ts'
import type { Header } from '../../core/chain/block.ts'
import type { ProcessDrivers } from '../process-drivers.ts'
import { requireDevnet } from './require-devnet.ts'

/** The chains of local development have a folder each in here. */
const FOLDER = 'devnet'

/** Starts the chains of local development; their code is loaded only here. */
export async function startLocalChains(
  { clock, outbound }: Pick<ProcessDrivers, 'clock' | 'outbound'>,
  { data, devnet }: Pick<Settings, 'data' | 'devnet'>,
  opened: AsyncDisposableStack,
) {
  requireDevnet()
  const { evmChainHas, startEvmChain, openEvmControl, startSolanaLedger, openSolanaControl } =
    await import('@headgate/devnet')
  const stopLater = <T extends { stop(): Promise<unknown> }>(chain: T) =>
    opened.adopt(chain, async (started) => void (await started.stop()))
  const starting = [
    startEvmChain({
      clock,
      blockTimeMs: devnet.blockTimeMs,
      transactionsPerBlock: devnet.transactionsPerBlock,
      folder: join(data, FOLDER, 'eth'),
    }).then(stopLater),
    startSolanaLedger({
      clock,
      slotTimeMs: devnet.slotTimeMs,
      tokenAccounts: devnet.tokenAccounts,
      changesPerSlot: devnet.changesPerSlot,
      folder: join(data, FOLDER, 'solana'),
    }).then(stopLater),
  ] as const
  // Both are waited for: one that starts after the other failed is to be stopped as well.
  await Promise.allSettled(starting)
  const [evm, solana] = await Promise.all(starting)
  const controlOf = (network: string, nodeNames: readonly string[]) =>
    openEvmControl({ clock, outbound }, evm.url, network, nodeNames)
  const evmHas = (header: Header) => evmChainHas({ clock, outbound }, evm.url, header)
  const ledgerControlOf = (network: string) =>
    openSolanaControl({ clock, outbound }, solana.url, network)
  return { evm, solana, controlOf, ledgerControlOf, evmHas }
}

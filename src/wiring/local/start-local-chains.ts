import type { Settings } from '../../config/config.ts'
import type { ProcessDrivers } from '../process-drivers.ts'
import { requireDevnet } from './require-devnet.ts'

/** Starts the chains of local development; their code is loaded only here. */
export async function startLocalChains(
  { clock, outbound }: Pick<ProcessDrivers, 'clock' | 'outbound'>,
  devnet: Settings['devnet'],
  opened: AsyncDisposableStack,
) {
  requireDevnet()
  const { startEvmChain, openEvmControl, startSolanaLedger } = await import('@headgate/devnet')
  const stopLater = <T extends { stop(): Promise<unknown> }>(chain: T) =>
    opened.adopt(chain, async (started) => void (await started.stop()))
  const starting = [
    startEvmChain({ clock, blockTimeMs: devnet.blockTimeMs }).then(stopLater),
    startSolanaLedger({ clock, slotTimeMs: devnet.slotTimeMs }).then(stopLater),
  ] as const
  // Both are waited for: one that starts after the other failed is to be stopped as well.
  await Promise.allSettled(starting)
  const [evm, solana] = await Promise.all(starting)
  const controlOf = (network: string) => openEvmControl({ clock, outbound }, evm.url, network)
  return { evm, solana, controlOf }
}
